/* sanitize: a case's program under the tools of compute-sanitizer, on a GPU.
 *
 * Nothing watches a kernel there, so that after a case has been run and its outputs are safe the program is
 * run again, once under each tool (tool.h), and what the tools report become findings.
 *
 * A program can end a tool, or print what it would. So findings of tools can take points, and a tool without
 * a result costs nothing; the result itself was judged before.
 */
#ifndef GRADER_SUBMISSION_SANITIZE_H
#define GRADER_SUBMISSION_SANITIZE_H

#include "grader/judge/vgpu_report.h"
#include "grader/submission/case_run.h"

/* The scope by its word ("all", "public", "first"); false when there is none of that name. */
bool sanitize_scope_from_word(const char *word, SanitizeScope *scope);
const char *sanitize_scope_word(SanitizeScope scope);

/* Looks for compute-sanitizer in the toolkit and on the PATH, and fills program and folder.
 * STATUS_NOT_FOUND, with how to get it as the hint. */
Status sanitize_find(Arena *a, const Kit *kit, Tool *tool, Diag *d);

/* Whether the run wants this case under the tools. */
bool sanitize_wants(const GradeRun *run, const Lab *lab, const LabCase *c);

/* Runs the case's program under each tool. *report holds what they found, advice about a tool without a
 * result too; the caller's to free. Not OK only without memory. */
Status sanitize_case(Arena *a, const CaseInput *in, VgpuReport **report, Diag *d);

#endif
