/* A launch without exec: synthetic events through the observer, as exec would send them.
 *
 * The module has one kernel, "k", whose instruction i is at k.cu, line 100 + i, column 5.
 */
#ifndef COMMON_VGPU_CHECK_TEST_RIG_H
#define COMMON_VGPU_CHECK_TEST_RIG_H

#include "common/vgpu/check/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { RIG_INSTS = 64, RIG_SHARED = 48 * 1024 };

typedef struct Rig {
    CheckSet *set;
    Mem *mem;
    const ExecObserver *o;
    IrInst insts[RIG_INSTS];
    IrLoc locs[RIG_INSTS];
    const char *files[2];
    IrFunction function;
    IrModule module;
    IrInstance instance;
    ExecLaunch launch;
    ExecWho who;
    uint8_t shared[RIG_SHARED];
} Rig;

static inline Rig *rig_new_with(CheckOptions options)
{
    Rig *r = calloc(1, sizeof *r);
    assert_non_null(r);
    assert_int_equal(check_create(&options, &r->set), STATUS_OK);
    assert_int_equal(mem_create(0, 64 << 20, 1, &r->mem), STATUS_OK);
    r->o = check_observer(r->set);
    for (uint32_t i = 0; i < RIG_INSTS; i++) {
        r->insts[i].loc = i;
        r->locs[i] = (IrLoc){.file = 1, .line = 100 + i, .column = 5, .parent = -1};
    }
    r->files[0] = "";
    r->files[1] = "k.cu";
    r->function = (IrFunction){.name = "k",
                               .is_entry = true,
                               .insts = r->insts,
                               .n_insts = RIG_INSTS,
                               .locs = r->locs,
                               .n_locs = RIG_INSTS};
    r->module = (IrModule){.functions = &r->function, .n_functions = 1, .files = r->files, .n_files = 2};
    r->instance.module = &r->module;
    return r;
}

static inline Rig *rig_new(unsigned tools, unsigned jobs)
{
    return rig_new_with((CheckOptions){.tools = tools, .jobs = jobs, .moves_clocks = true});
}

static inline void rig_free(Rig *r)
{
    check_destroy(r->set);
    mem_destroy(r->mem);
    free(r);
}

static inline void rig_begin(Rig *r, uint32_t blocks, uint32_t threads)
{
    r->launch = (ExecLaunch){
        .instance = &r->instance, .grid = {blocks, 1, 1}, .block = {threads, 1, 1}, .mem = r->mem};
    r->who = (ExecWho){.block_dim = {threads, 1, 1}, .function = &r->function};
    r->o->launch_begin(r->o->self, &r->launch);
}

static inline void rig_end(Rig *r)
{
    r->o->launch_end(r->o->self, &r->launch);
}

static inline void rig_at(Rig *r, uint32_t block, uint32_t worker)
{
    r->who.block[0] = r->who.block_linear = r->who.slot = block;
    r->who.worker = worker;
}

static inline void rig_block(Rig *r, uint32_t block, uint32_t worker)
{
    rig_at(r, block, worker);
    r->o->block_begin(r->o->self, &r->who, RIG_SHARED);
}

static inline void rig_block_end(Rig *r)
{
    r->o->block_end(r->o->self, &r->who);
}

typedef struct RigAccess {
    uint8_t kind, space, sem, scope;
    uint32_t inst, warp, mask, bytes;
    uint64_t base;        /* address of lane 0 */
    int64_t stride;       /* bytes from lane to lane */
    MemAlloc *alloc;      /* global */
    uint32_t value, step; /* lane i stores value + i * step */
} RigAccess;

static inline void rig_access_at(Rig *r, const RigAccess *x, const uint64_t addr[32], uint8_t pattern)
{
    uint32_t values[32];
    uint8_t *host[32];
    const uint8_t *value[4] = {(const uint8_t *)values, (const uint8_t *)values, (const uint8_t *)values,
                               (const uint8_t *)values};
    for (uint32_t lane = 0; lane < 32; lane++) {
        values[lane] = x->value + lane * x->step;
        host[lane] =
            x->alloc ? x->alloc->host + (addr[lane] - x->alloc->addr) : r->shared + addr[lane] % RIG_SHARED;
    }
    r->who.inst = &r->insts[x->inst];
    r->who.warp = x->warp;
    r->who.first_thread = x->warp * 32;
    ExecAccess a = {
        .kind = x->kind,
        .space = x->space,
        .pattern = pattern,
        .sem = x->sem,
        .scope = x->scope,
        .bytes = x->bytes,
        .mask = x->mask,
        .addr = addr,
        .alloc = x->alloc,
        .host = pattern == PATTERN_OTHER ? host : NULL,
        .host0 = host[__builtin_ctz(x->mask)],
        .value = value,
        .n_values = (uint8_t)(x->bytes < 4 ? 1 : x->bytes / 4),
        .value_stride = 4,
    };
    r->o->access(r->o->self, &r->who, &a);
    for (uint32_t lane = 0; x->kind == ACCESS_STORE && lane < 32; lane++)
        for (uint32_t k = 0; (x->mask >> lane & 1) && k < x->bytes; k += 4)
            memcpy(host[lane] + k, &values[lane], x->bytes < 4 ? x->bytes : 4);
}

