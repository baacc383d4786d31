/* hint: see hint.h. */
#include "common/starters/hint.h"

#include "common/starters/source.h"

#include <stdio.h>

static const LabFileHint *find_hint(const LabFile *lab, int todo)
{
    for (size_t i = 0; i < lab->n_hints; i++)
        if (lab->hints[i].todo == todo)
            return &lab->hints[i];
    return NULL;
}

/* How many tiers of each TODO were shown. A record that is not there or damaged counts as none. */
static void read_record(const char *path, size_t shown[SOURCE_TODOS_MAX + 1])
{
    FILE *file = fopen(path, "r");
    int todo;
    size_t tiers;
    while (file && fscanf(file, "%d %zu", &todo, &tiers) == 2)
        if (todo >= 1 && todo <= SOURCE_TODOS_MAX)
            shown[todo] = tiers;
    if (file)
        fclose(file);
}

static Status write_record(const char *path, const size_t shown[SOURCE_TODOS_MAX + 1], Diag *diag)
{
    StrBuf text = {0};
    for (int todo = 1; todo <= SOURCE_TODOS_MAX; todo++)
        if (shown[todo] > 0)
            strbuf_printf(&text, "%d %zu\n", todo, shown[todo]);
    Status status = source_write_file(path, &text, diag);
    strbuf_free(&text);
    return status;
}

Status hint_next(const LabFile *lab, int todo, const char *record, StrBuf *out, Diag *diag)
{
    size_t shown[SOURCE_TODOS_MAX + 1] = {0};
    if (lab->n_hints == 0)
        return diag_set(diag, STATUS_NOT_FOUND, "this lab has no hints");
    const LabFileHint *hint = find_hint(lab, todo);
    if (!hint || todo > SOURCE_TODOS_MAX)
        return diag_set(diag, STATUS_NOT_FOUND, "this lab has no hints for TODO %d", todo);
    read_record(record, shown);
    bool all = shown[todo] >= hint->n_tiers;
    size_t first = all ? 0 : shown[todo];
    size_t last = all ? hint->n_tiers : first + 1;
    for (size_t i = first; i < last; i++)
        strbuf_printf(out, language_say(lab->language, "TODO %d, hint %zu of %zu:\n\n%s\n\n"), todo, i + 1,
                      hint->n_tiers, hint->tiers[i]);
    if (all)
        strbuf_puts(out, language_say(lab->language, "These are all the hints for this TODO.\n"));
    else
        strbuf_printf(out, language_say(lab->language, "%s `make hint TODO=N` shows those of TODO N.\n"),
                      last < hint->n_tiers
                          ? language_say(lab->language, "`make hint` again shows the next one.")
                          : language_say(lab->language, "That was the last one for it."));
    shown[todo] = last;
    return write_record(record, shown, diag);
}
