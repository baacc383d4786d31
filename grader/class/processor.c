/* A processor for each job; see processor.h. */
#include "grader/class/processor.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>

enum { NOBODY = 0 }; /* else a slot, plus 1 */

struct Processors {
    cpu_set_t allowed;
    _Atomic int owner[CPU_SETSIZE];
};

Processors *processors_share(void)
{
    cpu_set_t allowed; /* a machine with more than CPU_SETSIZE processors is an error here */
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) < 2)
        return NULL;
    Processors *p =
        mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0); /* all zero */
    if (p == MAP_FAILED)
        return NULL;
    p->allowed = allowed;
    return p;
}

void processors_end(Processors *p)
{
    if (p)
        munmap(p, sizeof *p);
}

static bool take_one(Processors *p, int cpu, int slot)
{
    int nobody = NOBODY;
    if (cpu < 0 || cpu >= CPU_SETSIZE || !CPU_ISSET(cpu, &p->allowed) ||
        !atomic_compare_exchange_strong(&p->owner[cpu], &nobody, slot + 1))
        return false;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one); /* a failure costs time only */
    return true;
}

void processors_take(Processors *p, int slot)
{
    if (!p || take_one(p, sched_getcpu(), slot))
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (take_one(p, cpu, slot))
            return;
}

void processors_give_back(Processors *p, int slot)
{
    for (int cpu = 0; p && cpu < CPU_SETSIZE; cpu++) {
        int owner = slot + 1;
        atomic_compare_exchange_strong(&p->owner[cpu], &owner, NOBODY);
    }
}
