/* A program that compiles its kernels while it runs: NVRTC, then the driver API. The same lines on a real GPU:
 *
 *      g++ -o nvrtc nvrtc.cpp -lnvrtc -lcuda && ./nvrtc [bug|leak|cubin]
 */
#include <cuda.h>
#include <nvrtc.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <vector>

#define CHECK(call)                                                                                          \
    do {                                                                                                     \
        int error = (call);                                                                                  \
        if (error != 0) {                                                                                    \
            printf("%s gives %d\n", #call, error);                                                           \
            exit(3);                                                                                         \
        }                                                                                                    \
    } while (0)

static const char source[] = R"(
template <typename T, int FACTOR> __global__ void scale(T *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] *= FACTOR;
}
__constant__ float offset = 0.5f;
extern "C" __global__ void shift(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    x[i] += offset;
}
)";

static std::string compile(const char *text, const char *name, std::vector<const char *> options,
                           const char *expression, std::string *lowered, bool cubin = false)
{
    nvrtcProgram program;
    size_t n;
    const char *mangled;
    CHECK(nvrtcCreateProgram(&program, text, name, 0, NULL, NULL));
    if (expression != NULL)
        CHECK(nvrtcAddNameExpression(program, expression));
    nvrtcResult result = nvrtcCompileProgram(program, (int)options.size(), options.data());
    if (result != NVRTC_SUCCESS) {
        CHECK(nvrtcGetProgramLogSize(program, &n));
        std::string log(n, ' ');
        CHECK(nvrtcGetProgramLog(program, &log[0]));
        printf("%s: the log names line 3: %s\n", nvrtcGetErrorString(result),
               log.find("broken.cu(3)") != std::string::npos ? "yes" : "no");
        nvrtcDestroyProgram(&program);
        return "";
    }
    CHECK(cubin ? nvrtcGetCUBINSize(program, &n) : nvrtcGetPTXSize(program, &n));
    std::string ptx(n, ' ');
    CHECK(cubin ? nvrtcGetCUBIN(program, &ptx[0]) : nvrtcGetPTX(program, &ptx[0]));
    size_t no_cubin = 1;
    if (strstr(options[0], "compute_") != NULL && (nvrtcGetCUBINSize(program, &no_cubin) != NVRTC_SUCCESS || no_cubin != 0))
        printf("a virtual architecture has a cubin of %zu bytes\n", no_cubin);
    if (expression != NULL) {
        CHECK(nvrtcGetLoweredName(program, expression, &mangled));
        *lowered = mangled;
    }
    CHECK(nvrtcDestroyProgram(&program));
    return ptx;
}

int main(int argc, char **argv)
{
    bool bug = argc > 1 && strcmp(argv[1], "bug") == 0, leak = argc > 1 && strcmp(argv[1], "leak") == 0;
    const char *machine = argc > 1 && strncmp(argv[1], "cubin", 5) == 0 ? argv[1] + 5 : NULL;
    std::vector<const char *> options = {machine ? machine : "--gpu-architecture=compute_75", "-lineinfo"};
    std::string lowered;
    compile("__global__ void k(int *x)\n{\n    x = undefined_name;\n}\n", "broken.cu", options, NULL, NULL);
    std::string ptx = compile(source, "scale.cu", options, "scale<float, 3>", &lowered, machine != NULL);
    if (machine != NULL && argc > 2) {
        FILE *file = fopen(argv[2], "wb");
        fwrite(ptx.data(), 1, ptx.size(), file);
        fclose(file);
    }

    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction scale, shift;
    CUdeviceptr x, offset;
    const int n = 1000;
    size_t bytes;
    std::vector<float> values(n);
    for (int i = 0; i < n; i++)
        values[i] = (float)i;
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuCtxCreate(&context, NULL, 0, device));
    CHECK(machine != NULL && argc > 2 ? cuModuleLoad(&module, argv[2]) : cuModuleLoadData(&module, ptx.c_str()));
    CHECK(cuModuleGetFunction(&scale, module, lowered.c_str()));
    CHECK(cuModuleGetFunction(&shift, module, "shift"));
    CHECK(cuModuleGetGlobal(&offset, &bytes, module, "offset"));
    CHECK(cuMemAlloc(&x, n * sizeof(float)));
    CHECK(cuMemcpyHtoD(x, values.data(), n * sizeof(float)));
    int count = n;
    void *params[] = {&x, &count};
    CHECK(cuLaunchKernel(scale, 4, 1, 1, 256, 1, 1, 0, NULL, params, NULL));
    CHECK(cuLaunchKernel(shift, bug ? 4 : 125, 1, 1, bug ? 256 : 8, 1, 1, 0, NULL, params, NULL));
    if (cuMemcpyDtoH(values.data(), x, n * sizeof(float)) == CUDA_SUCCESS)
        printf("x[1] = %g, x[999] = %g, offset has %zu bytes\n", values[1], values[999], bytes);
    cuMemFree(x);
    if (!leak)
        cuModuleUnload(module);
    cuCtxDestroy(context);
    return 0;
}
