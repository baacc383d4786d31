/* handout: see handout.h. */
#include "common/starters/handout.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char end_anchor[] = "<!-- end -->";

/* `<!-- show FILE [NAME] -->`: true, with the words, when the line is an anchor. */
static bool is_anchor(const char *line, char *file, char *region)
{
    int used = 0;
    region[0] = '\0';
    if (sscanf(line, "<!-- show %127s -->%n", file, &used) == 1 && used > 0 && !line[used])
        return true;
    used = 0;
    return sscanf(line, "<!-- show %127s %47s -->%n", file, region, &used) == 2 && used > 0 && !line[used];
}

static const char *fence_language(const char *file)
{
    const char *dot = strrchr(file, '.');
    if (dot && strcmp(dot, ".cu") == 0)
        return "cuda";
    return dot && (strcmp(dot, ".c") == 0 || strcmp(dot, ".h") == 0) ? "c" : "";
}

/* The bytes to show; STATUS_NOT_FOUND when the source has no such region. */
static Status find_region(const Source *source, const char *name, size_t *start, size_t *length)
{
    *start = 0;
    *length = source->starter.length;
    if (!*name)
        return STATUS_OK;
    for (size_t i = 0; i < source->n_regions; i++)
        if (strcmp(source->regions[i].name, name) == 0) {
            *start = source->regions[i].start;
            *length = source->regions[i].length;
            return STATUS_OK;
        }
    return STATUS_NOT_FOUND;
}

/* Appends the text up to the piece, and returns what is behind it; the text itself where the piece is not in it. */
static const char *leave_out(const char *text, const char *piece, StrBuf *out)
{
    const char *at = strstr(text, piece);
    if (!at)
        return text;
    strbuf_append(out, text, (size_t)(at - text));
    return at + strlen(piece);
}

/* A whole header is shown without what only compilers need: its include guard, and the frame for C++. */
static void write_header(const char *text, StrBuf *out)
{
    static const char opening[] = "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
    static const char closing[] = "\n#ifdef __cplusplus\n}\n#endif\n", last[] = "\n#endif\n";
    char name[64] = "", guard[sizeof "#ifndef \n#define \n" + 2 * sizeof name];
    const char *start = strstr(text, "#ifndef ");
    if (start)
        sscanf(start, "#ifndef %63s", name);
    snprintf(guard, sizeof guard, "#ifndef %s\n#define %s\n", name, name);
    bool guarded = strstr(text, guard);
    text = leave_out(text, guard, out);
    if (strstr(text, opening) && strstr(text, closing))
        text = leave_out(leave_out(text, opening, out), closing, out);
    size_t length = strlen(text);
    if (guarded && length >= strlen(last) && strcmp(text + length - strlen(last), last) == 0)
        length -= strlen(last);
    strbuf_append(out, text, length);
}

static Status expand_anchor(const char *file, const char *region, HandoutLookup *lookup, void *context,
                            StrBuf *out, Diag *diag)
{
    Source source;
    size_t start, length;
    Status status = lookup(context, file, &source, diag);
    if (status)
        return status;
    status = find_region(&source, region, &start, &length);
    if (status) {
        diag_set(diag, status, "%s has no region '%s'", file, region);
    } else {
        strbuf_printf(out, "```%s\n", fence_language(file));
        const char *shown = source.starter.text ? source.starter.text + start : "", *dot = strrchr(file, '.');
        if (!*region && dot && strcmp(dot, ".h") == 0)
            write_header(shown, out);
        else
            strbuf_append(out, shown, length);
        strbuf_puts(out, "```\n");
    }
    source_free(&source);
    return status;
}

/* Whether HTML takes what begins here for a tag or a comment: `<word>`, `</word`, `<word x`, `<!`, `<?`; not
 * `<<<blocks, threads>>>`. */
static bool begins_tag(const char *at)
{
    if (*at != '<' || !at[1])
        return false;
    if (at[1] == '!' || at[1] == '?')
        return true;
    const char *name = at + 1 + (at[1] == '/'), *end = name;
    while (isalnum((unsigned char)*end) || *end == '-')
        end++;
    return isalpha((unsigned char)*name) && *end && strchr(" \t\n/>", *end);
}

