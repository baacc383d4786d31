/* What must hold between the keys of a lab beyond each key's own type and range; see lab_internal.h. */
#include "grader/core/lab_internal.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is wrong in the file `path`, for the Diag `d`. */
#define FAIL(line, ...) diag_set_at(d, STATUS_PARSE, path, line, 0, __VA_ARGS__)

bool lab_is_identifier(const char *text)
{
    if (!text[0] || isdigit((unsigned char)text[0]))
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && *text != '_')
            return false;
    return true;
}

bool lab_is_plain_value(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return false;
    return true;
}

const char *lab_keys_of(Arena *a, SchemaScope scope)
{
    const char *list = "";
    for (size_t i = 0; list && i < lab_schema_length; i++)
        if (lab_schema[i].scope == scope)
            list = arena_printf(a, "%s%s%s", list, list[0] ? ", " : "", lab_schema[i].key);
    return list ? list : "";
}

/* Small letters, digits and single dashes between them. */
static bool is_dashed_name(const char *text)
{
    if (text[0] == '-' || !text[0])
        return false;
    for (const char *p = text; *p; p++)
        if (!(islower((unsigned char)*p) || isdigit((unsigned char)*p) || (*p == '-' && p[1] && p[1] != '-')))
            return false;
    return true;
}

static bool is_lab_name(const char *text)
{
    return isdigit((unsigned char)text[0]) && isdigit((unsigned char)text[1]) && text[2] == '-' &&
           is_dashed_name(text);
}

/* A name that is safe on command lines and in any folder. */
static bool is_file_name(const char *text)
{
    if (text[0] == '.' || text[0] == '-' || !text[0])
        return false;
    for (; *text; text++)
        if (!isalnum((unsigned char)*text) && !strchr("._-", *text))
            return false;
    return true;
}

enum { LIBRARIES_MAX = 16 };

static bool is_library_name(const char *text)
{
    return text[0] &&
           text[strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] == '\0';
}

/* "02-vector-add" -> "vector_add". */
static char *stem_of(Arena *a, const char *lab)
{
    char *stem = arena_strndup(a, lab + 3, strlen(lab + 3));
    for (char *p = stem; p && *p; p++)
        if (*p == '-')
            *p = '_';
    return stem;
}

/* The last part of a folder's path, dots and links resolved where it exists. */
static bool folder_is_named(const char *dir, const char *name)
{
    char resolved[PATH_MAX];
    const char *path = realpath(dir, resolved) ? resolved : dir;
    const char *last = strrchr(path, '/');
    return strcmp(last ? last + 1 : path, name) == 0;
}

static Status check_forbid(const Lab *lab, const char *path, Diag *d)
{
    for (size_t i = 0; i < lab->n_forbid; i++)
        if (!lab->forbid[i].symbol[0] == !lab->forbid[i].include[0])
            return FAIL(0, "item %zu of 'forbid' must have 'symbol' or 'include', and not both", i + 1);
    return STATUS_OK;
}

static Status check_tolerance(const LabTolerance *t, const char *path, int line, Diag *d)
{
    if (strcmp(t->nan, "never") != 0 && strcmp(t->nan, "equal") != 0)
        return FAIL(line, "'nan' must be never or equal, not '%s'", t->nan);
    return STATUS_OK;
}

/* The answer file ------------------------------------------------------------------------------- */

static bool section_has_name(const LabSection *section, const char *name, size_t length)
{
    for (size_t i = 0; i < section->n_names; i++)
        if (strlen(section->names[i]) == length && strncmp(section->names[i], name, length) == 0)
            return true;
    return false;
}

const LabField *lab_find_field(const Lab *lab, const char *of)
{
    const char *dot = strchr(of, '.');
    for (size_t i = 0; dot && i < lab->sheet.n_sections; i++) {
        const LabSection *section = &lab->sheet.sections[i];
        if (!section_has_name(section, of, (size_t)(dot - of)))
            continue;
        for (size_t f = 0; f < section->n_fields; f++)
            if (strcmp(section->fields[f].name, dot + 1) == 0)
                return &section->fields[f];
    }
    return NULL;
}

