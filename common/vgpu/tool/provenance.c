/* provenance: the record of who wrote which bytes, from the devices to its two files.
 *
 * Each process that had devices writes its record to one file in memory, in one piece: two 64-bit numbers,
 * how long the JSON is and how many bytes follow it, then both. One process is what a program is: of more
 * than one the first record is kept, and is not complete.
 */
#include "common/vgpu/tool/tool.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char empty_record[] =
    "\"host\":[],\"fills\":[],\"out\":[],\"stores\":[],\"groups\":[],\"functions\":[]}\n";
static const char complete_head[] = "{\"schema\":1,\"complete\":true";

typedef struct Piece {
    const char *text, *bytes;
    uint64_t n_text, n_bytes;
} Piece;

/* The first record, and whether there is anything after it. False: there is none. */
static bool find_piece(const char *all, uint64_t size, Piece *out, bool *more)
{
    uint64_t head[2];
    if (size < sizeof head)
        return false;
    memcpy(head, all, sizeof head);
    size -= sizeof head;
    if (head[0] > size || head[1] > size - head[0])
        return false;
    *out = (Piece){all + sizeof head, all + sizeof head + head[0], head[0], head[1]};
    *more = size > head[0] + head[1];
    return true;
}

static Status write_whole(const char *file, const char *suffix, const Piece parts[2], Diag *diag)
{
    char path[4096];
    snprintf(path, sizeof path, "%s%s", file, suffix);
    FILE *f = fopen(path, "w");
    bool ok = f != NULL;
    for (int i = 0; ok && i < 2; i++)
        ok = parts[i].n_text == 0 || fwrite(parts[i].text, 1, parts[i].n_text, f) == parts[i].n_text;
    if (f && fclose(f) != 0)
        ok = false;
    return ok ? STATUS_OK : diag_set(diag, STATUS_IO, "%s: %s", path, strerror(errno));
}

static Piece piece_of(const char *text)
{
    return (Piece){.text = text, .n_text = strlen(text)};
}

/* cut: what makes the record incomplete, in place of what it says; NULL: nothing does. */
static Status save(const Piece *p, const char *cut, const char *file, Diag *diag)
{
    char head[256];
    Piece text[2] = {{0}, *p};
    size_t skip = sizeof complete_head - 1;
    if (cut && p->n_text > skip && memcmp(p->text, complete_head, skip) == 0) {
        snprintf(head, sizeof head, "{\"schema\":1,\"complete\":false,\"cut\":\"%s\"", cut);
        text[0] = piece_of(head);
        text[1].text += skip;
        text[1].n_text -= skip;
    }
    const Piece bytes[2] = {{.text = p->bytes, .n_text = p->n_bytes}};
    Status st = write_whole(file, "", text, diag);
    return st == STATUS_OK ? write_whole(file, ".bin", bytes, diag) : st;
}

static Status save_none(bool started, const char *file, Diag *diag)
{
    char text[512];
    snprintf(text, sizeof text, "%s,\n%s", complete_head, empty_record);
    const Piece p = piece_of(text);
    return save(&p, started ? "the program ended before its record" : NULL, file, diag);
}

/* `none`: the devices keep the record as they do for a file. */
bool provenance_is_written(const ToolOptions *o)
{
    return o->provenance && strcmp(o->provenance, "none") != 0;
}

Status provenance_save(int fd, bool started, const char *file, Diag *diag)
{
    struct stat st;
    Piece first;
    bool more = false;
    uint64_t size = fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
    void *all = size == 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (all == MAP_FAILED || !find_piece(all, size, &first, &more))
        return save_none(started, file, diag);
    return save(&first, more ? "several processes" : NULL, file, diag);
}

Status calls_save(int fd, const char *file, Diag *diag)
{
    struct stat st;
    size_t size = fstat(fd, &st) == 0 ? (size_t)st.st_size : 0;
    void *all = size == 0 ? NULL : mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (all == MAP_FAILED)
        return diag_set(diag, STATUS_IO, "cannot read the record of calls: %s", strerror(errno));
    const Piece parts[2] = {{.text = all, .n_text = size}};
    return write_whole(file, "", parts, diag);
}
