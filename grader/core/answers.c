/* Reading answer files; see answers.h.
 *
 * A state machine over libyaml's events: top (wants a section's name), section (wants a field's name), and
 * the places after a name, where a map or a value must follow.
 */
#include "grader/core/answers.h"

#include "common/base/strbuf.h"
#include "grader/core/files.h"
#include "grader/core/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

typedef enum Place { AT_START, IN_FILE, AFTER_SECTION, IN_SECTION, AFTER_FIELD, AT_END } Place;

typedef struct Reader {
    Arena *arena;
    const Lab *lab;
    AnswerFile *file;
    Place place;
    const char *section; /* the lab's own text; NULL within a section that the lab does not know */
    AnswerValue *value;  /* the field whose value follows; NULL for one that is not known */
    StrBuf problems;
    size_t n_problems;
    bool done;
} Reader;

static void add_problem(Reader *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_problem(Reader *r, const char *format, ...)
{
    if (r->n_problems++ >= ANSWERS_PROBLEMS_MAX)
        return;
    va_list args;
    va_start(args, format);
    strbuf_puts(&r->problems, r->problems.length ? "\n" : "");
    strbuf_vprintf(&r->problems, format, args);
    va_end(args);
}

/* The file cannot be read further. */
static void give_up(Reader *r)
{
    r->file->readable = false;
    r->done = true;
}

/* What a message repeats of the student's text: clean, short, in one line. */
static const char *shown(Reader *r, const char *text)
{
    size_t length = strlen(text);
    bool cut = length > ANSWERS_SHOWN_MAX;
    char *clean = text_clean(r->arena, text, cut ? ANSWERS_SHOWN_MAX : length, (size_t)4 * ANSWERS_SHOWN_MAX);
    for (char *p = clean; p && *p; p++)
        if (*p == '\n' || *p == '\t')
            *p = ' ';
    const char *all = clean && cut ? arena_printf(r->arena, "%s...", clean) : clean;
    return all ? all : "";
}

static const char *text_of(const yaml_event_t *e)
{
    return (const char *)e->data.scalar.value;
}

static int line_of(const yaml_event_t *e)
{
    return (int)e->start_mark.line + 1;
}

/* Values --------------------------------------------------------------------------------------- */

static const char *list_words(Reader *r, const LabField *field)
{
    const char *list = "";
    for (size_t i = 0; list && i < field->n_words; i++)
        list = arena_printf(r->arena, "%s%s%s", list, i ? ", " : "", field->words[i]);
    return list ? list : "";
}

static bool is_blank(const yaml_event_t *e)
{
    const char *text = text_of(e);
    bool plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    return text[strspn(text, " \t\r\n")] == '\0' ||
           (plain && (strcmp(text, "~") == 0 || strcmp(text, "null") == 0));
}

static const char *problem_of_word(Reader *r, const AnswerValue *v)
{
    for (size_t i = 0; i < v->form->n_words; i++)
        if (strcmp(v->form->words[i], v->text) == 0)
            return "";
    return arena_printf(r->arena, "%s.%s, line %d: '%s' is not one of its words: %s", v->section, v->field,
                        v->line, shown(r, v->text), list_words(r, v->form));
}

/* Digits, sign, point and exponent: what YAML and everybody else calls a decimal number. */
static bool parse_number(const char *text, double *number)
{
    char *end;
    if (text[strspn(text, "0123456789+-.eE")] != '\0')
        return false;
    *number = strtod(text, &end);
    return end != text && *end == '\0' && isfinite(*number);
}

static const char *problem_of_number(Reader *r, AnswerValue *v)
{
    const char *what =
        "%s.%s, line %d: '%s' is no number; write digits only, with a point for decimals and no unit (12.5)";
    if (!parse_number(v->text, &v->number)) {
        v->number = NAN;
        return arena_printf(r->arena, what, v->section, v->field, v->line, shown(r, v->text));
    }
    if (v->form->whole && v->number != floor(v->number))
        return arena_printf(r->arena, "%s.%s, line %d: must be a whole number, not %s", v->section, v->field,
                            v->line, shown(r, v->text));
    if (v->number < v->form->min || v->number > v->form->max)
        return arena_printf(r->arena, "%s.%s, line %d: must be from %g to %g, not %s", v->section, v->field,
                            v->line, v->form->min, v->form->max, shown(r, v->text));
    return "";
}

static void take_value(Reader *r, const yaml_event_t *e)
{
    AnswerValue *v = r->value;
    r->place = IN_SECTION;
    if (!v)
        return;
    v->line = line_of(e);
    v->text = is_blank(e) ? "" : arena_strndup(r->arena, text_of(e), strlen(text_of(e)));
    if (!v->text || !v->text[0]) {
        v->text = "";
        v->problem = arena_printf(r->arena, "%s.%s, line %d: no answer yet", v->section, v->field, v->line);
    } else if (strlen(v->text) != e->data.scalar.length) {
        v->problem =
            arena_printf(r->arena, "%s.%s, line %d: holds a NUL character", v->section, v->field, v->line);
    } else {
        v->problem = v->form->n_words ? problem_of_word(r, v) : problem_of_number(r, v);
    }
    if (!v->problem)
        v->problem = "no memory for this answer";
}

/* Names ---------------------------------------------------------------------------------------- */

static const char *section_names(Reader *r)
{
    const char *list = "";
    for (size_t i = 0; list && i < r->lab->sheet.n_sections; i++)
        for (size_t n = 0; list && n < r->lab->sheet.sections[i].n_names; n++)
            list = arena_printf(r->arena, "%s%s%s", list, list[0] ? ", " : "",
                                r->lab->sheet.sections[i].names[n]);
    return list ? list : "";
}

static const char *field_names(Reader *r, const char *section)
{
    const char *list = "";
    for (size_t i = 0; list && i < r->file->n_values; i++)
        if (r->file->values[i].section == section)
            list = arena_printf(r->arena, "%s%s%s", list, list[0] ? ", " : "", r->file->values[i].field);
    return list ? list : "";
}

static void take_section(Reader *r, const yaml_event_t *e)
{
    const char *name = text_of(e);
    r->place = AFTER_SECTION;
    r->section = NULL;
    for (size_t i = 0; !r->section && i < r->file->n_values; i++)
        if (strcmp(r->file->values[i].section, name) == 0)
            r->section = r->file->values[i].section;
    if (!r->section)
        add_problem(r, "line %d: there is no section '%s'; the sections are: %s", line_of(e), shown(r, name),
                    section_names(r));
}

static void take_field(Reader *r, const yaml_event_t *e)
{
    const char *name = text_of(e);
    r->place = AFTER_FIELD;
    r->value = NULL;
    for (size_t i = 0; r->section && !r->value && i < r->file->n_values; i++)
        if (r->file->values[i].section == r->section && strcmp(r->file->values[i].field, name) == 0)
            r->value = &r->file->values[i];
    if (!r->section)
        return; /* the section was complained about */
    if (!r->value) {
        add_problem(r, "line %d: '%s' has no field '%s'; its fields are: %s", line_of(e), r->section,
                    shown(r, name), field_names(r, r->section));
    } else if (r->value->line) {
        add_problem(r, "line %d: %s.%s stands here a second time; the first is in line %d", line_of(e),
                    r->section, r->value->field, r->value->line);
        r->value = NULL;
    }
}

/* Events --------------------------------------------------------------------------------------- */

static const char *const expected_at[] = {
    [AT_START] = "a map of sections",
    [IN_FILE] = "the name of a section and a colon",
    [AFTER_SECTION] = "the section's fields below its name, indented by two blanks",
    [IN_SECTION] = "the name of a field and a colon",
    [AFTER_FIELD] = "one word or number",
    [AT_END] = "the end of the file",
};

static void refuse_event(Reader *r, const yaml_event_t *e, const char *what)
{
    add_problem(r, "line %d, column %d: %s here, where this file has %s", line_of(e),
                (int)e->start_mark.column + 1, what, expected_at[r->place]);
    give_up(r);
}

static void take_scalar(Reader *r, const yaml_event_t *e)
{
    if (e->data.scalar.anchor || e->data.scalar.tag)
        refuse_event(r, e, e->data.scalar.tag ? "a tag (!)" : "an anchor (&)");
    else if (r->place == IN_FILE)
        take_section(r, e);
    else if (r->place == IN_SECTION)
        take_field(r, e);
    else if (r->place == AFTER_FIELD)
        take_value(r, e);
    else if (r->place == AFTER_SECTION && is_blank(e))
        r->place = IN_FILE; /* a section without fields: they will be missed */
    else
        refuse_event(r, e, "a single word");
}

static void start_map(Reader *r, const yaml_event_t *e)
{
    if (e->data.mapping_start.anchor || e->data.mapping_start.tag)
        refuse_event(r, e, e->data.mapping_start.tag ? "a tag (!)" : "an anchor (&)");
    else if (r->place == AT_START)
        r->place = IN_FILE;
    else if (r->place == AFTER_SECTION)
        r->place = IN_SECTION;
    else
        refuse_event(r, e, "a map");
}

static void end_map(Reader *r)
{
    r->place = r->place == IN_SECTION ? IN_FILE : AT_END;
}

static void take_event(Reader *r, const yaml_event_t *e)
{
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        take_scalar(r, e);
        break;
    case YAML_MAPPING_START_EVENT:
        start_map(r, e);
        break;
    case YAML_MAPPING_END_EVENT:
        end_map(r);
        break;
    case YAML_SEQUENCE_START_EVENT:
        refuse_event(r, e, "a list");
        break;
    case YAML_ALIAS_EVENT:
        refuse_event(r, e, "an alias (*)");
        break;
    case YAML_DOCUMENT_START_EVENT:
        if (r->place == AT_END)
            refuse_event(r, e, "a second document (---)");
        break;
    case YAML_STREAM_END_EVENT:
        r->done = true;
        break;
    default:
        break;
    }
}

