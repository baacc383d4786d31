/* shared: memory that the devices of several processes use.
 *
 *      file    [table: one row for each thing | bytes, init bits | bytes, init bits | ...]     rooms are never given twice
 *
 * The processes of a run have the file open from the start. An allocation that is shared moves into a room of it, once, and keeps
 * its address; whoever opens it maps the same room. Rows are written by their owner before their number is told, and what changes
 * after that is changed atomically, so that nobody holds a lock when a process dies. The last one that lets go of a room gives
 * its pages back; those of a process that was killed stay until the run ends.
 */
#include "common/vgpu/mem/mem_internal.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define SHARED_MAGIC      0x6465726168536D65u
#define SHARED_FILE_BYTES ((uint64_t)1 << 40) /* of addresses in the file; pages come when they are used */
#define SHARED_FILLED_MAX ((uint64_t)256 << 20) /* larger memory is copied where it was written, and zero elsewhere */
enum { SHARED_MAX = 1 << 15 };

typedef struct SharedRow {
    _Atomic uint64_t room; /* where it begins in the file; 0: no bytes */
    _Atomic uint64_t bytes;
    _Atomic uint32_t owner;   /* process; 0: the row is not filled in */
    _Atomic uint32_t holders; /* the owner, and those who have it open */
    _Atomic bool gone;        /* the owner has freed it */
} SharedRow;

typedef struct SharedTable {
    uint64_t magic;
    _Atomic uint64_t next_room;
    _Atomic uint32_t n_rows;
    SharedRow rows[SHARED_MAX];
} SharedTable;

struct MemShared {
    int fd;
    uint32_t self;
    uint64_t file_bytes;
    SharedTable *table;
};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static uint64_t init_offset(uint64_t bytes)
{
    return round_up(bytes, MEM_PAGE);
}

static uint64_t room_bytes(uint64_t bytes)
{
    return init_offset(bytes) + round_up((bytes + 7) / 8, MEM_PAGE);
}

static uint8_t *map_file(int fd, uint64_t at, uint64_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, (off_t)at);
    return p == MAP_FAILED ? NULL : p;
}

/* ---- the file ---- */