static bool has_text(const char *const *list, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

static Status check_section(const LabSection *section, const char *path, Diag *d)
{
    if (section->n_names == 0 || section->n_fields == 0)
        return FAIL(0, "'names' and 'fields' of 'sections' must not be empty");
    for (size_t i = 0; i < section->n_names; i++)
        if (!lab_is_identifier(section->names[i]))
            return FAIL(0, "the section '%s' must be letters, digits and underscores", section->names[i]);
    for (size_t i = 0; i < section->n_fields; i++)
        if (!lab_is_identifier(section->fields[i].name))
            return FAIL(0, "the field '%s' must be letters, digits and underscores", section->fields[i].name);
    return STATUS_OK;
}

static Status check_sheet(const Lab *lab, const char *path, Diag *d)
{
    if (!lab->sheet.file)
        return STATUS_OK;
    if (!has_text(lab->files, lab->n_files, lab->sheet.file))
        return FAIL(0, "the answer file '%s' must be one of 'files'", lab->sheet.file);
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < lab->sheet.n_sections; i++)
        s = check_section(&lab->sheet.sections[i], path, d);
    return s;
}

Status lab_check_lab(Lab *lab, const char *path, Diag *d)
{
    if (!is_lab_name(lab->lab))
        return FAIL(0, "'lab' must be two digits and words joined by dashes (02-vector-add), not '%s'",
                    lab->lab);
    if (!folder_is_named(lab->dir, lab->lab))
        return FAIL(0, "'lab' is %s, and the folder has another name", lab->lab);
    for (size_t i = 0; i < lab->n_files; i++)
        if (!is_file_name(lab->files[i]))
            return FAIL(0, "'%s' in 'files' must be letters, digits, dots, dashes and underscores",
                        lab->files[i]);
    if (lab->n_libraries > LIBRARIES_MAX)
        return FAIL(0, "a lab may have at most %d 'libraries'", LIBRARIES_MAX);
    for (size_t i = 0; i < lab->n_libraries; i++)
        if (!is_library_name(lab->libraries[i]))
            return FAIL(0, "'%s' in 'libraries' must be letters, digits and underscores", lab->libraries[i]);
    for (size_t i = 0; i < lab->n_raise; i++)
        if (lab->raise[i][strspn(lab->raise[i], "abcdefghijklmnopqrstuvwxyz-")] || !lab->raise[i][0])
            return FAIL(0, "'%s' in 'raise' must be letters and dashes", lab->raise[i]);
    if (lab->n_files == 0 || lab->n_cases == 0)
        return FAIL(0, "'files' and 'cases' must not be empty");
    for (size_t i = 0; i < lab->n_hints; i++)
        if (lab->hints[i].n_tiers == 0)
            return FAIL(0, "the hint for TODO %d has no tiers", (int)lab->hints[i].todo);
    lab->stem = stem_of(&lab->arena, lab->lab);
    if (!lab->stem)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a lab");
    Status s = check_forbid(lab, path, d);
    if (s == STATUS_OK)
        s = check_sheet(lab, path, d);
    return s != STATUS_OK ? s : check_tolerance(&lab->tolerance, path, 0, d);
}

/* Tiers of a case or of its speed, `of` in messages. */
static Status check_tier_list(const LabCase *c, const LabTier *tiers, size_t n, const char *of,
                              const char *path, Diag *d)
{
    double before = c->points;
    for (size_t i = 0; i < n; i++) {
        const LabTier *t = &tiers[i];
        if (isnan(t->at_most) == isnan(t->at_least))
            return FAIL(c->line, "tier %zu of %scase '%s' must have 'at_most' or 'at_least', and not both",
                        i + 1, of, c->name);
        if (t->points > before)
            return FAIL(c->line,
                        "tier %zu of %scase '%s' gives more points than the tier before it, or than "
                        "the case",
                        i + 1, of, c->name);
        before = t->points;
    }
    return STATUS_OK;
}

static Status check_tiers(const LabCase *c, const char *path, Diag *d)
{
    if (!c->metric[0] != !c->n_tiers)
        return FAIL(c->line, "case '%s' must have both 'metric' and 'tiers', or neither", c->name);
    return check_tier_list(c, c->tiers, c->n_tiers, "", path, d);
}

/* Metrics that are ratios ------------------------------------------------------------------------ */

static const struct {
    const char *metric, *parts[LAB_RATIO_PARTS + 1];
} ratios[] = {
#define X(metric_, ...) {.metric = #metric_, .parts = {__VA_ARGS__}},
#include "grader/core/ratios.def"
#undef X
};

