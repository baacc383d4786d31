/* untouched: see untouched.h. */
#include "common/starters/untouched.h"

#include "common/starters/source.h"
#include "common/starters/submission.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file as it was; false where nobody knows. */
static bool read_starter(const LabFile *lab, const char *folder, const char *file, StrBuf *text)
{
    char path[SUBMISSION_PATH_MAX * 2];
    SubmissionLab s;
    Source source = {0};
    StrBuf marked = {0};
    Diag d;
    snprintf(path, sizeof path, "%s/.starter/%s", folder, file);
    if (access(path, R_OK) == 0)
        return source_read_file(path, text, &d) == STATUS_OK;
    if (submission_open(folder, lab, &s, &d) != STATUS_OK)
        return false;
    snprintf(path, sizeof path, "%s/%s", s.solution_dir, file);
    bool known = source_read_file(path, &marked, &d) == STATUS_OK &&
                 source_parse(path, marked.text, &source, &d) == STATUS_OK;
    if (known)
        strbuf_append(text, source.starter.text ? source.starter.text : "", source.starter.length);
    strbuf_free(&marked);
    source_free(&source);
    return known;
}

/* The number of the TODO that a line names; 0: none. */
static int todo_of(const char *line, size_t length)
{
    static const char word[] = "TODO ";
    for (size_t i = 0; i + sizeof word <= length; i++)
        if (strncmp(line + i, word, sizeof word - 1) == 0)
            return atoi(line + i + sizeof word - 1);
    return 0;
}

/* Marks of each TODO that the starter names, 1 to SOURCE_TODOS_MAX: its comments are there, and one of them
 * stands in the file no more between the same lines. */
typedef struct Todos {
    bool there[SOURCE_TODOS_MAX + 1], touched[SOURCE_TODOS_MAX + 1];
} Todos;

static void look_at_todos(const char *starter, const char *now, Todos *t)
{
    const char *before = starter;
    for (const char *line = starter; *line;) {
        const char *end = line + strcspn(line, "\n"), *behind = *end ? end + 1 : end;
        int todo = todo_of(line, (size_t)(end - line));
        if (todo > 0 && todo <= SOURCE_TODOS_MAX) {
            const char *last = behind + strcspn(behind, "\n");
            char *lines = strndup(before, (size_t)(last - before));
            t->there[todo] = true;
            t->touched[todo] = t->touched[todo] || !lines || !strstr(now, lines);
            free(lines);
        }
        before = line;
        line = behind;
    }
}

static void tell_todos(const Todos *t, const char *file, Language language, StrBuf *out)
{
    StrBuf numbers = {0};
    for (int i = 1; i <= SOURCE_TODOS_MAX; i++)
        if (t->there[i] && !t->touched[i])
            strbuf_printf(&numbers, "%s%d", numbers.length ? ", " : "", i);
    if (numbers.length)
        strbuf_printf(out, language_say(language, "untouched in %s: TODO %s\n"), file, numbers.text);
    strbuf_free(&numbers);
}

Status untouched_tell(const LabFile *lab, const char *folder, Language language, StrBuf *out, Diag *diag)
{
    Status status = STATUS_OK;
    for (size_t i = 0; i < lab->n_files && !status; i++) {
        char path[SUBMISSION_PATH_MAX * 2];
        StrBuf starter = {0}, now = {0};
        Todos todos = {0};
        snprintf(path, sizeof path, "%s/%s", folder, lab->files[i]);
        bool known = read_starter(lab, folder, lab->files[i], &starter) && starter.text;
        if (known)
            status = source_read_file(path, &now, diag);
        if (known && !status && strcmp(starter.text, now.text ? now.text : "") == 0) {
            strbuf_printf(out, language_say(language, "%s is untouched: it is as you got it\n"),
                          lab->files[i]);
        } else if (known && !status) {
            look_at_todos(starter.text, now.text ? now.text : "", &todos);
            tell_todos(&todos, lab->files[i], language, out);
        }
        strbuf_free(&starter);
        strbuf_free(&now);
    }
    return status;
}
