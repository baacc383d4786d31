/* child: what a kernel calls to launch grids (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism").
 *
 * nvcc makes two calls of a launch in a kernel, which a lane does by itself:
 *
 *      child<<<grid, block, shared, stream>>>(x);   buffer = ParameterBuffer(child, grid, block, shared)
 *                                                            (0: refused)
 *                                                   stores x to buffer
 *                                                   error = Launch(buffer, stream)
 *
 * What is launched is kept by the host of this launch (ExecFamily), which runs it when this grid has ended;
 * so nothing here waits. Without a family, or with a function that is no kernel, the call is refused with an
 * error as on hardware.
 */
#include "common/vgpu/exec/exec_internal.h"

#include <string.h>

/* Of cudaError_t. */
enum { CHILD_INVALID_VALUE = 1, CHILD_NOT_SUPPORTED = 801, NO_KERNEL = 0xFFFFFFFFu };

static ExecAsker asker_of(const ExecWarp *w, int lane)
{
    return (ExecAsker){.block = w->block->run->launch->first_block + w->block->linear,
                       .thread = w->index * WARP_LANES + (uint32_t)lane};
}

static uint32_t entry_at(const ExecWarp *w, uint64_t address)
{
    uint64_t offset = address - IR_FUNCTION_WINDOW;
    const IrModule *m = w->block->run->module;
    bool entry = offset % 16 == 0 && offset / 16 < m->n_functions && m->functions[offset / 16].is_entry;
    return entry ? (uint32_t)(offset / 16) : NO_KERNEL;
}

static uint64_t parameter_buffer(ExecWarp *w, const IrCall *call, int lane, const ExecFamily *family)
{
    ExecChild child = {.function = entry_at(w, builtin_arg(w, call, 0, lane)),
                       .shared = (uint32_t)builtin_arg(w, call, 3, lane)};
    builtin_arg_bytes(w, call, 1, lane, child.grid);
    builtin_arg_bytes(w, call, 2, lane, child.block);
    return family->buffer(family->self, asker_of(w, lane), &child);
}

static uint64_t launch_child(ExecWarp *w, const IrInst *inst, int lane, const ExecFamily *family)
{
    const ExecLaunch *l = w->block->run->launch;
    uint32_t grid = 0;
    int error = family->launch(family->self, asker_of(w, lane), builtin_arg(w, inst->call, 0, lane),
                               builtin_arg(w, inst->call, 1, lane), &grid);
    const ExecWho *who = exec_who(w, w->frame->function, inst);
    if (error == 0)
        EXEC_TELL(l, spawn, who, (uint32_t)lane, grid);
    return (uint64_t)error;
}

static uint64_t create_stream(ExecWarp *w, const IrInst *inst, int lane, const ExecFamily *family)
{
    uint64_t handle = 0;
    int error = family->stream(family->self, asker_of(w, lane), (uint32_t)builtin_arg(w, inst->call, 1, lane),
                               &handle);
    if (error == 0 && !exec_poke(w, inst, lane, builtin_arg(w, inst->call, 0, lane), &handle, sizeof handle))
        error = CHILD_INVALID_VALUE;
    return (uint64_t)error;
}

/* Which argument of a call that takes an event is what; -1: it has none. */
static uint64_t event_of_lane(ExecWarp *w, const IrInst *inst, int lane, const ExecFamily *family,
                              ExecEventCall what, int event_arg, int stream_arg, int flags_arg)
{
    uint64_t event = event_arg < 0 ? 0 : builtin_arg(w, inst->call, (uint32_t)event_arg, lane);
    uint64_t stream = stream_arg < 0 ? 0 : builtin_arg(w, inst->call, (uint32_t)stream_arg, lane);
    uint64_t flags = flags_arg < 0 ? 0 : builtin_arg(w, inst->call, (uint32_t)flags_arg, lane);
    int error = family->event(family->self, asker_of(w, lane), what, stream, (uint32_t)flags, &event);
    if (error == 0 && what == EXEC_EVENT_CREATE &&
        !exec_poke(w, inst, lane, builtin_arg(w, inst->call, 0, lane), &event, sizeof event))
        error = CHILD_INVALID_VALUE;
    return (uint64_t)error;
}

static uint64_t call_of_lane(ExecWarp *w, const IrInst *inst, int lane, const ExecFamily *family)
{
    switch ((IrBuiltin)inst->call->builtin) {
    case BUILTIN_CHILD_BUFFER:
        return parameter_buffer(w, inst->call, lane, family);
    case BUILTIN_CHILD_LAUNCH:
    case BUILTIN_CHILD_LAUNCH_PTSZ:
        return launch_child(w, inst, lane, family);
    case BUILTIN_CHILD_STREAM_CREATE:
        return create_stream(w, inst, lane, family);
    case BUILTIN_CHILD_STREAM_DESTROY:
        return 0; /* what is in it goes on */
    case BUILTIN_CHILD_STREAM_WAIT:
    case BUILTIN_CHILD_STREAM_WAIT_PTSZ:
        return event_of_lane(w, inst, lane, family, EXEC_EVENT_WAIT, 1, 0, 2);
    case BUILTIN_CHILD_EVENT_CREATE:
        return event_of_lane(w, inst, lane, family, EXEC_EVENT_CREATE, -1, -1, 1);
    case BUILTIN_CHILD_EVENT_RECORD:
    case BUILTIN_CHILD_EVENT_RECORD_PTSZ:
        return event_of_lane(w, inst, lane, family, EXEC_EVENT_RECORD, 0, 1, -1);
    case BUILTIN_CHILD_EVENT_RECORD_FLAGS:
    case BUILTIN_CHILD_EVENT_RECORD_FLAGS_PTSZ:
        return event_of_lane(w, inst, lane, family, EXEC_EVENT_RECORD, 0, 1, 2);
    case BUILTIN_CHILD_EVENT_DESTROY:
        return event_of_lane(w, inst, lane, family, EXEC_EVENT_DESTROY, 0, -1, -1);
    default:
        return (uint64_t)family->error(family->self, asker_of(w, lane),
                                       inst->call->builtin == BUILTIN_CHILD_LAST_ERROR);
    }
}

void exec_child(ExecWarp *w, const IrInst *inst, uint32_t mask)
{
    const ExecHost *host = w->block->run->launch->host;
    if (!exec_turn(w))
        return;
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = first_lane(left);
        uint64_t refused = inst->call->builtin == BUILTIN_CHILD_BUFFER ? 0 : CHILD_NOT_SUPPORTED;
        builtin_result(w, inst->call, lane,
                       host && host->family ? call_of_lane(w, inst, lane, host->family) : refused);
    }
}