/* libyaml's words for what is not YAML, with the usual cause. A byte that is no text has a place in the file,
 * and no line yet. */
static void refuse_yaml(Reader *r, const yaml_parser_t *p, const char *bytes, size_t length)
{
    const char *problem = p->problem ? p->problem : "unreadable";
    int line = 1;
    for (size_t i = 0; i < p->problem_offset && i < length; i++)
        line += bytes[i] == '\n';
    if (p->error == YAML_READER_ERROR)
        add_problem(r, "line %d: %s; save the file as plain UTF-8 text", line, problem);
    else
        add_problem(r,
                    "line %d, column %d: not YAML: %s; each line is `name: value`, with a blank after the "
                    "colon, and fields are indented by two blanks; look at the line before, too",
                    (int)p->problem_mark.line + 1, (int)p->problem_mark.column + 1, problem);
    give_up(r);
}

static Status read_events(Reader *r, const char *bytes, size_t length, Diag *d)
{
    yaml_parser_t parser;
    yaml_event_t event;
    if (!yaml_parser_initialize(&parser))
        return diag_set(d, STATUS_NO_MEMORY, "no memory to read an answer file");
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, length);
    Status s = STATUS_OK;
    while (!r->done) {
        if (yaml_parser_parse(&parser, &event)) {
            take_event(r, &event);
            yaml_event_delete(&event);
        } else if (parser.error == YAML_MEMORY_ERROR) {
            s = diag_set(d, STATUS_NO_MEMORY, "no memory to read an answer file");
            break;
        } else {
            refuse_yaml(r, &parser, bytes, length);
        }
    }
    yaml_parser_delete(&parser);
    return s;
}

