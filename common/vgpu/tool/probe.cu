/* probe: which error does each runtime call return, in situations that students meet?
 *
 * Prints one line a call, `situation | call | error`, and for values `situation | what | = value`. Errors such as an
 * illegal address last as long as the process, so each situation runs in a child of its own; the parent never calls the
 * runtime. Run on a real GPU its output is the table cudart/test/errors-hardware.txt; a test compares the virtual GPU's
 * output with it. Nothing printed depends on addresses or times; occupancy depends on the card (a virtual H100 is compared).
 *
 *   nvcc -cudart shared -arch=compute_75 -o probe probe.cu && ./probe [situation...]
 *   ./probe --list        names of the situations
 *   ./probe --device      attributes of the device instead, `attribute NUMBER VALUE` lines
 *   nvcc -arch=sm_120 ... && ./probe no_image    on a card that is not of that architecture
 */
#include <cuda_runtime.h>

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *situation;

static cudaError_t show(const char *call, cudaError_t error)
{
    printf("%s | %s | %s\n", situation, call, cudaGetErrorName(error));
    fflush(stdout);
    return error;
}

static void show_value(const char *what, long long value)
{
    printf("%s | %s | = %lld\n", situation, what, value);
    fflush(stdout);
}

#define CALL(...) show(#__VA_ARGS__, __VA_ARGS__)
#define VALUE(x)  show_value(#x, (long long)(x))
/* A launch's error is the last error: read and cleared. */
#define LAUNCH(...)                         \
    do {                                    \
        __VA_ARGS__;                        \
        show(#__VA_ARGS__, cudaGetLastError()); \
    } while (0)

#include "probe_kernels.cuh"

#include "probe_faults.cuh"
#include "probe_graph.cuh"
#include "probe_host.cuh"
#include "probe_launch.cuh"
#include "probe_memory.cuh"

#define SITUATION(name) {#name, name}
static const struct {
    const char *name;
    void (*run)(void);
} situations[] = {
    SITUATION(threads_2048), SITUATION(threads_1025), SITUATION(threads_1024), SITUATION(threads_3d_product),
    SITUATION(threads_z_65), SITUATION(threads_y_1025), SITUATION(threads_0), SITUATION(threads_y_0), SITUATION(grid_0),
    SITUATION(grid_y_0), SITUATION(grid_y_65536), SITUATION(grid_z_65536), SITUATION(grid_x_2_31),
    SITUATION(grid_0_and_threads_2048), SITUATION(launch_bounds), SITUATION(last_error_of_launch),
    SITUATION(shared_dynamic_48k), SITUATION(shared_dynamic_over_48k), SITUATION(shared_dynamic_1m),
    SITUATION(shared_static_and_dynamic), SITUATION(shared_attribute), SITUATION(kernel_null), SITUATION(no_image),
    SITUATION(cooperative_too_large), SITUATION(launch_ex), SITUATION(malloc_arguments), SITUATION(free_host_pointer),
    SITUATION(free_interior), SITUATION(free_twice), SITUATION(free_freed_by_reset), SITUATION(free_pinned_with_free),
    SITUATION(free_device_with_free_host), SITUATION(free_host_malloc), SITUATION(free_managed),
    SITUATION(malloc_host_arguments), SITUATION(host_register), SITUATION(no_bytes), SITUATION(pitch), SITUATION(pool_allocation),
    SITUATION(mem_info), SITUATION(memcpy_arguments), SITUATION(memcpy_direction_swapped_1),
    SITUATION(memcpy_direction_swapped_2), SITUATION(memcpy_d2d_from_host), SITUATION(memcpy_d2d_to_host),
    SITUATION(memcpy_h2h_with_device), SITUATION(memcpy_past_end), SITUATION(memcpy_freed), SITUATION(memcpy_async),
    SITUATION(memset_arguments), SITUATION(memcpy_2d), SITUATION(symbols), SITUATION(pointer_attributes),
    SITUATION(fault_out_of_bounds), SITUATION(fault_null), SITUATION(fault_read), SITUATION(fault_misaligned),
    SITUATION(fault_trap), SITUATION(fault_assert), SITUATION(fault_in_free_and_copy), SITUATION(fault_seen_by_event),
    SITUATION(fault_shared_far), SITUATION(fault_stack), SITUATION(fault_atomic_on_local), SITUATION(fault_shared_1k), SITUATION(fault_shared_16k), SITUATION(fault_shared_100k),
    SITUATION(fault_shared_300k), SITUATION(fault_shared_before), SITUATION(fault_shared_misaligned), SITUATION(fault_generic_to_shared),
    SITUATION(fault_host_pointer), SITUATION(fault_device_pointer_freed), SITUATION(fault_write_constant), SITUATION(registers_1024),
    SITUATION(registers_256), SITUATION(copy_kinds), SITUATION(memset_of_host_kinds), SITUATION(memcpy_3d),
    SITUATION(reset_and_go_on), SITUATION(pools),
    SITUATION(fault_function_pointer), SITUATION(device_heap), SITUATION(last_error), SITUATION(error_text),
    SITUATION(devices), SITUATION(limits), SITUATION(streams), SITUATION(stream_destroyed_query),
    SITUATION(stream_destroyed_twice), SITUATION(stream_destroyed_launch), SITUATION(stream_garbage), SITUATION(events),
    SITUATION(event_destroyed_record), SITUATION(event_destroyed_twice), SITUATION(occupancy),
    SITUATION(function_attributes), SITUATION(managed), SITUATION(capture_calls), SITUATION(capture_begin_end),
    SITUATION(graph_arguments), SITUATION(graph_update), SITUATION(graph_memory), SITUATION(other_calls),
};
enum { N_SITUATIONS = sizeof situations / sizeof situations[0] };

/* Runs one situation in a child of its own, and says so when the child died of a signal. */
static void run_forked(int i)
{
    fflush(stdout);
    situation = situations[i].name;
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        situations[i].run();
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status))
        printf("%s | ended by | signal %d\n", situation, WTERMSIG(status));
}

static int print_device()
{
    for (int attribute = 1; attribute < 200; attribute++) {
        int value;
        if (cudaDeviceGetAttribute(&value, (cudaDeviceAttr)attribute, 0) == cudaSuccess)
            printf("attribute %d %d\n", attribute, value);
    }
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess)
        return 1;
    printf("name %s\ntotalGlobalMem %zu\ntotalConstMem %zu\nsharedMemPerBlock %zu\ntexturePitchAlignment %zu\n", p.name,
           p.totalGlobalMem, p.totalConstMem, p.sharedMemPerBlock, p.texturePitchAlignment);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--device") == 0)
        return print_device();
    for (int i = 0; i < N_SITUATIONS; i++) {
        bool wanted = argc == 1 && strcmp(situations[i].name, "no_image") != 0;
        for (int k = 1; k < argc; k++)
            wanted = wanted || strcmp(argv[k], situations[i].name) == 0;
        if (argc == 2 && strcmp(argv[1], "--list") == 0)
            puts(situations[i].name);
        else if (wanted)
            run_forked(i);
    }
    return 0;
}
