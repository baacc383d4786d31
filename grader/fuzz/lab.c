/* Target lab: any bytes as a lab's description: up to three texts with lines `%%%` between them, lab.yaml,
 * hidden.yaml and lab.zh-CN.yaml, in a folder of this process. */
#include "grader/core/lab.h"
#include "common/vgpu/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PARTS_MAX = 3, PATH_BYTES = 96 };

static const char *const names[PARTS_MAX] = {"lab.yaml", "hidden.yaml", "lab.zh-CN.yaml"};

/* The folder is named after the lab, as lab_load wants it. */
typedef struct Folder {
    char top[PATH_BYTES / 2], lab[PATH_BYTES], files[PARTS_MAX][2 * PATH_BYTES];
} Folder;

static void folder_make(Folder *f)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(f->top, sizeof f->top, "%s/fuzz-lab.XXXXXX", tmp && strlen(tmp) < 24 ? tmp : "/tmp");
    if (!mkdtemp(f->top))
        abort();
    snprintf(f->lab, sizeof f->lab, "%s/02-vector-add", f->top);
    if (mkdir(f->lab, 0755) != 0)
        abort();
    for (int i = 0; i < PARTS_MAX; i++)
        snprintf(f->files[i], sizeof f->files[i], "%s/%s", f->lab, names[i]);
}

static void folder_remove(Folder *f)
{
    for (int i = 0; i < PARTS_MAX; i++)
        unlink(f->files[i]);
    rmdir(f->lab);
    rmdir(f->top);
}

/* Writes the texts; how many there are. */
static int put_parts(const Folder *f, const char *text, const char *end)
{
    static const char bar[] = "\n%%%\n";
    int n = 0;
    while (n < PARTS_MAX) {
        const char *next = memmem(text, (size_t)(end - text), bar, sizeof bar - 1);
        FILE *out = fopen(f->files[n++], "w");
        if (!out)
            abort();
        fwrite(text, 1, (size_t)((next ? next + 1 : end) - text), out);
        fclose(out);
        if (!next)
            break;
        text = next + sizeof bar - 1;
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Folder folder;
    Lab *lab = NULL;
    Diag diag = {0};
    folder_make(&folder);
    int n = put_parts(&folder, (const char *)data, (const char *)data + size);
    if (lab_load(folder.lab, n > 1 ? folder.files[1] : NULL, &lab, &diag) == STATUS_OK) {
        lab_translate(lab, LANGUAGE_CHINESE, &diag);
        lab_find_field(lab, "first.line");
    } else if (lab || !diag.message[0])
        abort();
    lab_free(lab);
    folder_remove(&folder);
    return 0;
}
