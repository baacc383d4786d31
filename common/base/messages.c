/* See messages.h. */
#include "common/base/messages.h"

#include "common/base/hints.h"
#include "common/base/nearest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *words, *sentence;
} slips[] = {
#define X(words, sentence) {words, sentence},
#include "common/base/compiler_slips.def"
#undef X
};

static const char *const names[] = {
#define X(name) #name,
#include "common/base/compiler_names.def"
#undef X
};

/* Only so many messages are looked for again behind them: a submission can bring thousands. */
enum {
    N_SLIPS = sizeof slips / sizeof *slips,
    N_NAMES = sizeof names / sizeof *names,
    UNKNOWN_MAX = 3,
    KEPT_MAX = 200
};

/* What has been found in the messages. */
typedef struct Found {
    bool slips[N_SLIPS];
    char unknown[UNKNOWN_MAX][NEAREST_NAME_MAX];
    int n_unknown;
    struct {
        const char *text;
        size_t length;
    } kept[KEPT_MAX];
    int n_kept;
} Found;

static size_t line_length(const char *line)
{
    size_t length = strcspn(line, "\n");
    return length + (line[length] == '\n');
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static bool is_blank(const char *line)
{
    return line[strspn(line, " \t")] == '\n' || !line[strspn(line, " \t")];
}

/* "error: ..." of a line that begins a message, behind the place ("a.cu:1:2: ", "a.cu(1): "); NULL of any other. */
static const char *kind_of(const char *line)
{
    const char *kind = isspace((unsigned char)*line) ? NULL : memmem(line, line_length(line), ": ", 2);
    if (!kind)
        return NULL;
    kind += 2;
    return begins(kind, "error") || begins(kind, "fatal error") || begins(kind, "warning") ||
                   begins(kind, "note")
               ? kind
               : NULL;
}

/* A line of marks below source: blanks, ^ and ~. */
static bool is_caret(const char *line)
{
    size_t blanks = strspn(line, " "), length = strcspn(line, "\n");
    return blanks < length && strspn(line + blanks, "^~ ") == length - blanks;
}

static bool line_has(const char *line, size_t length, const char *words)
{
    return memmem(line, length, words, strlen(words)) != NULL;
}

/* "2 errors generated when compiling for sm_75.", "1 error detected in the compilation of "a.cu".", "Remark: The warnings can be ..." */
static bool says_nothing(const char *line)
{
    static const char *const counts[] = {" generated when compiling for ",
                                         " detected in the compilation of "};
    size_t length = line_length(line), digits = strspn(line, "0123456789");
    if (begins(line, "Remark: The warnings can be suppressed"))
        return true;
    for (size_t i = 0; digits > 0 && i < 2; i++) {
        const char *word = line + digits;
        bool counted = begins(word, " error") || begins(word, " warning");
        if (counted && line_has(line, length, counts[i]))
            return true;
    }
    return false;
}

/* A message with the source that it quotes, and the blank lines behind it; or a line that is none. Source begins with a blank, or has marks below it. */
static size_t message_length(const char *text)
{
    const char *at = text + line_length(text);
    if (!kind_of(text))
        return (size_t)(at - text);
    while (*at && !is_blank(at) && (*at == ' ' || *at == '\t' || is_caret(at + line_length(at))))
        at += line_length(at);
    while (*at && is_blank(at))
        at += line_length(at);
    return (size_t)(at - text);
}

static bool was_said(Found *f, const char *message, size_t length)
{
    for (int i = 0; i < f->n_kept; i++)
        if (f->kept[i].length == length && memcmp(f->kept[i].text, message, length) == 0)
            return true;
    if (f->n_kept < KEPT_MAX) {
        f->kept[f->n_kept].text = message;
        f->kept[f->n_kept++].length = length;
    }
    return false;
}

/* A name that the compiler does not know: nvcc's `identifier "x" is undefined`, unless it is one of the host in device code, and clang's
 * `use of undeclared identifier 'x'`. */
static void find_unknown(Found *f, const char *kind, size_t length)
{
    static const struct {
        const char *before, *behind;
    } words[] = {{"error: identifier \"", "\" is undefined\n"},
                 {"error: use of undeclared identifier '", "'"}};
    for (size_t i = 0; i < 2; i++) {
        const char *name = begins(kind, words[i].before) ? kind + strlen(words[i].before) : "";
        size_t n = strcspn(name, "\"'");
        if (n == 0 || n >= NEAREST_NAME_MAX || n > length || !begins(name + n, words[i].behind))
            continue;
        char word[NEAREST_NAME_MAX] = "", quoted[NEAREST_NAME_MAX + 2];
        memcpy(word, name, n);
        const char *meant = nearest_name(word, names, N_NAMES);
        snprintf(quoted, sizeof quoted, "'%s'", meant ? meant : "");
        bool told = !meant || line_has(kind, length, quoted);
        for (int k = 0; k < f->n_unknown; k++)
            told = told || strcmp(f->unknown[k], word) == 0;
        if (!told && f->n_unknown < UNKNOWN_MAX)
            memcpy(f->unknown[f->n_unknown++], word, n + 1);
    }
}

/* The words stand in a message itself, and not in a line of the source that it quotes. */
static void find_slips(Found *f, const char *line)
{
    const char *kind = kind_of(line);
    size_t length = kind ? (size_t)(line + line_length(line) - kind) : 0;
    if (!kind)
        return;
    for (size_t i = 0; i < N_SLIPS; i++)
        f->slips[i] = f->slips[i] || line_has(kind, length, slips[i].words);
    find_unknown(f, kind, length);
}

/* nvcc quotes what a macro has made of CUDA's words: __attribute__((shared)) becomes __shared__. Returns by how many columns what follows has moved. */
static size_t put_source(StrBuf *out, const char *line, size_t length)
{
    static const char *const words[] = {"shared", "global", "device", "host", "constant", "managed"};
    static const char opening[] = "__attribute__((";
    size_t moved = 0;
    for (const char *at = line; at < line + length;) {
        const char *word = begins(at, opening) ? at + strlen(opening) : NULL;
        size_t n = word ? strcspn(word, ")\n") : 0, i = 0;
        while (word && i < 6 &&
               !(strlen(words[i]) == n && memcmp(words[i], word, n) == 0 && begins(word + n, "))")))
            i++;
        if (!word || i == 6) {
            strbuf_append(out, at++, 1);
            continue;
        }
        strbuf_printf(out, "__%s__", words[i]);
        moved += strlen(opening) + 2 - 4;
        at = word + n + 2;
    }
    return moved;
}

static void put_message(StrBuf *out, const char *message, size_t length)
{
    size_t moved = 0;
    for (const char *line = message; line < message + length;) {
        size_t n = line_length(line);
        if (is_caret(line) && strspn(line, " ") >= moved)
            strbuf_append(out, line + moved, n - moved), moved = 0;
        else
            moved = put_source(out, line, n);
        line += n;
    }
}

static void put_sentences(Language language, const Found *f, StrBuf *out)
{
    if (!hints_wanted())
        return;
    for (int i = 0; i < f->n_unknown; i++) {
        const char *meant = nearest_name(f->unknown[i], names, N_NAMES);
        strbuf_puts(out, language_say(language, "hint: "));
        strbuf_printf(out, language_say(language, "%s is not known here: is %s meant?"), f->unknown[i],
                      meant);
        strbuf_puts(out, "\n");
    }
    for (size_t i = 0; i < N_SLIPS; i++) {
        bool again = !f->slips[i];
        for (size_t k = 0; k < i; k++)
            again = again || (f->slips[k] && strcmp(slips[k].sentence, slips[i].sentence) == 0);
        if (!again)
            strbuf_printf(out, "%s%s\n", language_say(language, "hint: "),
                          language_say(language, slips[i].sentence));
    }
}

void messages_of_compiler(Language language, const char *text, StrBuf *out)
{
    Found found = {0};
    size_t length;
    for (const char *at = text; *at; at += length) {
        length = message_length(at);
        find_slips(&found, at);
        const char *kind = kind_of(at);
        bool elsewhere = kind && *at == '/' && begins(kind, "note");
        bool again = kind && was_said(&found, at, length);
        if (!elsewhere && !again && !says_nothing(at))
            put_message(out, at, length);
    }
    put_sentences(language, &found, out);
}

static int rows_of(const char *text, size_t length, int columns)
{
    int rows = 0;
    for (const char *line = text; line < text + length; line += line_length(line))
        rows += is_blank(line) ? 0 : 1 + (int)(line_length(line) - 1) / columns;
    return rows;
}

/* A line of source that is too long ends where the terminal does, if the marks below it are before that. */
static size_t shown_length(const char *line, size_t length, int columns)
{
    const char *next = line + length;
    size_t room = (size_t)columns - strlen(" ...") - 1;
    bool marked = is_caret(next) && strspn(next, " ") < room;
    return marked && length > (size_t)columns ? room : length;
}

static void put_lines(StrBuf *out, const char *text, size_t length, int columns)
{
    for (const char *line = text; line < text + length; line += line_length(line)) {
        size_t all = line_length(line), shown = shown_length(line, all, columns);
        if (is_blank(line))
            continue;
        strbuf_append(out, line, shown);
        strbuf_puts(out, shown < all ? " ...\n" : "");
    }
}

void messages_on_screen(Language language, const char *log, int rows, int columns, StrBuf *out)
{
    const char *label = language_say(language, "hint: "), *end = log, *hints = log;
    while (*hints && !begins(hints, label))
        hints += line_length(hints);
    rows -= rows_of(hints, strlen(hints), columns);
    while (end < hints) {
        size_t length = message_length(end);
        int more = rows_of(end, length, columns);
        if (end > log && more > rows)
            break;
        rows -= more;
        end += length;
    }
    put_lines(out, log, (size_t)(end - log), columns);
    if (end < hints)
        strbuf_puts(out, "...\n");
    put_lines(out, hints, strlen(hints), columns);
}
