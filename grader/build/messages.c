/* Messages of compilers, as students read them: without clang's count of errors for each target, and with a sentence for
 * slips whose message does not name the cure (compiler_slips.def). See build.h. */
#include "grader/build/build.h"

#include "common/base/hints.h"

#include <ctype.h>
#include <string.h>

static const struct {
    const char *words, *sentence;
} slips[] = {
#define X(words, sentence) {words, sentence},
#include "grader/build/compiler_slips.def"
#undef X
};

enum { N_SLIPS = sizeof slips / sizeof *slips };

/* "2 errors generated when compiling for sm_75." */
static bool counts_errors(const char *line, size_t length)
{
    static const char *const words[] = {" error generated when compiling for ",
                                        " errors generated when compiling for "};
    size_t digits = 0;
    while (digits < length && isdigit((unsigned char)line[digits]))
        digits++;
    for (size_t i = 0; digits > 0 && i < 2; i++)
        if (length > digits + strlen(words[i]) && strncmp(line + digits, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}

/* The words stand in a message itself, and not in a line of the source that it quotes. */
static bool says(const char *line, size_t length, const char *words)
{
    const char *at = strstr(line, words), *error = strstr(line, "error: "), *note = strstr(line, "note: ");
    const char *kind = error && (!note || error < note) ? error : note;
    return at && kind && kind < at && at < line + length;
}

void messages_of_compiler(const char *text, StrBuf *out)
{
    bool said[N_SLIPS] = {false};
    for (size_t length; *text; text += length) {
        length = strcspn(text, "\n");
        length += text[length] == '\n';
        for (size_t i = 0; i < N_SLIPS; i++)
            said[i] = said[i] || says(text, length, slips[i].words);
        if (!counts_errors(text, length))
            strbuf_append(out, text, length);
    }
    for (size_t i = 0; i < N_SLIPS && hints_wanted(); i++)
        if (said[i])
            strbuf_printf(out, "hint: %s\n", slips[i].sentence);
}
