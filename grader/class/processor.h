/* processor: a job, and all that it starts, keeps to one processor.
 *
 * What grades a case are five processes that wait for one another: the grader, two runners, the program, its
 * virtual GPU. Hardly ever do two of them compute at once; but a message that wakes somebody on another
 * processor costs an interrupt there, mostly out of its sleep, and caches that know nothing of the message.
 * On one processor it costs a switch.
 *
 *      job -> the processor on which the scheduler has put it, when no other job of this table has it;
 *             else the first that nobody has; else all, as before
 *
 * The table lies in memory that the caller and its jobs share. Nobody else is asked: what runs beside moves
 * away by itself, as it may run anywhere.
 */
#ifndef GRADER_CLASS_PROCESSOR_H
#define GRADER_CLASS_PROCESSOR_H

typedef struct Processors Processors;

/* NULL where there is one processor only, or no telling which there are: nobody need keep to one. */
Processors *processors_share(void);
void processors_end(Processors *p);
/* In the process of a job, before it starts anybody. `slot` is its alone. */
void processors_take(Processors *p, int slot);
/* In the caller, when the job of the slot has ended. */
void processors_give_back(Processors *p, int slot);

#endif
