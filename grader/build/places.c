/* Making and staging folders; see places.h. */
#include "grader/build/places.h"

#include "grader/build/link.h"
#include "grader/core/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum { SWEEP_AGE_S = 60 }; /* a younger folder may not have its lock yet */

#define WORK_PREFIX            "grade-work-"
#define MEMORY_PLACE_BYTES_MIN (UINT64_C(8) << 30)

static Status copy_file(const char *from, const char *to, Diag *d)
{
    int in = open(from, O_RDONLY | O_CLOEXEC), out = -1;
    struct stat st;
    bool fine = in >= 0 && fstat(in, &st) == 0;
    if (fine)
        out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                   (st.st_mode & 0100) | 0644 | ((st.st_mode & 0100) ? 0011 : 0));
    fine = fine && out >= 0;
    for (off_t left = fine ? st.st_size : 0; fine && left > 0;) {
        ssize_t n = sendfile(out, in, NULL, (size_t)left);
        fine = n > 0;
        left -= n;
    }
    int error = errno;
    if (in >= 0)
        close(in);
    if (out >= 0 && close(out) != 0)
        fine = false;
    return fine ? STATUS_OK : diag_set(d, STATUS_IO, "cannot copy %s to %s: %s", from, to, strerror(error));
}

static bool ends_with(const char *name, const char *suffix)
{
    size_t n = strlen(name), m = strlen(suffix);
    return n > m && strcmp(name + n - m, suffix) == 0;
}

/* What student code may include. */
static bool is_header(const char *name)
{
    return (ends_with(name, ".h") || ends_with(name, ".cuh") || ends_with(name, ".def")) &&
           strncmp(name, "judge", 5) != 0;
}

/* Every file below a folder; wanted: those of such a name alone, where it is given. */
static Status copy_tree(const char *from, const char *to, bool (*wanted)(const char *name), Diag *d)
{
    Arena arena = {0};
    const char **names;
    size_t n;
    Status s = dir_make(to, d);
    if (s == STATUS_OK)
        s = dir_list(&arena, from, &names, &n, d);
    for (size_t i = 0; s == STATUS_OK && i < n; i++) {
        char source[PATH_MAX], target[PATH_MAX];
        struct stat st;
        if (wanted && !wanted(names[i]))
            continue;
        snprintf(source, sizeof source, "%s/%s", from, names[i]);
        snprintf(target, sizeof target, "%s/%s", to, names[i]);
        bool folder = stat(source, &st) == 0 && S_ISDIR(st.st_mode);
        s = folder ? copy_tree(source, target, wanted, d) : copy_file(source, target, d);
    }
    arena_free(&arena);
    return s;
}

static Status make_below(const char *base, const char *name, Diag *d)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", base, name);
    return dir_make(path, d);
}

/* The same path below the kit's build folder and below WORK/kit. */
static Status stage(const Kit *kit, const char *work, const char *name, Diag *d)
{
    char from[2 * PATH_MAX], to[2 * PATH_MAX];
    snprintf(from, sizeof from, "%s/%s", kit->build, name);
    snprintf(to, sizeof to, "%s/kit/%s", work, name);
    return copy_file(from, to, d);
}

/* A folder of the build folder that labcc reads. */
static Status stage_tree(const Kit *kit, const char *work, const char *name, Diag *d)
{
    char from[2 * PATH_MAX], to[2 * PATH_MAX];
    snprintf(from, sizeof from, "%s/%s", kit->build, name);
    snprintf(to, sizeof to, "%s/kit/%s", work, name);
    return access(from, R_OK) == 0 ? copy_tree(from, to, NULL, d) : STATUS_OK;
}

/* The driver that runs clang, and the kit's headers where it looks for them: as they are, and precompiled for
 * the options of a build, where this can be written beside the kit. NVRTC is among the libraries that all
 * programs find: a toolkit's has no place here. */
