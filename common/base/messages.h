/* messages: what a compiler says, as students read it.
 *
 *   first_kernel.cu(22): error: identifier "threadidx" is undefined
 *         int i = threadidx.x;
 *                 ^
 *   hint: threadidx is not known here: is threadIdx meant?
 */
#ifndef COMMON_BASE_MESSAGES_H
#define COMMON_BASE_MESSAGES_H

#include "common/base/language.h"

/* Appends the text of nvcc or clang without what says nothing to a student: a message that was there already (code is compiled for
 * the host and for the device), notes about other files than the student's, counts of errors and how to silence a warning. CUDA's words
 * stand as they were written. At the end stand sentences for slips whose message does not name the cure (compiler_slips.def), and the
 * names that may be meant (compiler_names.def); not in an examination. */
void messages_of_compiler(Language language, const char *text, StrBuf *out);

/* Appends what of such a log has room in so many rows: its first messages, whole ones, and all the sentences. */
void messages_on_screen(Language language, const char *log, int rows, int columns, StrBuf *out);

#endif
