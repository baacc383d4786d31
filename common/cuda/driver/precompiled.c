/* precompiled: cuda_runtime.h as clang has parsed it, for each pass, so that a source does not parse it again
 * (four fifths of the time that compiling a lab takes).
 *
 * A file's name is a hash of clang's version and of the words that decide how a pass reads the header, and how it is made: another
 * clang or other options have another file, or none. Paths of the kit's headers stand in it relative to
 * BUILD/include, so that a staged kit can take it; of each header that was read it has the time, the size and a hash,
 * and clang refuses it when one has changed. Files are made by --precompile alone (`make`, `grade`).
 */
#include "common/cuda/driver/driver.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EXIT_FINE = 0, EXIT_KIT = 2 };

#define KIT_PATH "--cuda-path=" /* differs where a kit is staged */

/* How a file is made: templates that the header uses are instantiated then, and not again for each source, which would
 * take a third of what reading the file takes. */
static const char *const form[] = {"-Xclang", "-fpch-instantiate-templates", NULL};

static uint64_t add_to_hash(uint64_t hash, const char *word)
{
    do
        hash = (hash ^ (unsigned char)*word) * UINT64_C(0x100000001b3); /* FNV-1a, with the 0 at the end */
    while (*word++);
    return hash;
}

static const char *file_of(const Options *o, const Tools *t, const Words *words)
{
    uint64_t hash = add_to_hash(UINT64_C(0xcbf29ce484222325), t->version);
    for (size_t i = 1; i < words->n; i++) /* the first one is where clang stands */
        if (strncmp(words->items[i], KIT_PATH, strlen(KIT_PATH)) != 0)
            hash = add_to_hash(hash, words->items[i]);
    for (const char *const *word = form; *word; word++)
        hash = add_to_hash(hash, *word);
    return arena_printf(o->arena, "%s/%016" PRIx64 ".pch", t->precompiled, hash);
}

const char *precompiled_find(const Options *o, const Tools *t, const Words *words)
{
    for (size_t i = 0; i < o->both.n; i += 2) /* pairs of -I FOLDER */
        if (strcmp(o->both.items[i], "-I") != 0)
            return NULL;
    const char *file = file_of(o, t, words);
    return file && access(file, R_OK) == 0 ? file : NULL;
}

/* What both making and taking a file say: what its paths are relative to (clang takes it for nothing else, as all
 * folders are given), and that a header of another time is the same where its bytes are. */
static bool add_base(const Options *o, const Tools *t, Words *command)
{
    const char *slash = strrchr(t->include, '/');
    return words_add(command, "-Xclang") && words_add(command, "-isysroot") &&
           words_add(command, "-Xclang") &&
           words_add(command, arena_strndup(o->arena, t->include, (size_t)(slash - t->include))) &&
           words_add(command, "-Xclang") && words_add(command, "-fvalidate-ast-input-files-content") &&
           words_add(command, "-isystem") &&
           words_add(command, arena_printf(o->arena, "%s/kit/clang", t->include)) &&
           words_add(command, "-isystem") && words_add(command, t->include);
}

bool precompiled_include(const Options *o, const Tools *t, const char *file, Words *command)
{
    return add_base(o, t, command) && words_add(command, "-Xclang") &&
           words_add(command, "-fmodules-validate-system-headers") && words_add(command, "-include-pch") &&
           words_add(command, file);
}

/* A copy of `words`, and what `more` adds (a list that ends with NULL). */
static bool begin(Words *command, const Words *words, const char *const *more)
{
    bool ok = true;
    for (size_t i = 0; i < words->n; i++)
        ok = ok && words_add(command, words->items[i]);
    for (; *more; more++)
        ok = ok && words_add(command, *more);
    return ok;
}

bool precompiled_serves(const Options *o, const Tools *t, const Words *words)
{
    static const char *const more[] = {"-fsyntax-only", "/dev/null", NULL};
    const char *file = precompiled_find(o, t, words);
    Words command = {0};
    bool ok = file && begin(&command, words, more) && precompiled_include(o, t, file, &command) &&
              run_command(o, &command, "/dev/null") == EXIT_FINE;
    words_free(&command);
    return ok;
}

int precompiled_make(const Options *o, const Tools *t, const Words *words)
{
    const char *file = file_of(o, t, words);
    if (!file || (mkdir(t->precompiled, 0755) != 0 && errno != EEXIST)) {
        fprintf(stderr, "labcc: cannot make %s: %s\n", t->precompiled, strerror(errno));
        return EXIT_KIT;
    }
    /* Whole under its name, or not at all: others may be making the same one. */
    const char *part = arena_printf(o->arena, "%s.%ld", file, (long)getpid());
    const char *header = arena_printf(o->arena, "%s/cuda_runtime.h", t->include);
    const char *const more[] = {"-S", "-Xclang", "-emit-pch", "-Xclang", "-relocatable-pch",
                                "-o", part,      header,      NULL};
    Words command = {0};
    bool ok = part && header && begin(&command, words, more) && add_base(o, t, &command);
    for (const char *const *word = form; *word; word++)
        ok = ok && words_add(&command, *word);
    int status = ok ? run_command(o, &command, NULL) : EXIT_KIT;
    words_free(&command);
    if (status == EXIT_FINE && !o->dry_run && rename(part, file) != 0) {
        fprintf(stderr, "labcc: cannot write %s: %s\n", file, strerror(errno));
        status = EXIT_KIT;
    }
    if (status != EXIT_FINE && part)
        unlink(part);
    return status;
}