static inline void rig_access(Rig *r, RigAccess x)
{
    uint64_t addr[32];
    x.mask = x.mask ? x.mask : 0xFFFFFFFFu;
    x.bytes = x.bytes ? x.bytes : 4;
    for (int64_t lane = 0; lane < 32; lane++)
        addr[lane] = x.base + (uint64_t)(lane * x.stride);
    uint8_t pattern = x.stride == (int64_t)x.bytes ? PATTERN_UNIT_STRIDE
                      : x.stride == 0              ? PATTERN_UNIFORM
                                                   : PATTERN_OTHER;
    rig_access_at(r, &x, addr, pattern);
}

/* Lanes of warp 0 call the module's function, whose frame begins at `base`. */
static inline void rig_call(Rig *r, uint32_t mask, uint32_t base)
{
    r->who.inst = NULL;
    r->who.warp = 0;
    r->who.first_thread = 0;
    r->o->frame(r->o->self, &r->who, mask, base);
}

static inline void rig_who(Rig *r, uint32_t inst, uint32_t warp)
{
    r->who.inst = &r->insts[inst];
    r->who.warp = warp;
    r->who.first_thread = warp * 32;
}

static inline void rig_barrier(Rig *r)
{
    rig_who(r, RIG_INSTS - 1, 0);
    r->o->barrier(r->o->self, &r->who, 0);
}

/* A barrier that the warps of `arrived` (a bit each) come to, whole, and at which those of `waited` wait. */
static inline void rig_barrier_part(Rig *r, uint32_t arrived, uint32_t waited)
{
    uint32_t came[4], stayed[4];
    for (uint32_t w = 0; w < 4; w++) {
        came[w] = arrived >> w & 1 ? 0xFFFFFFFFu : 0;
        stayed[w] = waited >> w & 1 ? 0xFFFFFFFFu : 0;
    }
    rig_who(r, RIG_INSTS - 4, 0);
    r->o->barrier_part(r->o->self, &r->who, came, stayed, 4);
}

static inline void rig_syncwarp(Rig *r, uint32_t warp, uint32_t mask)
{
    rig_who(r, RIG_INSTS - 2, warp);
    r->o->warp_sync(r->o->self, &r->who, mask);
}

static inline void rig_fence(Rig *r, uint32_t warp, uint32_t mask, IrScope scope)
{
    rig_who(r, RIG_INSTS - 3, warp);
    r->o->fence(r->o->self, &r->who, mask, SEM_SC, scope);
}

static inline void rig_fault(Rig *r, uint32_t inst, uint32_t warp, ExecFault f)
{
    rig_who(r, inst, warp);
    r->o->fault(r->o->self, &r->who, &f);
}

/* How many findings of a kind there are. */
static inline size_t rig_count(const Rig *r, FindingKind kind)
{
    size_t n = 0;
    for (size_t i = 0; check_finding(r->set, i); i++)
        n += finding_kind(check_finding(r->set, i)) == kind;
    return n;
}

static inline const Finding *rig_only(const Rig *r, FindingKind kind)
{
    assert_int_equal(check_n_findings(r->set), 1);
    assert_string_equal(check_finding(r->set, 0)->kind, finding_kind_text(kind));
    return check_finding(r->set, 0);
}

static inline void rig_none(const Rig *r)
{
    for (size_t i = 0; check_finding(r->set, i); i++) {
        StrBuf text = {0};
        finding_text(check_finding(r->set, i), NULL, &text);
        print_message("unexpected: %s", text.text);
        strbuf_free(&text);
    }
    assert_int_equal(check_n_findings(r->set), 0);
}

#define LOAD(...)                                                                                            \
    (RigAccess)                                                                                              \
    {                                                                                                        \
        .kind = ACCESS_LOAD, __VA_ARGS__                                                                     \
    }
#define STORE(...)                                                                                           \
    (RigAccess)                                                                                              \
    {                                                                                                        \
        .kind = ACCESS_STORE, .step = 1, __VA_ARGS__                                                         \
    }
#define ATOMIC(...)                                                                                          \
    (RigAccess)                                                                                              \
    {                                                                                                        \
        .kind = ACCESS_ATOMIC, .sem = SEM_RELAXED, .scope = SCOPE_GPU, __VA_ARGS__                                               \
    }

#endif
