/* check: the checkers of the virtual GPU: memory, race, init, sync, leak.
 *
 * A CheckSet belongs to one device. It observes exec through check_observer and the host's calls through the
 * functions below, and keeps one list of findings. What it returns it owns, until check_destroy.
 *
 * While a launch runs each worker notes what it sees in a state of its own; when the launch ends the states
 * are merged: the findings of the launch come in the order of (block, function, instruction, kind), and the
 * first block's occurrence is the one shown, so that findings do not depend on the number of workers
 * (programs without a race).
 *
 * Host functions must not be called while a launch of the same set runs; they may come from any thread, one
 * at a time.
 */
#ifndef COMMON_VGPU_CHECK_CHECK_H
#define COMMON_VGPU_CHECK_CHECK_H

#include "common/base/status.h"
#include "common/vgpu/check/finding.h"
#include "common/vgpu/exec/exec.h"
#include "common/vgpu/mem/mem.h"

typedef enum CheckTool {
    CHECK_MEMORY = 1 << 0,
    CHECK_RACE = 1 << 1,
    CHECK_INIT = 1 << 2,
    CHECK_SYNC = 1 << 3,
    CHECK_LEAK = 1 << 4,
    CHECK_NONE = 0,
    CHECK_ALL = (1 << 5) - 1,
} CheckTool;

/* Distinct findings that a set keeps; what comes after is counted only (check_dropped). */
enum { CHECK_FINDINGS_MAX = 1000 };

typedef struct CheckSet CheckSet;

typedef struct CheckOptions {
    unsigned tools;  /* CheckTool bits */
    uint64_t raised; /* by FindingKind: advice that counts as a finding here */
    unsigned jobs;   /* the most workers of a launch; 0 counts as 1 */
    unsigned device; /* index of the device */
    void *self;      /* passed to the callbacks, each of which may be NULL */
    /* The readable name of a kernel; the text need only live until the next call. NULL: names stay as they
     * are. */
    const char *(*demangle)(void *self, const char *mangled);
    /* The live or freed allocation of any device that is nearest to an address; *owner is the device's index.
     */
    const MemAlloc *(*locate)(void *self, uint64_t addr, unsigned *owner);
    /* A finding is new (called when its launch or host call ends), or, from check_finish, its count has grown
     * since. */
    void (*report)(void *self, const Finding *f);
    bool spread_lines; /* for tests: the race checker keeps no line as a whole; finds the same, and needs more
                          memory */
    bool spread_warps; /* for tests: it keeps no scattered access aside and looks at each reduction; finds
                          races at the same places, but for which of several it names as the other one */
    bool
        moves_clocks; /* for tests: the race checker looks at each step which clocks are in use; finds the same */
    bool every_race;   /* for tests: races of one pair of lines, and of one variable, are not put together */
} CheckOptions;

/* "all", "none", or a list such as "memory,race": STATUS_INVALID names the word that is not a tool. */
Status check_parse_tools(const char *text, unsigned *tools, Diag *diag);

/* A list of advice that counts as findings, such as "barrier-exited": STATUS_INVALID names the word that is none. */
Status check_parse_raised(const char *text, uint64_t *raised, Diag *diag);

Status check_create(const CheckOptions *options, CheckSet **out);
void check_destroy(CheckSet *set);

/* The observer to pass to exec_launch; lives as long as the set. NULL when no tool needs it. */
const ExecObserver *check_observer(const CheckSet *set);
/* Before exec_launch: the host place of the launch that comes next. */
void check_set_launch_site(CheckSet *set, uint64_t site);
/* A variable of one element that the next launch finds as an earlier one left it; NULL: none is known. */
void check_set_kept(CheckSet *set, const char *name);

/* A launch, to be told: params NULL where they are not known; mem, where its pointers lead. */
typedef struct CheckLaunchText {
    const IrFunction *function;
    const uint32_t *grid, *block; /* [3] */
    uint64_t dynamic_shared;
    const uint8_t *params;
    const Mem *mem;
} CheckLaunchText;
/* Appends "<<<(4,2), 256>>>(#1, #2, 1000)": the launch as its caller wrote it; #1 is allocation 1. (launch_text.c) */
void check_put_launch(StrBuf *out, const CheckLaunchText *launch);

