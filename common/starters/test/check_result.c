/* check_result: does a result.json say what a submission's first comments expect?
 *
 *   check_result FILE RESULT.json             FILE begins with comments, with # for // in YAML:
 *       // expect: VERDICT      of the submission, or, when a case is named, of that case
 *       // case: NAME           the case that shows it
 *       // line: N              a finding of that case lies at this line
 *       // says: TEXT           the case's message, hint, lesson or findings, or the compiler's messages, contain
 * this text; several `expect:` follow one another, each with its own case.
 *    check_result --score LEAST MOST RESULT.json
 *
 * Prints what differs. Exit status: 0 as expected, 1 not, 2 a file cannot be read.
 */
#include <jansson.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_MAX = 256, EXPECTATIONS_MAX = 16 };

typedef struct Expectation {
    char verdict[TEXT_MAX], case_name[TEXT_MAX], says[TEXT_MAX];
    int line;
} Expectation;

/* The length of the sign of a comment at the start of a line. */
static size_t comment_sign(const char *line)
{
    return strncmp(line, "//", 2) == 0 ? 2 : line[0] == '#' ? 1 : 0;
}

static bool take(const char *line, const char *key, char *value)
{
    size_t length = strlen(key);
    line += comment_sign(line);
    if (strncmp(line, key, length) != 0)
        return false;
    snprintf(value, TEXT_MAX, "%.*s", (int)strcspn(line + length, "\n"), line + length);
    return true;
}

/* Reads the comments that the file begins with; each `expect:` begins an expectation. Their number. */
static size_t read_expectations(const char *path, Expectation *list)
{
    FILE *file = fopen(path, "r");
    char line[1024], text[TEXT_MAX];
    size_t n = 0;
    while (file && fgets(line, sizeof line, file) && comment_sign(line) > 0) {
        if (n < EXPECTATIONS_MAX && take(line, " expect: ", text))
            strcpy(list[n++].verdict, text);
        if (n == 0)
            continue;
        Expectation *e = &list[n - 1];
        take(line, " case: ", e->case_name);
        take(line, " says: ", e->says);
        if (take(line, " line: ", text))
            e->line = atoi(text);
    }
    if (file)
        fclose(file);
    return n;
}

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static const json_t *find_case(const json_t *result, const char *name)
{
    size_t i;
    json_t *c;
    json_array_foreach(json_object_get(result, "cases"), i, c)
    {
        if (strcmp(text_of(c, "name"), name) == 0)
            return c;
    }
    return NULL;
}

static bool says(const json_t *c, const char *text)
{
    size_t i;
    json_t *finding;
    if (strstr(text_of(c, "message"), text) || strstr(text_of(c, "hint"), text) || strstr(text_of(c, "lesson"), text) ||
        strstr(text_of(json_object_get(c, "build"), "log"), text))
        return true;
    json_array_foreach(json_object_get(c, "findings"), i, finding)
    {
        if (strstr(text_of(finding, "message"), text))
            return true;
    }
    return false;
}

static bool has_line(const json_t *c, int line)
{
    size_t i;
    json_t *finding;
    json_array_foreach(json_object_get(c, "findings"), i, finding)
    {
        if (json_integer_value(json_object_get(finding, "line")) == line)
            return true;
    }
    char place[32]; /* findings of runtime calls have their line in the text only */
    snprintf(place, sizeof place, ".cu:%d: ", line);
    return strstr(text_of(c, "message"), place) != NULL;
}

/* Where a case is named it must have the verdict; a submission may have a graver one elsewhere. */
static int check(const Expectation *e, const json_t *result)
{
    const json_t *c = e->case_name[0] ? find_case(result, e->case_name) : result;
    if (!c) {
        printf("expected a case %s, there is none (submission: %s)\n", e->case_name,
               text_of(result, "verdict"));
        return 1;
    }
    const char *verdict = text_of(c, "verdict");
    if (strcmp(verdict, e->verdict) != 0) {
        printf("expected %s in %s, got %s: %s\n", e->verdict,
               e->case_name[0] ? e->case_name : "the submission", verdict, text_of(c, "message"));
        return 1;
    }
    if (e->line && !has_line(c, e->line)) {
        printf("expected a finding in line %d, there is none: %s\n", e->line, text_of(c, "message"));
        return 1;
    }
    if (e->says[0] && !says(c, e->says)) {
        printf("expected the text \"%s\", got: %s\n", e->says, text_of(c, "message"));
        return 1;
    }
    return 0;
}

static int check_score(double least, double most, const json_t *result)
{
    double score = json_number_value(json_object_get(result, "score"));
    if (score >= least && score <= most)
        return 0;
    printf("expected a score from %g to %g, got %g (%s)\n", least, most, score, text_of(result, "verdict"));
    size_t i;
    json_t *c;
    json_array_foreach(json_object_get(result, "cases"), i, c)
    {
        double points = json_number_value(json_object_get(c, "points"));
        double points_max = json_number_value(json_object_get(c, "max_points"));
        if (points < points_max)
            printf("  %s %s %g/%g: %s\n", text_of(c, "name"), text_of(c, "verdict"), points, points_max,
                   text_of(c, "message"));
    }
    return 1;
}

int main(int argc, char **argv)
{
    bool score = argc == 5 && strcmp(argv[1], "--score") == 0;
    if (!score && argc != 3) {
        fprintf(stderr, "usage: check_result FILE RESULT.json | --score LEAST MOST RESULT.json\n");
        return 2;
    }
    Expectation list[EXPECTATIONS_MAX] = {0};
    size_t n = score ? 0 : read_expectations(argv[1], list);
    if (!score && n == 0) {
        printf("%s does not begin with a comment `expect: VERDICT`\n", argv[1]);
        return 2;
    }
    json_t *result = json_load_file(argv[argc - 1], 0, NULL);
    if (!result) {
        printf("no result %s\n", argv[argc - 1]);
        return 2;
    }
    int status = score ? check_score(atof(argv[2]), atof(argv[3]), result) : 0;
    for (size_t i = 0; i < n; i++)
        status |= check(&list[i], result);
    json_decref(result);
    return status;
}
