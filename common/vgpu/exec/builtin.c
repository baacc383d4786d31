/* Functions that the device itself provides: vprintf, __assertfail, malloc, free, cudaMalloc, cudaFree,
 * cudaGraphSetConditional. Those that launch grids: child.c; those of mathematics: libdevice.c. */
#include "common/vgpu/exec/exec_internal.h"
#include "common/vgpu/exec/libdevice.h"

#include <stdio.h>
#include <string.h>

enum { ASSERT_TEXT_MAX = 4096, ASSERT_PART_MAX = 512 };

static uint8_t *lane_frame(const ExecWarp *w, int lane)
{
    const ExecBlock *b = w->block;
    return b->local + (size_t)(w->index * WARP_LANES + (uint32_t)lane) * b->run->local_bytes + w->frame_base;
}

uint64_t builtin_arg(const ExecWarp *w, const IrCall *call, uint32_t i, int lane)
{
    uint64_t value = 0;
    if (i < call->n_args)
        memcpy(&value, lane_frame(w, lane) + call->args[i].offset,
               call->args[i].bytes < 8 ? call->args[i].bytes : 8);
    return value;
}

void builtin_arg_bytes(const ExecWarp *w, const IrCall *call, uint32_t i, int lane, void *to)
{
    memcpy(to, lane_frame(w, lane) + call->args[i].offset, call->args[i].bytes);
}

void builtin_result(ExecWarp *w, const IrCall *call, int lane, uint64_t value)
{
    if (call->n_results)
        memcpy(lane_frame(w, lane) + call->results[0].offset, &value,
               call->results[0].bytes < 8 ? call->results[0].bytes : 8);
}

static void peek_text(ExecWarp *w, int lane, uint64_t addr, char *text, size_t size)
{
    size_t n = addr ? exec_peek(w, lane, addr, text, size - 1) : 0;
    text[n] = '\0';
}

/* One line a lane, as CUDA words it. */
static void fail_assert(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    char text[ASSERT_TEXT_MAX] = "", message[ASSERT_PART_MAX], file[ASSERT_PART_MAX],
         function[ASSERT_PART_MAX];
    const uint32_t *block = w->block->index;
    size_t used = 0;
    for (uint32_t left = mask; left && used + 1 < sizeof text; left &= left - 1) {
        int lane = first_lane(left);
        peek_text(w, lane, builtin_arg(w, inst->call, 0, lane), message, sizeof message);
        peek_text(w, lane, builtin_arg(w, inst->call, 1, lane), file, sizeof file);
        peek_text(w, lane, builtin_arg(w, inst->call, 3, lane), function, sizeof function);
        int n = snprintf(text + used, sizeof text - used,
                         "%s%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
                         used ? "\n" : "", file, (uint32_t)builtin_arg(w, inst->call, 2, lane), function,
                         block[0], block[1], block[2], w->tid[0][lane], w->tid[1][lane], w->tid[2][lane],
                         message);
        used += n > 0 ? (size_t)n : 0;
    }
    exec_fault(w, inst, (ExecFault){.kind = FAULT_ASSERT, .mask = mask, .detail = text});
}

/* The place of an allocation by the device: function and instruction. */
static uint64_t device_site(const ExecWarp *w)
{
    return (uint64_t)w->frame->index << 32 | w->pc;
}

static void allocate_block_memory(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    const ExecHost *host = w->block->run->launch->host;
    if (!exec_turn(w))
        return;
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        uint64_t bytes = builtin_arg(w, inst->call, 0, lane);
        uint64_t got =
            host && host->heap_alloc && bytes ? host->heap_alloc(host->self, bytes, device_site(w)) : 0;
        builtin_result(w, inst->call, lane, got);
    }
}

static void release_block_memory(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    const ExecHost *host = w->block->run->launch->host;
    if (!exec_turn(w))
        return;
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        uint64_t addr = builtin_arg(w, inst->call, 0, lane);
        if (!addr || (host && host->heap_free && host->heap_free(host->self, addr))) {
            builtin_result(w, inst->call, lane, 0); /* cudaFree's */
            continue;
        }
        exec_fault(
            w, inst,
            (ExecFault){.kind = FAULT_TRAP,
                        .mask = 1u << lane,
                        .address = addr,
                        .detail = "free of an address that malloc did not return, or that was freed before"});
        return;
    }
}

