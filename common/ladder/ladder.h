/* ladder: versions of one computation, from naive to best, timed side by side.
 *
 * A lab about speed has solutions/NN-name/ladder.cu: a program that makes a problem, lists the versions
 * (rungs), and gives both to ladder_run. The same program runs on the virtual GPU, where times are modelled,
 * and on a real one, so that the order of the rungs can be compared; `make ladders` and `make test-gpu` run
 * them all.
 *
 * A rung's time is the median over the repeats, each between two events of the default stream, after one run
 * that is not timed. A slow rung has fewer: none after the third once they took 0.3 s. Before each repeat the
 * outputs are poisoned and, where asked, the L2 cache is flushed by writing a buffer twice its size. After
 * the last repeat the result is checked: a wrong rung has no time.
 *
 * Scripts read three sizes in the source: DEFAULT_SIZE, LARGE_SIZE (too large for any cache) and TEST_SIZE
 * (odd and small).
 *
 * Output, a line a rung, fields separated by tabs:
 *   ladder LAB NAME RUNG MEDIAN_MS MIN_MS MAX_MS BYTES FLOPS right|wrong GAIN HOST_MS version|mark CEILING
 * HOST_MS is the host's clock around the last repeat: on the virtual GPU what the run took, where the times
 * are modelled. A mark is no version: it shows what the card does at best, beside which the versions stand.
 */
#ifndef COMMON_LADDER_LADDER_H
#define COMMON_LADDER_LADDER_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct LadderOptions {
    size_t size; /* --size=N: elements, or the length of a side, as each ladder says; 0: its own default */
    int repeats; /* --repeats=N: timed runs of each rung, at most; 1 */
    int flush;   /* --flush: empty the L2 cache before each */
    int cpu;     /* --cpu: plain C on one core of the host first, as a rung "cpu" */
} LadderOptions;

typedef struct LadderRung {
    const char *name;
    const char *gain;          /* one line: what it gains over the rung before */
    int (*run)(void *problem); /* all launches of the version; 0 or the code of a CUDA error */
    double bytes, flops;       /* of this version, where it needs others than the ladder says; 0 */
    int is_mark;
} LadderRung;

/* The same in plain C on the host, for --cpu. What it has worked out is copied to the device's output and
 * checked there. */
typedef struct LadderCpu {
    void (*run)(void *problem); /* NULL: there is none */
    void *out, *device_out;
    size_t bytes;
} LadderCpu;

typedef struct Ladder {
    const char *lab, *name;
    const LadderRung *rungs;
    int n_rungs;
    double bytes, flops;         /* what any version must move between DRAM and chip, and work out */
    int (*reset)(void *problem); /* poisons the outputs; 0 or the code of a CUDA error */
    int (*check)(void *problem); /* 1 when the outputs are right, 0 when not */
    void *problem;
    LadderCpu cpu;
    const char *ceiling; /* what the versions are compared with: a name of grader/gpu/ceilings.cu, or "mark";
                            NULL: copy_memcpy */
} Ladder;

/* Reads the options; says what is wrong with them and ends the program with status 2. */
LadderOptions ladder_options(int argc, char **argv);

/* Times all rungs and prints them. 0 when all are right, 1 when one is not; a CUDA error is printed, and the
 * program ends with status 1. */
int ladder_run(const LadderOptions *options, const Ladder *ladder);

/* Numbers for inputs: small whole numbers that depend on the position, -8 to 7, so that float sums of up to a
 * million of them are exact. */
void ladder_fill(float *to, size_t n);

#ifdef __cplusplus
}
#endif

#endif
