/* Gradescope's submission_metadata.yml: who handed in which folder, and when.
 *
 *     submission_5501:
 *       :submitters:
 *       - :name: Student One
 *         :sid: '30001'
 *         :email: s001@example.org
 *       :created_at: 2026-10-12 21:14:03.120 Z
 *       :results: ...           and more, which is passed over
 *
 * The file grows with all results of the class, so that libyaml's events are read one by one and no tree is
 * built. Aliases are refused: nothing that Gradescope writes needs one.
 */
#include "grader/archive/layouts.h"
#include "grader/core/when.h"

#include <string.h>
#include <yaml.h>

enum { DEPTH_MAX = 64, STUDENTS_MAX = 64 };

typedef struct Reader {
    Arena *arena;
    yaml_parser_t parser;
    GradescopeEntry *entries;
    size_t n, cap;
    Diag *d;
} Reader;

#define FAIL(r, line_, ...)                                                                                  \
    diag_set_at((r)->d, STATUS_PARSE, "submission_metadata.yml", (int)(line_) + 1, 0, __VA_ARGS__)

static Status next(Reader *r, yaml_event_t *event)
{
    if (!yaml_parser_parse(&r->parser, event))
        return FAIL(r, r->parser.problem_mark.line, "no YAML: %s",
                    r->parser.problem ? r->parser.problem : "it cannot be read");
    if (event->type != YAML_ALIAS_EVENT)
        return STATUS_OK;
    Status s = FAIL(r, event->start_mark.line, "an alias is not expected here");
    yaml_event_delete(event);
    return s;
}

/* Passes over the value that begins with *event, which it deletes. */
static Status skip_value(Reader *r, yaml_event_t *event)
{
    int depth = 0;
    Status s = STATUS_OK;
    do {
        yaml_event_type_t type = event->type;
        size_t line = event->start_mark.line;
        yaml_event_delete(event);
        depth += type == YAML_MAPPING_START_EVENT || type == YAML_SEQUENCE_START_EVENT;
        depth -= type == YAML_MAPPING_END_EVENT || type == YAML_SEQUENCE_END_EVENT;
        if (depth > DEPTH_MAX)
            return FAIL(r, line, "more than %d levels", DEPTH_MAX);
        if (depth > 0)
            s = next(r, event);
    } while (s == STATUS_OK && depth > 0);
    return s;
}

/* A scalar's text, without the colon that begins a symbol of Ruby; NULL for what is none. */
static const char *scalar_text(Reader *r, const yaml_event_t *event)
{
    if (event->type != YAML_SCALAR_EVENT)
        return NULL;
    const char *text = (const char *)event->data.scalar.value;
    return arena_strndup(r->arena, text, event->data.scalar.length);
}

/* What is done with each key of a map and the event that begins its value (to be deleted there). */
typedef Status (*OnKey)(Reader *r, void *context, const char *key, yaml_event_t *value);

/* Reads a map whose start was just read. */
static Status read_map(Reader *r, OnKey on_key, void *context)
{
    for (;;) {
        yaml_event_t key, value;
        Status s = next(r, &key);
        if (s != STATUS_OK)
            return s;
        bool end = key.type == YAML_MAPPING_END_EVENT;
        const char *name = scalar_text(r, &key);
        size_t line = key.start_mark.line;
        yaml_event_delete(&key);
        if (end)
            return STATUS_OK;
        if (!name)
            return FAIL(r, line, "a key must be a text");
        s = next(r, &value);
        if (s == STATUS_OK)
            s = on_key(r, context, name, &value);
        if (s != STATUS_OK)
            return s;
    }
}

static Status on_student(Reader *r, void *context, const char *key, yaml_event_t *value)
{
    GradescopeStudent *student = context;
    const char *text = scalar_text(r, value);
    if (text && strcmp(key, ":name") == 0)
        student->name = text;
    else if (text && strcmp(key, ":sid") == 0)
        student->id = text;
    else if (text && strcmp(key, ":email") == 0)
        student->email = text;
    return skip_value(r, value);
}

/* The list of submitters, whose start is *value. */
static Status read_students(Reader *r, GradescopeEntry *entry, yaml_event_t *value)
{
    if (value->type != YAML_SEQUENCE_START_EVENT)
        return skip_value(r, value);
    yaml_event_delete(value);
    entry->students = ARENA_NEW_ARRAY(r->arena, GradescopeStudent, STUDENTS_MAX);
    if (!entry->students)
        return diag_set(r->d, STATUS_NO_MEMORY, "no memory to read submission_metadata.yml");
    for (;;) {
        yaml_event_t item;
        Status s = next(r, &item);
        if (s != STATUS_OK)
            return s;
        yaml_event_type_t type = item.type;
        size_t line = item.start_mark.line;
        yaml_event_delete(&item);
        if (type == YAML_SEQUENCE_END_EVENT)
            return STATUS_OK;
        if (type != YAML_MAPPING_START_EVENT || entry->n_students == STUDENTS_MAX)
            return FAIL(r, line, "submitters must be at most %d maps", STUDENTS_MAX);
        GradescopeStudent *student = &entry->students[entry->n_students++];
        *student = (GradescopeStudent){"", "", ""};
        s = read_map(r, on_student, student);
        if (s != STATUS_OK)
            return s;
    }
}

static Status on_entry(Reader *r, void *context, const char *key, yaml_event_t *value)
{
    GradescopeEntry *entry = context;
    if (strcmp(key, ":submitters") == 0)
        return read_students(r, entry, value);
    const char *text = scalar_text(r, value);
    if (text && strcmp(key, ":created_at") == 0)
        entry->has_time = when_parse(text, &entry->received_at);
    return skip_value(r, value);
}

static Status on_submission(Reader *r, void *context, const char *key, yaml_event_t *value)
{
    (void)context;
    if (value->type != YAML_MAPPING_START_EVENT)
        return skip_value(r, value);
    yaml_event_delete(value);
    if (!VEC_GROW(r->entries, r->n, r->cap))
        return diag_set(r->d, STATUS_NO_MEMORY, "no memory to read submission_metadata.yml");
    GradescopeEntry *entry = &r->entries[r->n++];
    *entry = (GradescopeEntry){.folder = key};
    return read_map(r, on_entry, entry);
}

/* Stream, document and the map that holds all. */
static Status gradescope_read_file(Reader *r)
{
    static const yaml_event_type_t wanted[] = {YAML_STREAM_START_EVENT, YAML_DOCUMENT_START_EVENT,
                                               YAML_MAPPING_START_EVENT};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        yaml_event_t event;
        Status s = next(r, &event);
        if (s != STATUS_OK)
            return s;
        bool fits = event.type == wanted[i];
        yaml_event_delete(&event);
        if (!fits)
            return FAIL(r, 0, "it must be a map of submissions");
    }
    return read_map(r, on_submission, NULL);
}

Status gradescope_read(Arena *a, const char *bytes, size_t length, GradescopeEntry **entries, size_t *n,
                       Diag *d)
{
    Reader r = {.arena = a, .d = d};
    *entries = NULL;
    *n = 0;
    if (!yaml_parser_initialize(&r.parser))
        return diag_set(d, STATUS_NO_MEMORY, "no memory to read submission_metadata.yml");
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)bytes, length);
    Status s = gradescope_read_file(&r);
    yaml_parser_delete(&r.parser);
    *entries = VEC_KEEP(a, r.entries, r.n);
    *n = *entries ? r.n : 0;
    return *entries || s != STATUS_OK
               ? s
               : diag_set(d, STATUS_NO_MEMORY, "no memory to read submission_metadata.yml");
}