/* The file as a whole -------------------------------------------------------------------------- */

static Status list_values(Reader *r, Diag *d)
{
    const LabSheet *sheet = &r->lab->sheet;
    size_t n = 0;
    for (size_t i = 0; i < sheet->n_sections; i++)
        n += sheet->sections[i].n_names * sheet->sections[i].n_fields;
    AnswerValue *v = r->file->values = ARENA_NEW_ARRAY(r->arena, AnswerValue, n + 1);
    if (!v)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for an answer file");
    for (size_t i = 0; i < sheet->n_sections; i++)
        for (size_t name = 0; name < sheet->sections[i].n_names; name++)
            for (size_t f = 0; f < sheet->sections[i].n_fields; f++)
                *v++ = (AnswerValue){.section = sheet->sections[i].names[name],
                                     .field = sheet->sections[i].fields[f].name,
                                     .form = &sheet->sections[i].fields[f],
                                     .text = "",
                                     .number = NAN,
                                     .problem = ""};
    r->file->n_values = n;
    return STATUS_OK;
}

/* Where the file could be read, what is missing and what is no answer is told too, in the lab's order. */
static void add_problems_of_values(Reader *r)
{
    for (size_t i = 0; r->file->readable && i < r->file->n_values; i++) {
        AnswerValue *v = &r->file->values[i];
        if (v->line == 0 && !v->problem[0])
            v->problem = arena_printf(r->arena, "%s.%s is missing", v->section, v->field);
        if (v->problem && v->problem[0])
            add_problem(r, "%s", v->problem);
    }
}