/* cudaMalloc in a kernel is malloc with an error (CUDA C++ Programming Guide, "Memory Allocation and Lifetime"). */
enum { CUDA_SUCCESS = 0, CUDA_INVALID_VALUE = 1, CUDA_NO_MEMORY = 2 }; /* of cudaError_t */

static uint64_t allocate_to(ExecWarp *w, const IrInst *inst, int lane, const ExecHost *host)
{
    uint64_t bytes = builtin_arg(w, inst->call, 1, lane);
    uint64_t got = bytes && host && host->heap_alloc ? host->heap_alloc(host->self, bytes, device_site(w)) : 0;
    if (!exec_poke(w, inst, lane, builtin_arg(w, inst->call, 0, lane), &got, sizeof got)) {
        if (got)
            host->heap_free(host->self, got);
        return CUDA_INVALID_VALUE;
    }
    return got || !bytes ? CUDA_SUCCESS : CUDA_NO_MEMORY;
}

static void cuda_allocate(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    if (!exec_turn(w))
        return;
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        builtin_result(w, inst->call, lane, allocate_to(w, inst, lane, w->block->run->launch->host));
    }
}

/* The condition of a graph is a word of the device's memory, and its handle the address. */
static void set_conditional(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    const ExecHost *host = w->block->run->launch->host;
    if (!exec_turn(w))
        return;
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        uint64_t handle = builtin_arg(w, inst->call, 0, lane);
        uint32_t value = (uint32_t)builtin_arg(w, inst->call, 1, lane);
        if (host && host->is_condition && host->is_condition(host->self, handle) &&
            exec_poke(w, inst, lane, handle, &value, sizeof value))
            continue;
        exec_fault(w, inst,
                   (ExecFault){.kind = FAULT_TRAP,
                               .mask = 1u << lane,
                               .address = handle,
                               .detail = "cudaGraphSetConditional with a handle that no graph has"});
        return;
    }
}

void exec_builtin(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    char text[ASSERT_PART_MAX];
    if (inst->call->builtin > BUILTIN_UNRESOLVED) {
        exec_libdevice(w, inst, mask, inst->call->builtin - BUILTIN_UNRESOLVED - 1u);
        return;
    }
    w->polls = 0; /* printing, allocating and launching are stores, too */
    switch ((IrBuiltin)inst->call->builtin) {
    case BUILTIN_VPRINTF:
        exec_vprintf(w, inst, mask);
        break;
    case BUILTIN_ASSERTFAIL:
        fail_assert(w, inst, mask);
        break;
    case BUILTIN_MALLOC:
        allocate_block_memory(w, inst, mask);
        break;
    case BUILTIN_CUDA_MALLOC:
        cuda_allocate(w, inst, mask);
        break;
    case BUILTIN_FREE:
    case BUILTIN_CUDA_FREE:
        release_block_memory(w, inst, mask);
        break;
    case BUILTIN_SET_CONDITIONAL:
        set_conditional(w, inst, mask);
        break;
    case BUILTIN_CHILD_BUFFER:
    case BUILTIN_CHILD_LAUNCH:
    case BUILTIN_CHILD_LAUNCH_PTSZ:
    case BUILTIN_CHILD_LAST_ERROR:
    case BUILTIN_CHILD_PEEK_ERROR:
    case BUILTIN_CHILD_STREAM_CREATE:
    case BUILTIN_CHILD_STREAM_DESTROY:
    case BUILTIN_CHILD_STREAM_WAIT:
    case BUILTIN_CHILD_STREAM_WAIT_PTSZ:
    case BUILTIN_CHILD_EVENT_CREATE:
    case BUILTIN_CHILD_EVENT_RECORD:
    case BUILTIN_CHILD_EVENT_RECORD_PTSZ:
    case BUILTIN_CHILD_EVENT_RECORD_FLAGS:
    case BUILTIN_CHILD_EVENT_RECORD_FLAGS_PTSZ:
    case BUILTIN_CHILD_EVENT_DESTROY:
        exec_child(w, inst, mask);
        break;
    case BUILTIN_NONE:
    case BUILTIN_UNRESOLVED:
        snprintf(text, sizeof text, "call of %s, which is defined nowhere", inst->call->name);
        exec_fault(w, inst, (ExecFault){.kind = FAULT_UNSUPPORTED, .mask = mask, .detail = text});
        break;
    }
}
