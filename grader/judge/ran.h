/* ran: which kernels a program launched, as it wrote them: what a wrong result came of.
 *
 *     launched: add_kernel<<<4, 256>>>(#1, #2, #3, 1000)
 *     launched: reduce_kernel<<<1, 256>>>(#4, #5, 4), the last of 3
 */
#ifndef GRADER_JUDGE_RAN_H
#define GRADER_JUDGE_RAN_H

#include "common/base/language.h"
#include "common/base/strbuf.h"
#include "grader/judge/vgpu_report.h"

/* Appends a line for each of the first kernels, each after a newline. */
void ran_tell(StrBuf *out, const VgpuReport *report, Language language);

/* Why elements that nobody wrote may have stayed so, as far as the launches and copies tell; NULL: they do not. */
const char *ran_never_written(const VgpuReport *report, Language language);

/* That kernels have stored what is all 0, if they have; NULL. */
const char *ran_zeros(const VgpuReport *report, Language language);
/* Appends which launch had `first` threads, where an output of more elements is missing from there on; false: none had. */
bool ran_tail(StrBuf *out, const VgpuReport *report, double first, double elements, Language language);
/* Appends what of the launches there is as often as a result is too large; false: nothing. */
bool ran_factor(StrBuf *out, const VgpuReport *report, double factor, Language language);

#endif
