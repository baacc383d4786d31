/* options: nvcc's command line, read by the table in options.def. */
#include "common/cuda/driver/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum Argument { NONE, ONE, JOINED, LIST } Argument;

typedef enum Action {
    ACT_OUTPUT,
    ACT_COMPILE,
    ACT_PTX,
    ACT_FATBIN,
    ACT_DEVICE_C,
    ACT_DEVICE_LINK,
    ACT_PREPROCESS,
    ACT_LANGUAGE,
    ACT_ARCH,
    ACT_GENCODE,
    ACT_CODE,
    ACT_RDC,
    ACT_STANDARD,
    ACT_OPTIMIZE,
    ACT_DEBUG,
    ACT_DEVICE_DEBUG,
    ACT_LINE_INFO,
    ACT_LINE_MESSAGES,
    ACT_NO_HEADER_PATH,
    ACT_DEFAULT_DEVICE,
    ACT_INCLUDE_PATH,
    ACT_SYSTEM_PATH,
    ACT_PRE_INCLUDE,
    ACT_DEFINE,
    ACT_UNDEFINE,
    ACT_LIBRARY,
    ACT_LIBRARY_PATH,
    ACT_CUDART,
    ACT_SHARED,
    ACT_HOST_OPTIONS,
    ACT_LINK_OPTIONS,
    ACT_WERROR,
    ACT_NO_WARNINGS,
    ACT_DEPENDENCIES,
    ACT_DEPENDENCIES_OWN,
    ACT_DEPENDENCIES_TOO,
    ACT_DEPENDENCIES_OWN_TOO,
    ACT_DEPENDENCIES_FILE,
    ACT_DEPENDENCIES_TARGET,
    ACT_DEPENDENCIES_PHONY,
    ACT_FAST_MATH,
    ACT_FMAD,
    ACT_FTZ,
    ACT_MACHINE,
    ACT_DRY_RUN,
    ACT_VERBOSE,
    ACT_PRECOMPILE,
    ACT_VERSION,
    ACT_HELP,
    ACT_IGNORED,
} Action;

typedef struct Option {
    const char *name, *brief;
    Argument argument;
    Action action;
    const char *help;
} Option;

static const Option table[] = {
#define OPTION(name, brief, argument, action, help) {name, brief, argument, ACT_##action, help},
#include "common/cuda/driver/options.def"
#undef OPTION
};
enum { N_OPTIONS = sizeof table / sizeof *table };

bool words_add(Words *w, const char *word)
{
    if (!word || !VEC_GROW(w->items, w->n, w->cap))
        return false;
    w->items[w->n++] = word;
    return true;
}

void words_free(Words *w)
{
    free(w->items);
    *w = (Words){0};
}

void options_free(Options *o)
{
    Words *const lists[] = {&o->inputs, &o->both, &o->host, &o->device, &o->link, &o->targets};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        words_free(lists[i]);
}

void options_help(void)
{
    printf("labcc [options] FILE...\n"
           "Compiles CUDA with clang and the kit's headers, for the virtual GPU. The options are nvcc's:\n");
    for (size_t i = 0; i < N_OPTIONS; i++)
        if (table[i].help[0])
            printf("  -%-10s %s\n", table[i].brief, table[i].help);
}

/* ---- one option ---- */

static Status refuse_option(Diag *d, const char *what, const char *why)
{
    return diag_set(d, STATUS_UNSUPPORTED, "labcc does not take %s: %s", what, why);
}

/* Two words, or one; the first may be NULL. */
static Status add_option(Options *o, Words *w, const char *option, const char *value, Diag *d)
{
    (void)o;
    bool ok = (!option || words_add(w, option)) && (!value || words_add(w, value));
    return ok ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory for options");
}

static Status add_joined(Options *o, Words *w, const char *option, const char *value, Diag *d)
{
    return add_option(o, w, NULL, arena_printf(o->arena, "%s%s", option, value), d);
}

/* compute_75, sm_75 or native. What has a letter after its number is for one chip alone. */
static Status add_target(Options *o, const char *text, Diag *d)
{
    const char *digits = strncmp(text, "compute_", 8) == 0 ? text + 8
                         : strncmp(text, "sm_", 3) == 0    ? text + 3
                                                           : "";
    size_t n = strspn(digits, "0123456789");
    if (strcmp(text, "native") == 0)
        return STATUS_OK;
    if (n < 2 || n > 3)
        return diag_set(d, STATUS_INVALID, "labcc knows no target '%s': compute_75 or sm_75, for example",
                        text);
    if (digits[n] != '\0')
        return refuse_option(d, text, "code for one chip alone is not portable PTX; leave the letter away");
    if (atoi(digits) < TARGET_MIN)
        return refuse_option(d, text, "compute_75 is the oldest target, as it is nvcc 13's");
    return add_option(o, &o->targets, NULL, arena_strndup(o->arena, digits, n), d);
}

static Status add_gencode(Options *o, const char *text, Diag *d)
{
    char arch[32] = "";
    if (sscanf(text, "arch=%31[a-z0-9_]", arch) != 1)
        return diag_set(d, STATUS_INVALID, "labcc: -gencode %s: arch=compute_75,code=sm_75, for example",
                        text);
    return add_target(o, arch, d);
}

