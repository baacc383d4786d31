/* What the files of the similar module share. */
#ifndef GRADER_SIMILAR_SIMILAR_INTERNAL_H
#define GRADER_SIMILAR_SIMILAR_INTERNAL_H

#include "grader/similar/similar.h"

#include <stdbool.h>
#include <stdint.h>

/* A token: a code that stands for its kind or its text, and where it is. */
typedef struct Token {
    uint32_t code;
    uint32_t file;
    int line;
} Token;

typedef struct Tokens {
    Token *items; /* free(items) */
    size_t n, cap;
} Tokens;

/* Adds the tokens of a file, and one behind them that equals no other file's: a passage never spans two
 * files. */
Status tokens_read(Tokens *tokens, const SimilarFile *file, uint32_t index, Diag *d);

/* The hash of each run of SIMILAR_RUN tokens; n is 0 when there are fewer tokens. */
typedef struct Runs {
    uint64_t *hashes; /* free(hashes) */
    size_t n;
} Runs;

Status runs_make(const Tokens *tokens, Runs *runs, Diag *d);

/* Sorted hashes, each once. */
typedef struct HashSet {
    uint64_t *items; /* free(items) */
    size_t n;
} HashSet;

void hash_set_finish(HashSet *set);
bool hash_set_has(const HashSet *set, uint64_t hash);

/* One submission, taken apart. */
typedef struct Sample {
    Tokens tokens;
    Runs runs;
    bool *counts;     /* of each run: neither given nor common; malloc'd */
    bool *own_tokens; /* of each token: in no run that is given or common; malloc'd */
    int own;          /* how many these are */
} Sample;

/* Fills the pair's shared tokens and, where passages are wanted, the passages. */
Status passages_find(Arena *a, const Sample *first, const Sample *second, SimilarPair *pair, Diag *d);

#endif
