/* Frames: the registers and the local memory of a called function, and what is passed between it and its
 * caller.
 *
 * A lane's local memory is a stack: [kernel's frame][called function's]..., each frame with its parameters,
 * results, call temporaries and local variables. Lanes of different splits may call different functions side
 * by side, so frames come from a list of free ones, not from a stack of their own.
 */
#include "common/vgpu/exec/split.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 32 * 1024, LOCAL_FILL = 0xCD };

/* Memory that a block keeps until it is destroyed; like an arena, without zeroing. */
struct ExecChunk {
    struct ExecChunk *next;
    size_t used, size;
    uint8_t *bytes;
};

void *block_alloc(ExecBlock *b, size_t bytes)
{
    struct ExecChunk *c = b->chunks;
    bytes = (bytes + 63) & ~(size_t)63;
    if (!c || c->used + bytes > c->size) {
        size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
        void *memory = NULL;
        if (posix_memalign(&memory, 64, 64 + size))
            return NULL;
        c = memory;
        *c = (struct ExecChunk){.next = b->chunks, .size = size, .bytes = (uint8_t *)memory + 64};
        b->chunks = c;
    }
    void *got = c->bytes + c->used;
    c->used += bytes;
    return got;
}

void block_free_memory(ExecBlock *b)
{
    while (b->chunks) {
        struct ExecChunk *next = b->chunks->next;
        free(b->chunks);
        b->chunks = next;
    }
}

static uint8_t *lane_local(const ExecWarp *w, int lane)
{
    const ExecBlock *b = w->block;
    return b->local + (size_t)(w->index * WARP_LANES + (uint32_t)lane) * b->run->local_bytes;
}

/* A free frame of the function, or a new one. Registers start as zeros, so that nothing of an earlier call
 * shows. */
static ExecFrame *frame_take(ExecBlock *b, uint32_t index)
{
    const IrFunction *f = &b->run->module->functions[index];
    for (ExecFrame **at = &b->free_frames; *at; at = &(*at)->next_free) {
        ExecFrame *frame = *at;
        if (frame->index != index)
            continue;
        *at = frame->next_free;
        memset(frame->regs, 0, f->reg_bytes);
        return frame;
    }
    ExecFrame *frame = block_alloc(b, sizeof *frame);
    uint8_t *regs = block_alloc(b, f->reg_bytes + 64u);
    if (!frame || !regs)
        return NULL;
    memset(regs, 0, f->reg_bytes);
    frame->regs = regs;
    return frame;
}

static void copy_params(ExecWarp *w, uint32_t mask, uint32_t to_base, const IrParam *to, uint32_t from_base,
                        const IrParam *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bytes = to[i].bytes < from[i].bytes ? to[i].bytes : from[i].bytes;
        for (uint32_t left = mask; left; left &= left - 1) {
            uint8_t *local = lane_local(w, first_lane(left));
            memcpy(local + to_base + to[i].offset, local + from_base + from[i].offset, bytes);
        }
    }
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static void tell_frame(ExecWarp *w, const ExecFrame *frame)
{
    const ExecLaunch *launch = w->block->run->launch;
    EXEC_TELL(launch, frame, exec_who(w, frame->function, NULL), frame->lanes, frame->base);
}

bool frame_push(ExecWarp *w, const IrInst *inst, uint32_t index)
{
    ExecBlock *b = w->block;
    const ExecRun *run = b->run;
    const IrFunction *f = &run->module->functions[index];
    const ExecFrame *caller = w->frame;
    uint64_t base = caller->base + caller->function->frame_bytes;
    if (base + f->frame_bytes > run->stack_end) {
        exec_fault(
            w, inst,
            (ExecFault){.kind = FAULT_STACK, .mask = w->active, .bytes = f->frame_bytes, .detail = f->name});
        return false;
    }
    ExecFrame *frame = frame_take(b, index);
    if (!frame) {
        exec_fail(b->run, EXEC_NO_MEMORY, "no memory for a call");
        warp_stop(w, ACTION_STOP);
        return false;
    }
    *frame = (ExecFrame){.caller = w->frame,
                         .function = f,
                         .index = index,
                         .regs = frame->regs,
                         .base = (uint32_t)base,
                         .call = inst->call,
                         .lanes = w->active,
                         .return_pc = w->pc + 1};
    for (uint32_t left = w->active; f->frame_bytes && left; left &= left - 1)
        memset(lane_local(w, first_lane(left)) + base, LOCAL_FILL, f->frame_bytes);
    copy_params(w, w->active, frame->base, f->params, caller->base, inst->call->args,
                least(f->n_params, inst->call->n_args));
    tell_frame(w, frame);
    warp_close_run(w, w->pc + 1);
    w->split->frame = frame;
    w->next_pc = w->run_start = 0;
    warp_stop(w, ACTION_FRAME);
    return true;
}

void frame_pop(ExecWarp *w)
{
    ExecFrame *frame = w->frame, *caller = frame->caller;
    const IrFunction *f = frame->function;
    const IrCall *call = frame->call;
    copy_params(w, w->active, caller->base, call->results, frame->base, f->results,
                least(call->n_results, f->n_results));
    warp_close_run(w, w->pc + 1);
    w->split->frame = caller;
    w->next_pc = w->run_start = frame->return_pc;
    warp_stop(w, ACTION_FRAME);
    frame->lanes &= ~w->active;
    if (frame->lanes)
        return;
    frame->next_free = w->block->free_frames;
    w->block->free_frames = frame;
}

void frame_leave(ExecBlock *b, ExecFrame *f, uint32_t lanes)
{
    while (f && f->call) {
        ExecFrame *caller = f->caller;
        f->lanes &= ~lanes;
        if (!f->lanes) {
            f->next_free = b->free_frames;
            b->free_frames = f;
        }
        f = caller;
    }
}