static Status add_list(Options *o, Words *w, const char *before, const char *text, Diag *d)
{
    Status s = STATUS_OK;
    while (s == STATUS_OK && *text) {
        size_t n = strcspn(text, ",");
        s = add_option(o, w, before, arena_strndup(o->arena, text, n), d);
        text += n + (text[n] == ',');
    }
    return s;
}

static Status read_flag(const char *option, const char *value, bool *flag, Diag *d)
{
    *flag = strcmp(value, "true") == 0;
    if (*flag || strcmp(value, "false") == 0)
        return STATUS_OK;
    return diag_set(d, STATUS_INVALID, "labcc: -%s=%s: true or false", option, value);
}

static Status set_goal(Options *o, Goal goal)
{
    o->goal = goal;
    return STATUS_OK;
}

static Status act(Options *o, const Option *option, const char *value, Diag *d)
{
    bool flag = false;
    Status s = STATUS_OK;
    switch (option->action) {
    case ACT_OUTPUT:
        o->output = value;
        return s;
    case ACT_COMPILE:
        return set_goal(o, GOAL_OBJECT);
    case ACT_PTX:
        return set_goal(o, GOAL_PTX);
    case ACT_FATBIN:
        return set_goal(o, GOAL_FATBIN);
    case ACT_DEVICE_C:
        o->relocatable = true;
        return set_goal(o, GOAL_OBJECT);
    case ACT_DEVICE_LINK:
        o->relocatable = true;
        return set_goal(o, GOAL_DEVICE_LINK);
    case ACT_PREPROCESS:
        return set_goal(o, GOAL_PREPROCESS);
    case ACT_PRECOMPILE:
        return set_goal(o, GOAL_PRECOMPILE);
    case ACT_VERSION:
        return set_goal(o, GOAL_VERSION);
    case ACT_HELP:
        return set_goal(o, GOAL_HELP);
    case ACT_LANGUAGE:
        o->language = value;
        return strcmp(value, "cu") && strcmp(value, "c++") && strcmp(value, "c")
                   ? diag_set(d, STATUS_INVALID, "labcc: -x %s: cu, c++ or c", value)
                   : s;
    case ACT_ARCH:
        return add_target(o, value, d);
    case ACT_GENCODE:
        return add_gencode(o, value, d);
    case ACT_CODE:
        return s; /* PTX of -arch is all that there is */
    case ACT_RDC:
        return read_flag("rdc", value, &o->relocatable, d);
    case ACT_STANDARD:
        o->standard = arena_printf(o->arena, "-std=%s", value);
        return o->standard ? s : diag_set(d, STATUS_NO_MEMORY, "no memory for options");
    case ACT_OPTIMIZE:
        return add_joined(o, &o->host, "-O", value, d);
    case ACT_DEBUG:
        return add_option(o, &o->host, "-g", NULL, d);
    case ACT_DEVICE_DEBUG:
        o->device_debug = true;
        return s;
    case ACT_LINE_INFO:
        o->line_info = true;
        return s;
    case ACT_LINE_MESSAGES:
        s = add_option(o, &o->both, "-fdiagnostics-format=msvc", "-fno-show-column", d);
        return s == STATUS_OK ? add_option(o, &o->both, "-Wunused-variable", NULL, d) : s;
    case ACT_NO_HEADER_PATH:
        o->no_header_path = true;
        return s;
    case ACT_DEFAULT_DEVICE:
        o->default_device = true;
        return s;
    case ACT_INCLUDE_PATH:
        return add_option(o, &o->both, "-I", value, d);
    case ACT_SYSTEM_PATH:
        return add_option(o, &o->both, "-isystem", value, d);
    case ACT_PRE_INCLUDE:
        return add_option(o, &o->both, "-include", value, d);
    case ACT_DEFINE:
        return add_joined(o, &o->both, "-D", value, d);
    case ACT_UNDEFINE:
        return add_joined(o, &o->both, "-U", value, d);
    case ACT_LIBRARY:
        return strcmp(value, "cudadevrt") == 0 || strcmp(value, "cudart") == 0
                   ? s
                   : add_joined(o, &o->link, "-l", value, d);
    case ACT_LIBRARY_PATH:
        return add_joined(o, &o->link, "-L", value, d);
    case ACT_CUDART:
        return strcmp(value, "shared") == 0
                   ? s
                   : diag_set(d, STATUS_UNSUPPORTED,
                              "labcc: -cudart %s: the kit has the shared runtime alone", value);
    case ACT_SHARED:
        return add_option(o, &o->link, "-shared", NULL, d);
    case ACT_HOST_OPTIONS:
        s = add_list(o, &o->host, NULL, value, d);
        return s == STATUS_OK ? add_list(o, &o->link, NULL, value, d) : s;
    case ACT_LINK_OPTIONS:
        return add_list(o, &o->link, "-Xlinker", value, d);
    case ACT_WERROR:
        return add_option(o, &o->both, "-Werror", NULL, d);
    case ACT_NO_WARNINGS:
        return add_option(o, &o->both, "-w", NULL, d);
    case ACT_DEPENDENCIES:
        o->dependencies = "-M";
        return set_goal(o, GOAL_DEPENDENCIES);
    case ACT_DEPENDENCIES_OWN:
        o->dependencies = "-MM";
        return set_goal(o, GOAL_DEPENDENCIES);
    case ACT_DEPENDENCIES_TOO:
        return add_option(o, &o->host, "-MD", NULL, d);
    case ACT_DEPENDENCIES_OWN_TOO:
        return add_option(o, &o->host, "-MMD", NULL, d);
    case ACT_DEPENDENCIES_FILE:
        return add_option(o, &o->host, "-MF", value, d);
    case ACT_DEPENDENCIES_TARGET:
        return add_option(o, &o->host, "-MT", value, d);
    case ACT_DEPENDENCIES_PHONY:
        return add_option(o, &o->host, "-MP", NULL, d);
    case ACT_FAST_MATH:
        s = add_option(o, &o->device, "-ffast-math", "-fcuda-approx-transcendentals", d);
        return s == STATUS_OK ? add_option(o, &o->device, "-fgpu-flush-denormals-to-zero", NULL, d)
                              : s;
    case ACT_FMAD:
        s = read_flag("fmad", value, &flag, d);
        return s == STATUS_OK
                   ? add_option(o, &o->device, flag ? "-ffp-contract=fast" : "-ffp-contract=off", NULL, d)
                   : s;
    case ACT_FTZ:
        s = read_flag("ftz", value, &flag, d);
        return s == STATUS_OK && flag
                   ? add_option(o, &o->device, "-fgpu-flush-denormals-to-zero", NULL, d)
                   : s;
    case ACT_MACHINE:
        return strcmp(value, "64") == 0 ? s : refuse_option(d, "-m", "programs are of 64 bits");
    case ACT_DRY_RUN:
        o->dry_run = o->verbose = true;
        return s;
    case ACT_VERBOSE:
        o->verbose = true;
        return s;
    case ACT_IGNORED:
        return s;
    }
    return s;
}

