/* lab: a lab as lab.yaml and hidden.yaml describe it, read into plain structs.
 *
 * lab_load owns everything it returns through one arena; lab_free gives it back. The keys, their types,
 * defaults and meanings are the rows of lab_schema.def, from which docs/lab-yaml.md is generated too. A key
 * that is left out has its default, or, in a case's tolerance and limits, the lab's value.
 */
#ifndef GRADER_CORE_LAB_H
#define GRADER_CORE_LAB_H

#include "common/base/arena.h"
#include "common/base/language.h"
#include "common/base/status.h"
#include "common/base/strbuf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct LabTolerance {
    double rtol, atol;
    const char *nan; /* "never" or "equal" */
    const char *why;
} LabTolerance;

typedef struct LabLimits {
    double wall_s, cpu_s;
    int64_t memory_mib, processes, output_kib, file_mib, instructions;
} LabLimits;

/* One of symbol and include is set, the other is NULL. */
typedef struct LabForbid {
    const char *symbol, *include, *why;
} LabForbid;

/* A field of an answer file: one of its words, or a number when there are none. */
typedef struct LabField {
    const char *name;
    const char **words;
    size_t n_words;
    double min, max;
    bool whole;
} LabField;

/* Sections of an answer file that have the same fields. */
typedef struct LabSection {
    const char **names;
    size_t n_names;
    LabField *fields;
    size_t n_fields;
} LabSection;

/* The form of the answer file; `file` is NULL when the lab has none. */
typedef struct LabSheet {
    const char *file;
    LabSection *sections;
    size_t n_sections;
} LabSheet;

/* What the cases of a function have to work out at least. */
typedef struct LabWork {
    const char *of; /* the value of one of a case's parameters; "" for all */
    const char *ops, *host_bytes;
    bool host_finish;
} LabWork;

/* How films show arrays; lengths and halo are formulas (common/base/formula.h). */
typedef struct LabShape {
    const char **arrays, **shape, **halo;
    size_t n_arrays, n_shape, n_halo;
} LabShape;

/* What tells of a case that falls short which TODO is at hand: a total of its run that is still too small, or its verdict. */
typedef struct LabSign {
    int64_t todo;
    const char *of;      /* as in LabWork */
    const char *total;   /* of the virtual GPU's report; "" for none */
    double at_least;     /* the TODO is begun when the total is that */
    const char *verdict; /* a case of this verdict is about the TODO; "" for none */
} LabSign;

typedef struct LabHint {
    int64_t todo;
    const char **tiers;
    size_t n_tiers;
} LabHint;

/* A tier is met by a metric <= at_most, or >= at_least; the one not given is NaN. */
typedef struct LabTier {
    double at_most, at_least;
    double points;
} LabTier;

/* What makes an answer right: one of the words or numbers, within the bounds (NaN where not given), or close
 * to a truth that comes from the case's run. What is not given is "". */
typedef struct LabAnswer {
    const char *of; /* "SECTION.FIELD" */
    double points;
    const char **one_of;
    size_t n_one_of;
    double at_least, at_most;
    const char *truth, *over;
    double rtol, atol;
    const char *why;
} LabAnswer;

/* A parameter of a case: the scalar's text as it stands in the file. */
typedef struct LabParam {
    const char *key, *value;
} LabParam;

/* How fast a case is to be on a GPU; no tiers: nobody asks. */
typedef struct LabSpeedGoal {
    LabParam *params;
    size_t n_params;
    const char *of; /* "reference" or "ceiling" */
    double bytes, ops;
    LabTier *tiers;
    size_t n_tiers;
} LabSpeedGoal;

/* A number of the report of the case's run, held against the same number of a run of the lab's solution. */
typedef struct LabBaseline {
    const char *name; /* what `metric` and `truth` call the outcome; NULL: the case has none */
    const char *of;   /* what both reports call it */
    LabParam *params; /* of the solution's run, in the place of the case's own */
    size_t n_params;
    double number; /* what the report of the solution's run says */
    const char *as; /* "quotient": the solution's over the submission's; "difference" */
    double by;      /* the difference is divided by it */
} LabBaseline;

/* A metric of this beginning is a number of the judge: the share of an output's elements that is right. */
#define LAB_RIGHT "right."