int mem_shared_file(bool inherited)
{
    struct rlimit most;
    uint64_t bytes = SHARED_FILE_BYTES;
    if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur < bytes)
        bytes = most.rlim_cur / MEM_PAGE * MEM_PAGE;
    int fd = bytes < sizeof(SharedTable) ? -1 : memfd_create("vgpu-shared", inherited ? 0 : MFD_CLOEXEC);
    SharedTable *t = NULL;
    if (fd >= 0 && ftruncate(fd, (off_t)bytes) == 0)
        t = (SharedTable *)map_file(fd, 0, sizeof *t);
    if (t) {
        t->magic = SHARED_MAGIC;
        atomic_store(&t->next_room, round_up(sizeof *t, MEM_PAGE));
        munmap(t, sizeof *t);
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

MemShared *mem_shared_open(int fd)
{
    off_t bytes = lseek(fd, 0, SEEK_END); /* a confined server may not ask fstat */
    MemShared *s = bytes >= (off_t)sizeof(SharedTable) ? calloc(1, sizeof *s) : NULL;
    if (!s)
        return NULL;
    *s = (MemShared){.fd = fd, .self = (uint32_t)getpid(), .file_bytes = (uint64_t)bytes};
    s->table = (SharedTable *)map_file(fd, 0, sizeof *s->table);
    if (s->table && s->table->magic == SHARED_MAGIC)
        return s;
    mem_shared_close(s);
    return NULL;
}

void mem_shared_close(MemShared *s)
{
    if (s && s->table)
        munmap(s->table, sizeof *s->table);
    free(s);
}

/* ---- rows ---- */

static SharedRow *row_of(const MemShared *s, uint32_t number)
{
    SharedRow *row = number > 0 && number <= SHARED_MAX ? &s->table->rows[number - 1] : NULL;
    return row && atomic_load(&row->owner) != 0 ? row : NULL;
}

static uint32_t add_row(MemShared *s, uint64_t room, uint64_t bytes)
{
    uint32_t i = atomic_load(&s->table->n_rows);
    while (i < SHARED_MAX && !atomic_compare_exchange_weak(&s->table->n_rows, &i, i + 1)) {
    }
    if (i >= SHARED_MAX)
        return 0;
    SharedRow *row = &s->table->rows[i];
    atomic_store(&row->room, room);
    atomic_store(&row->bytes, bytes);
    atomic_store(&row->holders, 1);
    atomic_store(&row->owner, s->self);
    return i + 1;
}

bool mem_shared_is_gone(const MemShared *s, uint32_t number)
{
    const SharedRow *row = row_of(s, number);
    return !row || atomic_load(&row->gone) || (kill((pid_t)atomic_load(&row->owner), 0) != 0 && errno == ESRCH);
}

bool mem_shared_is_used(const MemShared *s, uint32_t number)
{
    const SharedRow *row = row_of(s, number);
    return row && atomic_load(&row->holders) > 1;
}

uint32_t mem_share_name(MemShared *s)
{
    return add_row(s, 0, 0);
}

/* STATUS_OK: another process shares it, and has not freed it. */
static Status find_row(const MemShared *s, uint32_t number, bool has_bytes)
{
    const SharedRow *row = row_of(s, number);
    if (!row || (atomic_load(&row->bytes) != 0) != has_bytes)
        return STATUS_NOT_FOUND;
    if (atomic_load(&row->owner) == s->self)
        return STATUS_INVALID;
    return mem_shared_is_gone(s, number) ? STATUS_IO : STATUS_OK;
}

Status mem_find_shared_name(const MemShared *s, uint32_t number)
{
    return find_row(s, number, false);
}

void mem_forget_shared(MemShared *s, uint32_t number)
{
    SharedRow *row = row_of(s, number);
    if (row && atomic_load(&row->owner) == s->self)
        atomic_store(&row->gone, true);
}

/* ---- memory ---- */

static bool is_written(const uint8_t *init, uint64_t bytes)
{
    uint64_t i = 0;
    while (i < bytes && init[i] == 0)
        i++;
    return i < bytes;
}

static void copy_contents(const MemAlloc *a, uint8_t *host, uint8_t *init)
{
    memcpy(init, a->init, (a->bytes + 7) / 8);
    for (uint64_t at = 0; at < a->bytes; at += MEM_PAGE) {
        uint64_t n = a->bytes - at < MEM_PAGE ? a->bytes - at : MEM_PAGE;
        if (a->bytes <= SHARED_FILLED_MAX || is_written(a->init + at / 8, (n + 7) / 8))
            memcpy(host + at, a->host + at, n);
    }
}

uint32_t mem_share(MemShared *s, Mem *m, MemAlloc *a)
{
    if (a->shared)
        return a->shared;
    uint64_t bytes = room_bytes(a->bytes), room = atomic_load(&s->table->next_room);
    do {
        if (room > s->file_bytes || bytes > s->file_bytes - room)
            return 0;
    } while (!atomic_compare_exchange_weak(&s->table->next_room, &room, room + bytes));
    uint8_t *host = map_file(s->fd, room, bytes);
    uint32_t number = host ? add_row(s, room, a->bytes) : 0;
    if (number == 0) {
        if (host)
            munmap(host, bytes);
        return 0;
    }
    copy_contents(a, host, host + init_offset(a->bytes));
    mem_clear_place(a);
    a->host = host;
    a->init = host + init_offset(a->bytes);
    a->shared = number;
    m->shared = s;
    return number;
}

/* False: nobody holds it any more. */
static bool hold(SharedRow *row)
{
    uint32_t n = atomic_load(&row->holders);
    while (n > 0 && !atomic_compare_exchange_weak(&row->holders, &n, n + 1)) {
    }
    return n > 0;
}

static void let_go(SharedRow *row, uint8_t *host)
{
    uint64_t bytes = room_bytes(atomic_load(&row->bytes));
    if (atomic_fetch_sub(&row->holders, 1) == 1)
        madvise(host, bytes, MADV_REMOVE);
    munmap(host, bytes);
}

Status mem_open_shared(MemShared *s, Mem *m, uint32_t number, uint64_t site, MemAlloc **out)
{
    Status st = find_row(s, number, true);
    if (st != STATUS_OK)
        return st;
    SharedRow *row = row_of(s, number);
    if (!hold(row))
        return STATUS_IO;
    uint64_t bytes = atomic_load(&row->bytes);
    uint8_t *host = map_file(s->fd, atomic_load(&row->room), room_bytes(bytes));
    if (!host) {
        atomic_fetch_sub(&row->holders, 1);
        return STATUS_NO_MEMORY;
    }
    pthread_rwlock_wrlock(&m->lock);
    MemAlloc *a = mem_place(m, bytes, host, host + init_offset(bytes));
    if (a) {
        a->kind = MEM_OPENED;
        a->site = site;
        a->shared = number;
        m->shared = s;
    }
    pthread_rwlock_unlock(&m->lock);
    if (!a)
        let_go(row, host);
    *out = a;
    return a ? STATUS_OK : STATUS_NO_MEMORY;
}

void mem_let_go(Mem *m, MemAlloc *a)
{
    SharedRow *row = a->shared ? row_of(m->shared, a->shared) : NULL;
    if (!row)
        return;
    if (a->kind != MEM_OPENED)
        atomic_store(&row->gone, true);
    let_go(row, a->host);
}