static Status finish_reading(Reader *r, Status s, Diag *d)
{
    if (s == STATUS_OK && r->file->readable && r->place == AT_START)
        add_problem(r, "the file is empty: it must have the sections %s", section_names(r));
    add_problems_of_values(r);
    if (r->n_problems > ANSWERS_PROBLEMS_MAX)
        strbuf_printf(&r->problems, "\n(%zu more)", r->n_problems - ANSWERS_PROBLEMS_MAX);
    r->file->problems = strbuf_keep(&r->problems, r->arena);
    return s == STATUS_OK && !r->file->problems ? diag_set(d, STATUS_NO_MEMORY, "no memory for an answer file") : s;
}

Status answers_parse(Arena *a, const Lab *lab, const char *bytes, size_t length, AnswerFile *file, Diag *d)
{
    *file = (AnswerFile){.readable = true, .problems = ""};
    Reader r = {.arena = a, .lab = lab, .file = file};
    Status s = list_values(&r, d);
    if (s == STATUS_OK && length > ANSWERS_BYTES_MAX) {
        add_problem(&r, "the file has %zu bytes, and may have %d at most", length, (int)ANSWERS_BYTES_MAX);
        give_up(&r);
    }
    if (s == STATUS_OK && file->readable)
        s = read_events(&r, bytes, length, d);
    return finish_reading(&r, s, d);
}

Status answers_read(Arena *a, const Lab *lab, int dir_fd, AnswerFile *file, Diag *d)
{
    char *bytes = NULL;
    size_t length = 0;
    Diag problem = {0};
    Status s = file_read_untrusted(a, dir_fd, lab->sheet.file, 1 << 20, &bytes, &length, &problem);
    if (s == STATUS_OK)
        return answers_parse(a, lab, bytes, length, file, d);
    if (s == STATUS_NO_MEMORY)
        return diag_set(d, s, "%s", problem.message);
    const char *text = arena_strndup(a, problem.message, strlen(problem.message));
    *file = (AnswerFile){.problems = text ? text : "the file cannot be read"};
    return STATUS_OK;
}

const AnswerValue *answers_find(const AnswerFile *file, const char *of)
{
    for (size_t i = 0; i < file->n_values; i++) {
        const AnswerValue *v = &file->values[i];
        size_t n = strlen(v->section);
        if (strncmp(v->section, of, n) == 0 && of[n] == '.' && strcmp(v->field, of + n + 1) == 0)
            return v;
    }
    return NULL;
}