typedef struct LabCase {
    const char *name;
    bool hidden; /* from hidden.yaml */
    int64_t todo; /* that it serves; 0 for none */
    double points;
    LabParam *params;
    size_t n_params;
    LabParam *vary; /* how they are drawn for all runs but the first (lab_vary.c) */
    size_t n_vary;
    int64_t runs; /* how many there are */
    int64_t seed; /* public cases only; hidden ones draw theirs from the run's secret */
    LabTolerance tolerance;
    LabLimits limits;
    double finding_credit;
    const char *hint;    /* shown when it fails; "" */
    const char *slow_hint; /* in its place when the result is right and the metric falls short; "" */
    const char *message; /* what the case teaches; with `hint` all that a student sees of a failed hidden case; "" */
    int64_t min_ops;    /* 0: there is nothing to work out */
    int64_t host_bytes; /* that the host makes beside the inputs */
    bool has_min_ops, has_host_bytes; /* of its own, and not by `work` */
    bool host_finish; /* the host may finish what kernels began */
    bool gpu_work, check_output, timeline;
    int64_t devices;   /* how many it needs */
    const char **vgpu; /* further options of the vgpu command */
    size_t n_vgpu;
    int64_t expect_status;
    const char *expect_error; /* name of a CUDA error that the case is meant to meet; "" */
    bool may_end;             /* by itself, where a call was made to fail */
    bool must_meet;           /* and must meet: the server's record has it */
    const char *metric;       /* "" unless this is a performance case */
    const char *leaderboard;  /* "lowest", "highest", or "": how the metric ranks a class */
    double least;             /* of what the metric, a ratio, is divided by; 0 where it is none */
    double slack;             /* so many times the least counts */
    LabBaseline baseline;
    LabSpeedGoal speed;
    LabTier *tiers;
    size_t n_tiers;
    bool run; /* false: only the answer file counts */
    LabAnswer *answers;
    size_t n_answers;
    int line; /* in its file */
} LabCase;

typedef struct Lab {
    Arena arena;
    Language language; /* of what students read of it: English unless lab_translate found texts */
    const char *dir;   /* the folder it was loaded from */
    int64_t schema;
    const char *lab;  /* "02-vector-add" */
    const char *stem; /* "vector_add" */
    const char *title, *goal;
    int64_t minutes;
    const char **requires;
    size_t n_requires;
    const char **files;
    size_t n_files;
    const char **extra; /* of the optional part */
    size_t n_extra;
    const char **libraries;
    size_t n_libraries;
    const char **raise; /* advice that counts as findings */
    size_t n_raise;
    double points, starter_floor;
    LabTolerance tolerance;
    LabLimits limits;
    double compile_s;
    int64_t compile_mib;
    double finding_credit;
    LabForbid *forbid;
    size_t n_forbid;
    LabSheet sheet;
    LabWork *work;
    size_t n_work;
    LabShape *shapes;
    size_t n_shapes;
    LabSign *signs;
    size_t n_signs;
    LabHint *hints;
    size_t n_hints;
    LabCase *cases; /* public ones first, then hidden ones, each in file order */
    size_t n_cases;
    double public_points; /* sum over the public cases */
} Lab;

/* Reads DIR/lab.yaml, and hidden_path's cases after its own when hidden_path is not NULL. The folder's name
 * must be the lab's. On failure *lab is NULL and d says file, line, column and what was expected. */
Status lab_load(const char *dir, const char *hidden_path, Lab **lab, Diag *d);
void lab_free(Lab *lab);

/* Puts the texts of DIR/lab.LANGUAGE.yaml (title, goal, hints, the cases' messages and hints) in the place of
 * the lab's own, where the lab has them. STATUS_OK, and the lab unchanged, when there is no such file. */
Status lab_translate(Lab *lab, Language language, Diag *d);

/* Run `run` of a case: from 1 on a copy in the arena with other values, and message and hint for who falls short there; c itself
 * for 0. NULL, and d says why, where something is wrong with `vary` or `work`. */
const LabCase *lab_case_of_run(Arena *a, const Lab *lab, const LabCase *c, int64_t run, Diag *d);

/* Whether an item that is for the cases with a parameter of the value `of` is for this one; "" is for all. */
bool lab_is_of(const LabCase *c, const char *of);

/* The rows of ratios.def: up to LAB_RATIO_PARTS numbers of the report whose sum a metric is divided by, or, of a
 * metric that is to be large, multiplied by. NULL when the metric is no such ratio. */
enum { LAB_RATIO_PARTS = 3 };
const char *const *lab_ratio_parts(const char *metric);

/* The field of that name ("SECTION.FIELD") of the lab's answer file; NULL when there is none. */
const LabField *lab_find_field(const Lab *lab, const char *of);

/* Whether the case asks for one device model (--device). */
bool lab_names_device(const LabCase *c);

/* The reference of the two files' keys, as Markdown. */
void lab_schema_markdown(StrBuf *out);

#endif
