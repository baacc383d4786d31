/* What the files that read lab.yaml share. */
#ifndef GRADER_CORE_LAB_INTERNAL_H
#define GRADER_CORE_LAB_INTERNAL_H

#include "grader/core/lab.h"
#include "grader/core/lab_schema.h"

/* Letters, digits and underscores, no digit first. */
bool lab_is_identifier(const char *text);
/* Something that can be a field of the judge's line protocol: no control characters. */
bool lab_is_plain_value(const char *text);
/* "a, b, c": the keys of a scope. */
const char *lab_keys_of(Arena *a, SchemaScope scope);

/* What must hold between the keys of lab.yaml; sets lab->stem. */
Status lab_check_lab(Lab *lab, const char *path, Diag *d);
/* Sets min_ops and host_finish of the cases from the lab's `work`. */
Status lab_set_work(Lab *lab, size_t n_public, const char *path, const char *hidden_path, Diag *d);
/* The same of one case, whose file is `path`. */
Status lab_set_case_work(const Lab *lab, LabCase *c, const char *path, Diag *d);
/* What must hold of a case's `vary` and `runs`. */
Status lab_check_vary(const Lab *lab, const LabCase *c, const char *path, Diag *d);
/* The text of a case's parameter (FormulaFind). */
const char *lab_find_param(const void *lab_case, const char *name);
/* What must hold of the lab's `shapes` and its public cases. */
Status lab_check_shapes(const Lab *lab, const char *path, Diag *d);
/* What must hold of all cases, the first n_public of which come from lab.yaml. */
Status lab_check_cases(const Lab *lab, size_t n_public, const char *path, const char *hidden_path, Diag *d);

#endif
