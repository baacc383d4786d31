/* done: the mark beside a result that says that it is whole, and for which plan key it was made.
 *
 *     OUT/results/<student>/<lab>/result.json  timing.json  key
 *
 * `key` holds the key and the hash of result.json, so that no order of writing, no kill and no later edit can
 * make a result count for what it was not made from.
 */
#ifndef GRADER_CLASS_DONE_H
#define GRADER_CLASS_DONE_H

#include "common/base/status.h"

#include <stdbool.h>

/* Marks DIR/result.json as the result for a key. */
Status done_mark(const char *dir, const char *key, Diag *d);
/* Whether DIR holds a result that is marked with the key and unchanged since. */
bool done_check(const char *dir, const char *key);
/* Removes what a killed grader left half written below DIR; nobody else may be at work there. */
void done_sweep(const char *dir);

#endif
