/* state: see state.h. */
#include "common/starters/state.h"

#include "common/starters/source.h"

#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 64, WORD_MAX_BYTES = 32 };

CaseState *state_read(Arena *a, const LabFile *lab, const char *record)
{
    CaseState *states = ARENA_NEW_ARRAY(a, CaseState, lab->n_cases + 1);
    for (size_t i = 0; states && i < lab->n_cases; i++)
        states[i] = (CaseState){.todo = lab->cases[i].todo};
    FILE *file = states ? fopen(record, "r") : NULL;
    char name[NAME_MAX_BYTES], verdict[WORD_MAX_BYTES];
    int todo;
    double points;
    while (file && fscanf(file, "%63s %d %31s %lf", name, &todo, verdict, &points) == 4)
        for (size_t i = 0; i < lab->n_cases; i++)
            if (strcmp(lab->cases[i].name, name) == 0)
                states[i] = (CaseState){
                    .todo = todo, .right = strcmp(verdict, "pass") == 0, .known = true, .points = points};
    if (file)
        fclose(file);
    return states;
}

/* Whether a case falls short, as far as one knows: when some are known to, the unknown ones wait. */
static bool falls_short(const LabFile *lab, const CaseState *states, size_t i)
{
    bool any = false;
    for (size_t k = 0; k < lab->n_cases; k++)
        any = any || (states[k].known && !states[k].right);
    return !states[i].right && (states[i].known || !any);
}

int state_todo(const LabFile *lab, const CaseState *states)
{
    int todo = 0;
    for (size_t i = 0; i < lab->n_cases; i++)
        if (falls_short(lab, states, i) && states[i].todo > 0 && (todo == 0 || states[i].todo < todo))
            todo = states[i].todo;
    return todo;
}

const LabFileCase *state_case(const LabFile *lab, const CaseState *states)
{
    int todo = state_todo(lab, states);
    const LabFileCase *any = NULL;
    for (size_t i = 0; i < lab->n_cases; i++) {
        const LabFileCase *c = &lab->cases[i];
        if (!falls_short(lab, states, i) || !c->run)
            continue;
        if (states[i].todo == todo)
            return c;
        any = any ? any : c;
    }
    return any;
}

Status state_mark(const LabFile *lab, const char *record, const LabFileCase *c, bool right, Diag *diag)
{
    Arena arena = {0};
    StrBuf text = {0};
    CaseState *states = state_read(&arena, lab, record);
    for (size_t i = 0; states && i < lab->n_cases; i++) {
        bool marked = &lab->cases[i] == c;
        bool passes = marked ? right && (!c->ranked || states[i].right) : states[i].right;
        if (marked || states[i].known)
            strbuf_printf(&text, "%s %d %s %g\n", lab->cases[i].name, states[i].todo, passes ? "pass" : "short",
                          marked ? (passes ? c->points : 0) : states[i].points);
    }
    Status status = states ? source_write_file(record, &text, diag) : diag_set(diag, STATUS_NO_MEMORY, "no memory");
    strbuf_free(&text);
    arena_free(&arena);
    return status;
}

LabProgress state_progress(const LabFile *lab, const CaseState *states)
{
    LabProgress p = {.next = state_todo(lab, states)};
    int last_right = 0;
    for (size_t i = 0; i < lab->n_cases; i++) {
        p.begun = p.begun || states[i].known;
        p.points += states[i].points;
        p.points_max += lab->cases[i].points;
        p.todos = lab->cases[i].todo > p.todos ? lab->cases[i].todo : p.todos;
        if (states[i].right && lab->cases[i].todo > last_right)
            last_right = lab->cases[i].todo;
    }
    for (int todo = 1; todo <= p.todos; todo++) {
        bool falls_short = false;
        for (size_t i = 0; i < lab->n_cases; i++)
            falls_short = falls_short || (!states[i].right && states[i].todo == todo);
        p.todos_done += !falls_short && (todo <= last_right || (p.next > 0 && todo < p.next && p.begun));
    }
    return p;
}