static Status stage_clang(const Kit *kit, const char *work, Diag *d)
{
    char labcc[PATH_MAX], said[512];
    char *const precompile[] = {"labcc", "--precompile", "-arch=compute_75", PLACES_COMPILE_OPTIONS, NULL};
    snprintf(labcc, sizeof labcc, "%s/bin/labcc", kit->build);
    kit_ask(labcc, precompile, said, sizeof said);
    Status s = stage(kit, work, "bin/labcc", d);
    if (s == STATUS_OK)
        s = stage_tree(kit, work, "include/cuda", d);
    if (s == STATUS_OK)
        s = stage_tree(kit, work, "precompiled", d);
    char from[2 * PATH_MAX], to[2 * PATH_MAX];
    snprintf(from, sizeof from, "%s/lib/labcc/libnvrtc.so.13", kit->build);
    snprintf(to, sizeof to, "%s/kit/lib/vgpu/libnvrtc.so.13", work);
    return s == STATUS_OK ? copy_file(from, to, d) : s;
}

Status places_stage_kit(const Kit *kit, const char *work, Diag *d)
{
    static const char *const folders[] = {"kit/bin", "kit/lib/vgpu", "kit/common/lab", "kit/labs"};
    static const char *const parts[] = {"bin/vgpu", "bin/grade-runner", "lib/liblab.a",
                                        "lib/vgpu/libcudart.so.13", "lib/vgpu/libcuda.so.1"};
    Status s = STATUS_OK;
    for (size_t i = 0; s == STATUS_OK && i < sizeof folders / sizeof *folders; i++)
        s = make_below(work, folders[i], d);
    for (size_t i = 0; s == STATUS_OK && i < sizeof parts / sizeof *parts; i++)
        s = stage(kit, work, parts[i], d);
    if (s == STATUS_OK && kit->compiler.kind == COMPILER_CLANG)
        s = stage_clang(kit, work, d);
    char from[PATH_MAX], to[PATH_MAX];
    snprintf(from, sizeof from, "%s/common/lab", kit->root);
    snprintf(to, sizeof to, "%s/kit/common/lab", work);
    return s != STATUS_OK ? s : copy_tree(from, to, is_header, d);
}

Status places_stage_lab(const Kit *kit, const Lab *lab, const char *work, Diag *d)
{
    char to[PATH_MAX], name[256];
    snprintf(to, sizeof to, "%s/kit/labs/%s", work, lab->lab);
    snprintf(name, sizeof name, "labs/%s/driver.o", lab->lab);
    Status s = copy_tree(lab->dir, to, is_header, d);
    if (s == STATUS_OK)
        s = stage(kit, work, name, d);
    return s != STATUS_OK ? s : link_reference(kit, lab, work, d);
}

/* Memory is the fastest place for files that live for milliseconds, where it is plenty and programs may run
 * from it. */
static const char *fastest_place(void)
{
    struct statvfs v;
    bool fit = statvfs("/dev/shm", &v) == 0 && !(v.f_flag & (ST_NOEXEC | ST_RDONLY)) &&
               (uint64_t)v.f_bavail * v.f_frsize >= MEMORY_PLACE_BYTES_MIN && access("/dev/shm", W_OK) == 0;
    return fit ? "/dev/shm" : "/tmp";
}

/* A working folder holds a file `lock`, locked as long as any process of its run lives: also one that was
 * killed. */
static int lock_work(const char *work)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/lock", work);
    int fd = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

