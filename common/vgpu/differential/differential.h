/* differential: random kernels in PTX whose results the virtual GPU and a card must agree on.
 *
 * A seed and a family give one kernel of up to SLOTS_MAX results ("slots"), each stored by every thread as 64
 * bits; the same seed gives the same PTX and the same inputs on every machine. The program knows the driver
 * API by dlopen alone, so that the same binary runs on the virtual GPU and on a card.
 *
 *   memory of a launch   in:  [slot of input][thread] 64 bits      out: [slot][thread] 64 bits
 *                        own: [thread] REGION_BYTES, then the CELLS that all threads share
 */
#ifndef COMMON_VGPU_DIFFERENTIAL_DIFFERENTIAL_H
#define COMMON_VGPU_DIFFERENTIAL_DIFFERENTIAL_H

#include "common/base/rng.h"
#include "common/base/status.h"
#include "common/base/strbuf.h"

#include <stdint.h>

enum {
    BLOCKS = 2,
    BLOCK_THREADS = 64,
    THREADS = BLOCKS * BLOCK_THREADS,
    SLOTS_MAX = 48,
    SLOT_TEXT = 96,
    N_INPUTS = 4, /* registers of a class that begin with inputs */
    REGION_BYTES = 64,
    CELLS = 16,
    OWN_BYTES = THREADS * REGION_BYTES + CELLS * 8,
    LAST_REGISTER = 1023,
};

/* ORDER CLASS: letters of class_letter */
typedef enum Class {
    CLASS_R,
    CLASS_D,
    CLASS_H,
    CLASS_F,
    CLASS_E,
    CLASS_G,
    CLASS_X,
    CLASS_P,
    N_CLASSES
} Class;

typedef enum Family {
#define X(name, text, target, maker) FAMILY_##name,
#include "common/vgpu/differential/families.def"
#undef X
    N_FAMILIES
} Family;

typedef struct Slot {
    char text[SLOT_TEXT];
    Class class;               /* of its result */
    double relative, absolute; /* bounds; both 0: bit for bit */
    bool any_nan;              /* every NaN is as good as another */
} Slot;

typedef struct Kernel {
    Family family;
    uint64_t seed;
    StrBuf ptx; /* the module when kernel_make is done */
    int n_slots;
    Slot slots[SLOTS_MAX];
    /* while it is made */
    Rng rng;
    int n_used[N_CLASSES];
    int n_labels, n_bytes;
} Kernel;

const char *family_name(Family f);
int family_target(Family f);
Family family_find(const char *name); /* N_FAMILIES when there is none */

/* The kernel of a family and a seed. The caller owns it: generated_free. */
Status kernel_make(Kernel *k, Family family, uint64_t seed, Diag *diag);
void generated_free(Kernel *k);

/* What shapes.c builds with. */
void kernel_line(Kernel *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kernel_store(Kernel *k, Class class, int reg, const char *text);
uint32_t kernel_below(Kernel *k, uint32_t bound);
char class_letter(Class class);
void make_forms(Kernel *k);
void make_carry(Kernel *k);
void make_memory(Kernel *k);
void make_atomic(Kernel *k);
void make_branch(Kernel *k);
void make_barrier(Kernel *k);

/* Inputs of a kernel: words of all classes, and the threads' own memory. */
void inputs_make(uint64_t seed, Family family, uint64_t in[N_CLASSES * N_INPUTS][THREADS],
                 uint64_t own[OWN_BYTES / 8]);

/* What a run gave. */
typedef struct Answer {
    uint64_t out[SLOTS_MAX][THREADS];
    uint64_t own[OWN_BYTES / 8];
} Answer;

typedef struct Card Card;
/* Opens libcuda.so.1 and device 0. */
Status card_open(Card **card, Diag *diag);
void card_close(Card *card);
const char *card_name(const Card *card);
int card_capability(const Card *card); /* 75, 90... */
Status card_run(Card *card, const Kernel *k, Answer *answer, Diag *diag);

/* Makes all NaNs one where the ISA leaves their bits open. */
void answer_fold_nans(const Kernel *k, Answer *answer);
uint32_t answer_hash(const uint64_t *words, int n);
/* Tells where two files of answers differ. The number of kernels that differ, or -1 with diag. */
int compare_files(const char *wanted, const char *got, int limit, StrBuf *text, Diag *diag);

#endif
