/* Hostile commands for the test of the sandbox, which starts itself in one: `test_sandbox --as NAME`. Each ends with
 * status 0 when nothing stopped it. */
#ifndef GRADER_SANDBOX_TEST_HOSTILE_H
#define GRADER_SANDBOX_TEST_HOSTILE_H

/* Runs the command of that name; 99 when there is none. */
int hostile_run(const char *name);

#endif