const char *const *lab_ratio_parts(const char *metric)
{
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++)
        if (strcmp(ratios[i].metric, metric) == 0)
            return ratios[i].parts;
    return NULL;
}

static Status check_metric(const LabCase *c, const char *path, Diag *d)
{
    bool is_ratio = lab_ratio_parts(c->metric) != NULL;
    if (is_ratio && c->least <= 0)
        return FAIL(c->line,
                    "case '%s' must say 'least': its metric %s is a ratio, which traffic without "
                    "use betters",
                    c->name, c->metric);
    if (!is_ratio && c->least > 0)
        return FAIL(c->line, "case '%s' has 'least', and its metric is no ratio of ratios.def", c->name);
    return STATUS_OK;
}

bool lab_names_device(const LabCase *c)
{
    for (size_t i = 0; i < c->n_vgpu; i++)
        if (strncmp(c->vgpu[i], "--device=", 9) == 0)
            return true;
    return false;
}

static bool has_param(const LabCase *c, const char *key)
{
    for (size_t i = 0; i < c->n_params; i++)
        if (strcmp(c->params[i].key, key) == 0)
            return true;
    return false;
}

/* The solution's number is of one device model, and of the case's own parameters but for their values. */
static Status check_baseline(const LabCase *c, const char *path, Diag *d)
{
    const LabBaseline *b = &c->baseline;
    if (!b->name)
        return STATUS_OK;
    if (strcmp(b->as, "quotient") != 0 && strcmp(b->as, "difference") != 0)
        return FAIL(c->line, "'as' in the 'baseline' of case '%s' must be quotient or difference, not '%s'",
                    c->name, b->as);
    if (!lab_names_device(c) || !c->run)
        return FAIL(c->line,
                    "the 'baseline' of case '%s' needs a run and '--device=NAME' in 'vgpu': the "
                    "solution's number is of that device",
                    c->name);
    for (size_t i = 0; i < b->n_params; i++)
        if (!has_param(c, b->params[i].key))
            return FAIL(c->line, "'%s' in the 'baseline' of case '%s' is no parameter of the case",
                        b->params[i].key, c->name);
    return STATUS_OK;
}

/* What the program says of itself decides no points. */
static Status check_number_name(const LabCase *c, const char *name, const char *path, Diag *d)
{
    if (strncmp(name, "value.", 6) == 0)
        return FAIL(c->line,
                    "'%s' in case '%s': what a program reports of itself decides no points; name a "
                    "number of the report, or a 'baseline'",
                    name, c->name);
    return STATUS_OK;
}

static Status check_speed(const LabCase *c, const char *path, Diag *d)
{
    const LabSpeedGoal *speed = &c->speed;
    if (!speed->of)
        return STATUS_OK;
    bool of_ceiling = strcmp(speed->of, "ceiling") == 0;
    if (!of_ceiling && strcmp(speed->of, "reference") != 0)
        return FAIL(c->line, "'of' in the 'speed' of case '%s' must be reference or ceiling, not '%s'",
                    c->name, speed->of);
    if (speed->bytes <= 0 && speed->ops <= 0)
        return FAIL(c->line,
                    "the 'speed' of case '%s' must say 'bytes' or 'ops': what no version can do "
                    "without",
                    c->name);
    if (speed->n_tiers == 0 || c->n_answers > 0 || !c->run || c->devices > 1)
        return FAIL(c->line, "the 'speed' of case '%s' needs tiers, a run on one device, and no answers",
                    c->name);
    return check_tier_list(c, speed->tiers, speed->n_tiers, "the speed of ", path, d);
}

/* One case of a lab at most ranks. */
static Status check_leaderboard(const Lab *lab, size_t i, const char *path, Diag *d)
{
    const LabCase *c = &lab->cases[i];
    if (!c->leaderboard[0])
        return STATUS_OK;
    if (strcmp(c->leaderboard, "lowest") != 0 && strcmp(c->leaderboard, "highest") != 0)
        return FAIL(c->line, "'leaderboard' must be lowest or highest, not '%s'", c->leaderboard);
    if (!c->metric[0])
        return FAIL(c->line, "case '%s' has a 'leaderboard', and no 'metric' for it", c->name);
    for (size_t j = 0; j < i; j++)
        if (lab->cases[j].leaderboard[0])
            return FAIL(c->line, "a second case has a 'leaderboard': '%s'", c->name);
    return STATUS_OK;
}

