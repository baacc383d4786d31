/* policy: what a course makes of time and attempts: a YAML file, checked like lab.yaml.
 *
 *     schema: 1
 *     attempts: best
 *     due:
 *       02-vector-add: 2026-10-12T23:59:00+02:00
 *     late: {grace_minutes: 10, every_hours: 24, deduct: 10, at_most: 50}
 */
#ifndef GRADER_CORE_POLICY_H
#define GRADER_CORE_POLICY_H

#include "common/base/arena.h"
#include "common/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { POLICY_BYTES_MAX = 256 << 10 };

typedef struct PolicyLate {
    double grace_minutes, every_hours, deduct, at_most, closed_after_hours;
} PolicyLate;

typedef struct PolicyDue {
    const char *lab;
    int64_t at; /* seconds since 1970, UTC */
} PolicyDue;

typedef struct Policy {
    double schema;
    bool best; /* the best attempt counts, not the last */
    PolicyDue *due;
    size_t n_due;
    bool has_late;
    PolicyLate late;
} Policy;

/* Reads the text of a policy file into p, whose texts are the arena's; file is for messages. An empty text is
 * no policy: the last attempt counts, and nothing is late. */
Status policy_read(Arena *a, const char *file, const char *text, size_t length, Policy *p, Diag *d);
/* When a lab is due; NULL when the policy does not say. */
const PolicyDue *policy_due(const Policy *p, const char *lab);

#endif
