/* Target handin: any bytes as an archive that a student handed in, and as a table of who is who. Of an
 * archive nothing comes but what the lab takes. */
#include "common/vgpu/fuzz/fuzz.h"
#include "grader/archive/archive.h"
#include "grader/archive/download.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *const *allow(void *context, const char *lab, size_t *n_files)
{
    static const char *const files[] = {"vector_add.cu", "answers.yaml"};
    (void)context;
    *n_files = 2;
    return strcmp(lab, "02-vector-add") == 0 ? files : NULL;
}

static void read_archive(const char *path)
{
    Handin *handin = NULL;
    Diag diag = {0};
    if (handin_read(path, "02-vector-add", allow, NULL, &handin, &diag) == STATUS_OK) {
        if (handin->n_files < 1 || handin->n_files > 2)
            abort();
        for (size_t i = 0; i < handin->n_files; i++)
            if (handin->files[i].length > HANDIN_MEMBER_MAX || strchr(handin->files[i].name, '/'))
                abort();
    } else if (handin)
        abort();
    handin_free(handin);
}

static void read_roster(const char *path)
{
    Roster roster = {0};
    Arena arena = {0};
    const char *name = "s001", *student;
    Diag diag = {0};
    if (roster_load(&arena, path, &roster, &diag) == STATUS_OK)
        roster_find(&roster, &name, 1, &student, &diag);
    arena_free(&arena);
}

/* As what each system calls its list of students: whoever is taken has an id that can name a folder, once. */
static void read_systems(const uint8_t *data, size_t size)
{
    for (int system = 0; system < SYSTEM_N; system++) {
        Arena arena = {0};
        Roster roster = {0};
        Sheet sheet;
        HandinList left = {0};
        RosterImport import = {.system = (RosterSystem)system, .id = ROSTER_N};
        const char *text = arena_strndup(&arena, (const char *)data, size);
        if (text && sheet_parse(&arena, "fuzz", text, size, &sheet, NULL) == STATUS_OK) {
            roster_import(&arena, &roster, &sheet, &import, &left, NULL);
            StrBuf out = {0};
            for (size_t i = 0; i < sheet.n; i++)
                sheet_put_row(&out, &sheet, &sheet.rows[i], NULL, 0);
            size_t start = sheet.rows[0].start;
            if (!out.failed &&
                (out.length != size - start || (size > start && memcmp(out.text, text + start, out.length))))
                abort(); /* an unchanged sheet is the same bytes */
            strbuf_free(&out);
        }
        for (size_t i = 0; i < roster.n; i++)
            if (!handin_student_is_fit(roster.rows[i].cells[ROSTER_STUDENT]) ||
                roster_row(&roster, roster.rows[i].cells[ROSTER_STUDENT]) != &roster.rows[i])
                abort();
        free(left.items);
        arena_free(&arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[32];
    int fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_archive(path);
    read_roster(path);
    read_systems(data, size);
    close(fd);
    return 0;
}