/* Whether something says what is right, in words for a field of words and in numbers for others. */
static bool answer_can_be_judged(const LabAnswer *answer, const LabField *field)
{
    bool in_bounds = !isnan(answer->at_least) || !isnan(answer->at_most);
    if (field->n_words == 0)
        return answer->n_one_of > 0 || in_bounds || answer->truth[0];
    for (size_t i = 0; i < answer->n_one_of; i++)
        if (!has_text(field->words, field->n_words, answer->one_of[i]))
            return false;
    return !in_bounds && (answer->n_one_of > 0 || strcmp(answer->truth, "bound") == 0);
}

static Status check_answers(const Lab *lab, const LabCase *c, const char *path, Diag *d)
{
    double sum = 0;
    if (!lab->sheet.file && (c->n_answers > 0 || !c->run))
        return FAIL(c->line, "case '%s' needs an answer file: the lab's 'answers' describes none", c->name);
    if (c->n_answers > 0 && c->n_tiers > 0)
        return FAIL(c->line, "case '%s' must have 'tiers' or 'answers', and not both", c->name);
    for (size_t i = 0; i < c->n_answers; i++) {
        const LabAnswer *answer = &c->answers[i];
        const LabField *field = lab_find_field(lab, answer->of);
        if (!field)
            return FAIL(c->line, "'%s' in case '%s' is no SECTION.FIELD of the answer file", answer->of,
                        c->name);
        if (!answer_can_be_judged(answer, field))
            return FAIL(c->line,
                        "'%s' in case '%s' does not say what is right: words of the field in "
                        "'one_of', or numbers, bounds or a 'truth' for a number",
                        answer->of, c->name);
        if (answer->truth[0] && !c->run)
            return FAIL(c->line, "'%s' in case '%s' has a 'truth', and the case runs nothing", answer->of,
                        c->name);
        Status s = check_number_name(c, answer->truth, path, d);
        if (s == STATUS_OK)
            s = check_number_name(c, answer->over, path, d);
        if (s != STATUS_OK)
            return s;
        sum += answer->points;
    }
    if (c->n_answers > 0 && fabs(sum - c->points) > 1e-9)
        return FAIL(c->line, "the points of the answers of case '%s' come to %g, and the case has %g",
                    c->name, sum, c->points);
    return STATUS_OK;
}

static Status check_case(const Lab *lab, size_t i, const char *path, Diag *d)
{
    const LabCase *c = &lab->cases[i];
    if (!is_dashed_name(c->name))
        return FAIL(c->line, "a case's name must be small letters, digits and dashes, not '%s'", c->name);
    for (size_t j = 0; j < i; j++)
        if (strcmp(lab->cases[j].name, c->name) == 0)
            return FAIL(c->line, "a second case is named '%s'", c->name);
    Status s = check_tolerance(&c->tolerance, path, c->line, d);
    if (s == STATUS_OK)
        s = check_tiers(c, path, d);
    if (s == STATUS_OK)
        s = check_number_name(c, c->metric, path, d);
    if (s == STATUS_OK)
        s = check_metric(c, path, d);
    if (s == STATUS_OK)
        s = check_baseline(c, path, d);
    if (s == STATUS_OK)
        s = check_speed(c, path, d);
    if (s == STATUS_OK)
        s = check_leaderboard(lab, i, path, d);
    if (s == STATUS_OK)
        s = lab_check_vary(lab, c, path, d);
    return s != STATUS_OK ? s : check_answers(lab, c, path, d);
}

Status lab_check_cases(const Lab *lab, size_t n_public, const char *path, const char *hidden_path, Diag *d)
{
    double sum = 0;
    for (size_t i = 0; i < lab->n_cases; i++) {
        Status s = check_case(lab, i, i < n_public ? path : hidden_path, d);
        if (s != STATUS_OK)
            return s;
        sum += lab->cases[i].points;
    }
    if (hidden_path ? fabs(sum - lab->points) > 1e-9 : sum > lab->points + 1e-9)
        return diag_set_at(d, STATUS_PARSE, hidden_path ? hidden_path : path, 0, 0,
                           "the cases' points come to %g; public and hidden ones together must come to %g",
                           sum, lab->points);
    return STATUS_OK;
}