/* Removes what runs that were killed left behind, ours only. */
static void sweep(const char *base)
{
    Arena arena = {0};
    const char **names;
    size_t n;
    if (dir_list(&arena, base, &names, &n, NULL) != STATUS_OK)
        n = 0;
    for (size_t i = 0; i < n; i++) {
        struct stat st;
        const char *path = strncmp(names[i], WORK_PREFIX, strlen(WORK_PREFIX)) == 0
                               ? arena_printf(&arena, "%s/%s", base, names[i])
                               : NULL;
        if (!path || lstat(path, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
            time(NULL) - st.st_mtime < SWEEP_AGE_S)
            continue;
        int fd = lock_work(path);
        if (fd >= 0) {
            dir_remove(path, NULL);
            close(fd);
        }
    }
    arena_free(&arena);
}

Status places_make_work(Arena *a, const char **work, Diag *d)
{
    const char *base = getenv("TMPDIR");
    if (!base || base[0] != '/')
        base = fastest_place();
    sweep(base);
    char *path = arena_printf(a, "%s/" WORK_PREFIX "XXXXXX", base);
    if (!path)
        return diag_set(d, STATUS_NO_MEMORY, "no memory");
    if (!mkdtemp(path) || chmod(path, 0711) != 0 || lock_work(path) < 0) /* the lock ends with the process */
        return diag_set(d, STATUS_IO, "cannot make a working folder %s: %s", path, strerror(errno));
    *work = path;
    return STATUS_OK;
}

/* In a weak sandbox the processes write to the host's folders, as the user that they run as. */
static Status make_writable(const char *path, int slot, Diag *d)
{
    Status s = dir_make(path, d);
    if (s == STATUS_OK && geteuid() == 0 && chown(path, sandbox_user(slot), sandbox_user(slot)) != 0)
        s = diag_set(d, STATUS_IO, "cannot give %s away: %s", path, strerror(errno));
    return s;
}

Status places_make(Arena *a, const char *work, int slot, bool weak, Places *p, Diag *d)
{
    *p = (Places){.work = work,
                  .slot = slot,
                  .in_kit = "/kit",
                  .in_src = "/src",
                  .in_prog = "/prog",
                  .in_case = "/case",
                  .in_build = "/build",
                  .in_tmp = "/tmp"};
    p->kit = arena_printf(a, "%s/kit", work);
    p->home = arena_printf(a, "%s/s%d", work, slot);
    p->src = arena_printf(a, "%s/s%d/src", work, slot);
    p->prog = arena_printf(a, "%s/s%d/prog", work, slot);
    p->case_dir = arena_printf(a, "%s/s%d/case", work, slot);
    if (weak) {
        p->in_kit = p->kit;
        p->in_src = p->src;
        p->in_prog = p->prog;
        p->in_case = arena_printf(a, "%s/s%d/run", work, slot);
        p->in_build = arena_printf(a, "%s/s%d/build", work, slot);
        p->in_tmp = arena_printf(a, "%s/s%d/tmp", work, slot);
    }
    if (!p->kit || !p->home || !p->src || !p->prog || !p->case_dir || !p->in_case || !p->in_build ||
        !p->in_tmp)
        return diag_set(d, STATUS_NO_MEMORY, "no memory");
    const char *const folders[] = {p->src, p->prog, p->case_dir};
    Status s = dir_remove(p->home, d);
    for (size_t i = 0; s == STATUS_OK && i < sizeof folders / sizeof *folders; i++)
        s = dir_make(folders[i], d);
    if (s == STATUS_OK)
        s = make_below(p->case_dir, "in", d);
    if (s == STATUS_OK && weak)
        s = make_writable(p->in_build, slot, d);
    if (s == STATUS_OK && weak)
        s = make_writable(p->in_tmp, slot, d);
    return s;
}

/* Removes all that is in a folder but the entry `kept`: the folder itself may be shown in a sandbox. */
static Status clear_folder(const char *path, const char *kept, Diag *d)
{
    DIR *list = opendir(path);
    Status s = STATUS_OK;
    for (struct dirent *e; s == STATUS_OK && list && (e = readdir(list));) {
        char inner[PATH_MAX];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || strcmp(e->d_name, kept) == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
        s = dir_remove(inner, d);
    }
    if (list)
        closedir(list);
    return s;
}

Status places_clear_case(const Places *p, bool weak, Diag *d)
{
    char inputs[PATH_MAX];
    snprintf(inputs, sizeof inputs, "%s/in", p->case_dir);
    Status s = clear_folder(p->case_dir, "in", d);
    if (s == STATUS_OK)
        s = clear_folder(inputs, "", d);
    if (s == STATUS_OK && weak)
        s = dir_remove(p->in_case, d);
    static const char *const folders[] = {"in", "out", "after"};
    for (size_t i = 0; s == STATUS_OK && i < sizeof folders / sizeof *folders; i++)
        s = make_below(p->case_dir, folders[i], d);
    if (s == STATUS_OK && weak)
        s = make_writable(p->in_case, p->slot, d);
    return s;
}