/* Whether Markdown takes the sign at `at` for more than itself: a tag, the end of emphasis or its beginning, the escape of a sign. */
static bool is_markup(const char *text, const char *at)
{
    bool blank_before = at == text || isspace((unsigned char)at[-1]),
         blank_after = !at[1] || isspace((unsigned char)at[1]);
    if (*at == '*')
        return !(blank_before && blank_after);
    if (*at == '_') /* within a word it is a sign as any other */
        return blank_before || blank_after || !isalnum((unsigned char)at[-1]) ||
               !isalnum((unsigned char)at[1]);
    return *at == '\\' ? ispunct((unsigned char)at[1]) : begins_tag(at);
}

/* A hint's text, in which nothing is markup. Code between backquotes stays as it is. */
static void write_prose(const char *text, StrBuf *out)
{
    bool in_code = false;
    for (const char *at = text; *at; at++) {
        in_code ^= *at == '`';
        if (!in_code && is_markup(text, at))
            strbuf_puts(out, "\\");
        strbuf_append(out, at, 1);
    }
}

static void write_hints(const LabFile *lab, StrBuf *out)
{
    Language language = lab->language;
    const char *const titles[] = {language_say(language, "a question"), language_say(language, "the idea"),
                                  language_say(language, "nearly the code"), language_say(language, "more")};
    for (size_t i = 0; i < lab->n_hints; i++)
        for (size_t t = 0; t < lab->hints[i].n_tiers; t++) {
            strbuf_puts(out, "<details><summary>");
            strbuf_printf(out, language_say(language, "TODO %d: %s"), lab->hints[i].todo,
                          titles[t < 3 ? t : 3]);
            strbuf_puts(out, "</summary>\n\n");
            write_prose(lab->hints[i].tiers[t], out);
            strbuf_puts(out, "\n\n</details>\n");
        }
}

/* One handout in the making. */
typedef struct Expansion {
    const char *name;
    const LabFile *lab;
    HandoutLookup *lookup;
    void *context;
    StrBuf *out;
    int line;
} Expansion;

/* Skips lines up to the end anchor; what follows, or NULL when there is none. */
static char *skip_old(Expansion *x, char *rest)
{
    for (char *text; (text = strsep(&rest, "\n"));) {
        x->line++;
        if (strcmp(text, end_anchor) == 0)
            return rest ? rest : text + strlen(text);
    }
    return NULL;
}

/* Writes what belongs after an anchor; false when the line is none. */
static bool expand_line(Expansion *x, const char *text, Status *status, Diag *diag)
{
    char file[128], region[48];
    if (strcmp(text, "<!-- hints -->") == 0) {
        write_hints(x->lab, x->out);
        return true;
    }
    if (!is_anchor(text, file, region))
        return false;
    Diag why = {0};
    if (expand_anchor(file, region, x->lookup, x->context, x->out, &why))
        *status = diag_set_at(diag, STATUS_PARSE, x->name, x->line, 0, "%s", why.message);
    return true;
}

static Status expand_lines(Expansion *x, char *rest, Diag *diag)
{
    for (char *text; (text = strsep(&rest, "\n"));) {
        Status status = STATUS_OK;
        int anchor_line = ++x->line;
        strbuf_puts(x->out, text);
        if (rest)
            strbuf_puts(x->out, "\n");
        if (!expand_line(x, text, &status, diag))
            continue;
        if (status)
            return status;
        rest = rest ? skip_old(x, rest) : NULL;
        if (!rest)
            return diag_set_at(diag, STATUS_PARSE, x->name, anchor_line, 0, "no line `%s` after this anchor",
                               end_anchor);
        strbuf_printf(x->out, "%s\n", end_anchor);
    }
    return STATUS_OK;
}

Status handout_expand(const char *name, const char *text, const LabFile *lab, HandoutLookup *lookup,
                      void *context, StrBuf *out, Diag *diag)
{
    Expansion x = {.name = name, .lab = lab, .lookup = lookup, .context = context, .out = out};
    char *copy = strdup(text);
    if (!copy)
        return diag_set(diag, STATUS_NO_MEMORY, "no memory for %s", name);
    Status status = expand_lines(&x, copy, diag);
    free(copy);
    if (!status && out->failed)
        status = diag_set(diag, STATUS_NO_MEMORY, "no memory for %s", name);
    return status;
}

bool handout_mentions_todo(const char *text, int todo)
{
    char wanted[16];
    int length = snprintf(wanted, sizeof wanted, "TODO %d", todo);
    for (const char *at = text; (at = strstr(at, wanted)); at += length)
        if (!isdigit((unsigned char)at[length]))
            return true;
    return false;
}
