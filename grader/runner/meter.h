/* meter: what two commands that work as one have come to together.
 *
 * A program and its virtual GPU run in two sandboxes, and each runner sees its own. A meter is a page of
 * memory that both runners have, with a slot for each: the memory that its command uses now, how long others have
 * kept it waiting for a processor, and the processor time that it has used, which is none of the others'. Each
 * writes its slot at every tick and holds the sum against the limits, so that together they may use what one
 * alone may. The commands never have it: it is mapped by the runners alone.
 */
#ifndef GRADER_RUNNER_METER_H
#define GRADER_RUNNER_METER_H

#include <stdatomic.h>
#include <stdint.h>

enum { METER_SLOTS = 2 };

typedef struct MeterSlot {
    _Atomic int64_t memory_kib, waited_ms, used_ns;
} MeterSlot;

typedef struct Meter {
    MeterSlot slots[METER_SLOTS];
} Meter;

/* A new meter as a descriptor, which nobody can make shorter; -1 and errno when there is none to be had. */
int meter_create(void);
/* Maps a meter, and leaves the descriptor open; NULL when it is none. */
Meter *meter_map(int fd);
void meter_unmap(Meter *m);

#endif