/* The host was asked to free addr, where no live allocation starts. nearest: mem_find_nearest(addr), or NULL.
 */
void check_bad_free(CheckSet *set, uint64_t addr, const MemAlloc *nearest, uint64_t site);
/* The host wrote bytes of an allocation (copy to the device, memset). */
void check_host_write(CheckSet *set, MemAlloc *a, uint64_t addr, uint64_t bytes);
/* The host is about to copy bytes of an allocation away: advice when nobody wrote some of them. call:
 * "cudaMemcpy". */
void check_host_read(CheckSet *set, const MemAlloc *a, uint64_t addr, uint64_t bytes, const char *call,
                     uint64_t site);
/* Device to device copy: what was not initialised at the source is not at the target. Same length, both
 * ranges inside. */
void check_host_copy(CheckSet *set, MemAlloc *to, uint64_t to_addr, const MemAlloc *from, uint64_t from_addr,
                     uint64_t bytes);
/* A copy or fill that was asked for at site comes to memory that has been freed meanwhile: a, or NULL. */
void check_late_use(CheckSet *set, const MemAlloc *a, uint64_t addr, uint64_t bytes, const char *what,
                    uint64_t site);
/* At site it shows that host code has written at addr, behind the end of a. */
void check_host_overrun(CheckSet *set, const MemAlloc *a, uint64_t addr, uint64_t site);
/* Advice about a runtime call; message and hint are copied. alloc may be NULL. */
void check_advise(CheckSet *set, const MemAlloc *alloc, uint64_t address, uint64_t site, const char *message,
                  const char *hint);

/* One of two operations of different streams. */
typedef struct CheckStreamUse {
    const char *what;   /* "kernel", "copy"... */
    const char *access; /* "reads", "writes", "changes" (by atomics), "frees" */
    bool in_default;    /* in the default stream */
    bool waited_for_nothing; /* its stream waited for an event before anybody had recorded it */
    unsigned device;    /* whose stream it is */
    uint64_t site;
} CheckStreamUse;
/* Two operations use memory of a, one of them changes it, and nothing orders them. later was asked for after
 * earlier. */
void check_stream_race(CheckSet *set, const MemAlloc *a, uint64_t address, const CheckStreamUse *later,
                       const CheckStreamUse *earlier);

/* The host reads or writes a byte of a at host_site; a kernel launched before at launch_site, for which
 * nobody had waited, uses it too ("reads", "writes"). */
void check_host_race(CheckSet *set, const MemAlloc *a, uint64_t address, const char *host_access,
                     uint64_t host_site, const char *kernel_access, uint64_t launch_site);

/* At the program's end: a finding for each place whose allocations in m are still there. */
void check_leaks(CheckSet *set, const Mem *m);
/* A module that the host loaded at site is still there. */
void check_module_leak(CheckSet *set, uint64_t site);
/* A stream, event, graph, texture object... that the host made at site is still there: advice. what: "a stream". */
void check_handle_leak(CheckSet *set, uint64_t site, const char *what);
/* A call at site read past the end of an array of the host's. detail: "cudaMemcpy of 8 bytes from byte 4 of an array of 8 bytes". */
void check_host_overread(CheckSet *set, uint64_t site, const char *detail);
/* A copy at site names device memory as the host's, or the other way round: advice. CUDA Runtime API, cudaMemcpy. */
void check_copy_direction(CheckSet *set, uint64_t site);
/* After check_leaks, once: reports again each finding whose count has grown since its report. */
void check_finish(CheckSet *set);

/* Findings in order, i from 0; NULL at the end. */
const Finding *check_finding(const CheckSet *set, size_t i);
size_t check_n_findings(const CheckSet *set);
/* Findings beyond CHECK_FINDINGS_MAX. */
uint64_t check_dropped(const CheckSet *set);

#endif
