/* similar: passages that two submissions share, as a pointer for a person and never a verdict.
 *
 *     text -> tokens                  names, comments, layout, braces and qualifiers do not count (words.def)
 *     -> runs of SIMILAR_RUN tokens   each hashed; those that stand in what everybody may have (what students
 *                                     were given, the kit's solution, what more than `common` submissions
 *                                     have) are nobody's own, and so is every token in them
 *     -> some of them                 winnowing: of each SIMILAR_WINDOW neighbours the least hash, so that a
 *                                     shared passage of SIMILAR_RUN + SIMILAR_WINDOW - 1 tokens is always met,
 *                                     wherever it stands
 *     -> pairs that share two or more
 *     -> their passages               longest first, each token in one at most
 *
 * The method is that of Schleimer, Wilkerson and Aiken, "Winnowing: Local Algorithms for Document
 * Fingerprinting" (2003). Order plays no part: functions and blocks that were moved are still met. A pair is
 * listed when it shares SIMILAR_TOKENS tokens of its own and SIMILAR_PERCENT of all that it has of these. A
 * copy of what any right answer looks like cannot be told from an honest one, and is not listed.
 *
 * Submissions whose text is the same, but for line ends, empty lines and blanks at the ends of lines, are
 * told first: names and comments count there, and neither the solution nor how many have it matters. Only
 * what was given is nobody's.
 */
#ifndef GRADER_SIMILAR_SIMILAR_H
#define GRADER_SIMILAR_SIMILAR_H

#include "common/base/arena.h"
#include "common/base/status.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    SIMILAR_RUN = 14,
    SIMILAR_WINDOW = 6,
    SIMILAR_TOKENS = 20,        /* own ones that are shared, in the one that has fewer of them */
    SIMILAR_PERCENT = 60,       /* of both submissions' own tokens together */
    SIMILAR_COMMON = 5,         /* what so many have, or a third of the class, may still count */
    SIMILAR_TOKENS_MAX = 50000, /* of one submission; the rest is not looked at */
    SIMILAR_WORKS_MAX = 5000,
};

typedef struct SimilarFile {
    const char *name, *text;
    size_t length;
} SimilarFile;

/* What somebody handed in. */
typedef struct SimilarWork {
    const char *who;
    const SimilarFile *files;
    size_t n_files;
    bool earlier; /* of an earlier year */
} SimilarWork;

typedef struct SimilarSettings {
    int percent; /* list pairs from here on; 0: SIMILAR_PERCENT */
    int common;  /* what more submissions than this have does not count; 0: see SIMILAR_COMMON */
} SimilarSettings;

/* A passage: lines of a file of each, from 1, both ends included. */
typedef struct SimilarPassage {
    size_t file[2];
    int first[2], last[2];
    int tokens;
} SimilarPassage;

typedef struct SimilarPair {
    size_t work[2]; /* indexes; work[0] < work[1] */
    int own[2];     /* tokens that are neither given nor common */
    int shared[2];  /* of these, tokens in passages of both */
    int percent;
    SimilarPassage *passages; /* in the first one's order */
    size_t n_passages;
} SimilarPair;

/* The pairs to look at, those with most in common first; owned by the arena. Same works in the same order,
 * same pairs. */
Status similar_find(Arena *a, const SimilarWork *works, size_t n, const SimilarFile *given, size_t n_given,
                    const SimilarSettings *settings, SimilarPair **pairs, size_t *n_pairs, Diag *d);

/* Works by their indexes, in order. */
typedef struct SimilarGroup {
    size_t *works;
    size_t n;
} SimilarGroup;

/* The groups of works that are the same text; owned by the arena. */
Status similar_identical(Arena *a, const SimilarWork *works, size_t n, const SimilarFile *given,
                         size_t n_given, SimilarGroup **groups, size_t *n_groups, Diag *d);
/* The clusters of three works and more that pairs and identical ones join; none where no pair joins anything.
 */
Status similar_clusters(Arena *a, size_t n, const SimilarPair *pairs, size_t n_pairs,
                        const SimilarGroup *identical, size_t n_identical, SimilarGroup **clusters,
                        size_t *n_clusters, Diag *d);

#endif
