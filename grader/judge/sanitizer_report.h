/* sanitizer_report: what the tools of compute-sanitizer print about a case's program, as findings.
 *
 * On a GPU nothing watches a kernel, so that a case is run again under each tool (grader/submission/sanitize.h), and
 * its text becomes a report of the same form as the virtual GPU's: what judges and explains findings does not
 * know where they come from. A tool prints
 *
 *     ========= Invalid __global__ write of size 4 bytes
 *     =========     at add(const float *, float *, int)+0x80 in vector_add.cu:12
 *     =========     by thread (96,0,0) in block (3,0,0)
 *     =========     Access to 0x7f00000003e8 is out of bounds
 *     =========     and is 1 bytes after the nearest allocation at 0x7f0000000000 of size 1,000 bytes
 *     =========     Saved host backtrace up to driver entry point at kernel launch time
 *     =========         Host Frame: vector_add in vector_add.cu:40 [0x8a81] in program
 *
 * and a summary, in words that differ by tool. Reports of one kind, kernel and line are one finding with a
 * count. The text is as hostile as the program: names in it are the student's, and nothing keeps a program
 * from printing such lines itself, or from ending the tool. So it is cleaned first, read line by line, and
 * every list has an end.
 */
#ifndef GRADER_JUDGE_SANITIZER_REPORT_H
#define GRADER_JUDGE_SANITIZER_REPORT_H

#include "grader/judge/vgpu_report.h"

enum { SANITIZER_TEXT_MAX = 1 << 20 }; /* bytes of a tool's text; what stands behind is not read */

typedef enum SanitizerTool {
#define X(name, ...) SANITIZER_##name,
#include "grader/judge/sanitizer_tools.def"
#undef X
    SANITIZER_N_TOOLS
} SanitizerTool;

/* A row of sanitizer_tools.def. */
typedef struct SanitizerToolInfo {
    const char *word, *option, *value;
} SanitizerToolInfo;
const SanitizerToolInfo *sanitizer_tool(SanitizerTool tool);

/* A report without a finding; NULL without memory. vgpu_report_free gives it back. */
VgpuReport *sanitizer_report_create(void);

/* Adds what a tool printed to the report: findings, and CUDA calls that returned an error. False when the
 * tool did not come to its summary; *why is then its own sentence about that, or "" (owned by the report). */
bool sanitizer_report_add(VgpuReport *r, SanitizerTool tool, const char *bytes, size_t length,
                          const char **why);

/* Adds the advice that a tool gave no result, and why. It costs nothing. */
void sanitizer_report_add_failure(VgpuReport *r, SanitizerTool tool, const char *why);

#endif