/* ---- the command line ---- */

/* Whether the word is this option; *value is what follows its name in the word, or NULL. */
static bool is_option(const Option *option, const char *word, const char **value)
{
    const char *names[] = {option->brief, option->name};
    const char *text = word + 1 + (word[1] == '-');
    for (int i = 0; i < 2; i++) {
        size_t n = strlen(names[i]);
        if (strncmp(text, names[i], n) != 0)
            continue;
        bool joined = option->argument == JOINED && i == 0 && text[n] != '\0' && word[1] != '-';
        *value = text[n] == '=' ? text + n + 1 : joined ? text + n : NULL;
        if (text[n] == '\0' || *value)
            return option->argument != NONE || text[n] == '\0';
    }
    return false;
}

/* The option of a word: of several that fit, the one with the longest name. */
static const Option *find_option(const char *word, const char **value)
{
    const Option *best = NULL;
    for (size_t i = 0; i < N_OPTIONS; i++) {
        const char *found;
        if (!is_option(&table[i], word, &found))
            continue;
        bool longer = !best || !found || (*value && strlen(found) < strlen(*value));
        if (longer) {
            best = &table[i];
            *value = found;
        }
    }
    return best;
}

static Status read_word(Options *o, int argc, char **argv, int *i, Diag *d)
{
    const char *word = argv[*i], *value = NULL;
    if (word[0] != '-' || word[1] == '\0')
        return add_option(o, &o->inputs, NULL, word, d);
    const Option *option = find_option(word, &value);
    if (!option)
        return diag_set(d, STATUS_UNSUPPORTED, "labcc does not know the option %s", word);
    if (option->argument != NONE && !value && option->action == ACT_OPTIMIZE)
        value = "2";
    if (option->argument != NONE && !value) {
        if (*i + 1 >= argc)
            return diag_set(d, STATUS_INVALID, "labcc: %s needs an argument", word);
        value = argv[++*i];
    }
    return act(o, option, value, d);
}

static Status check_options(const Options *o, Diag *d)
{
    bool one = o->goal != GOAL_PROGRAM && o->goal != GOAL_DEVICE_LINK;
    if (o->goal == GOAL_VERSION || o->goal == GOAL_HELP || o->goal == GOAL_PRECOMPILE)
        return STATUS_OK;
    if (o->inputs.n == 0)
        return diag_set(d, STATUS_INVALID, "labcc: no input files");
    if (one && o->output && o->inputs.n > 1)
        return diag_set(d, STATUS_INVALID, "labcc: -o names one file, and there are %zu inputs", o->inputs.n);
    return STATUS_OK;
}

Status options_read(Options *o, Arena *arena, int argc, char **argv, Diag *d)
{
    *o = (Options){.arena = arena, .standard = "-std=c++17"};
    Status s = STATUS_OK;
    for (int i = 1; s == STATUS_OK && i < argc; i++)
        s = read_word(o, argc, argv, &i, d);
    return s == STATUS_OK ? check_options(o, d) : s;
}
