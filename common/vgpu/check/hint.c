/* Hints: one sentence about what to look at. A hint that names a cause is given only when the facts of this
 * access support it; otherwise the kind's own general one (findings.def) stands. */
#include "common/vgpu/check/check_internal.h"
#include "common/vgpu/check/finding_internal.h"

#include <string.h>

static uint64_t volume(const uint32_t d[3])
{
    return (uint64_t)d[0] * d[1] * d[2];
}

static bool is_flat(const ExecLaunch *l)
{
    return l->grid[1] == 1 && l->grid[2] == 1 && l->block[1] == 1 && l->block[2] == 1;
}

/* Index of the element that the access touches, when it lies on an element's boundary behind the allocation's
 * start. */
static bool element_index(const Finding *f, uint64_t *index)
{
    if (!f->has_alloc || f->address < f->alloc_address || !f->bytes ||
        (f->address - f->alloc_address) % f->bytes)
        return false;
    *index = (f->address - f->alloc_address) / f->bytes;
    return true;
}

static const char *intern_hint(CheckSet *set, StrBuf *b)
{
    const char *text = check_intern(set, b->failed ? "" : b->text);
    strbuf_free(b);
    return text;
}

/* Of an array that is smaller a launch of one block has as many threads as it has bytes, whatever was allocated. */
enum { FEW_ELEMENTS = 8 };

/* Where the thread stands in a grid of two or three dimensions. */
static void put_place(StrBuf *b, const ExecLaunch *l, const Finding *f)
{
    bool flat = l->grid[2] == 1 && l->block[2] == 1;
    strbuf_puts(b, "counted over the grid this thread has x = ");
    for (int d = 0; d < (flat ? 2 : 3); d++) {
        strbuf_puts(b, d == 0 ? "" : d == 1 ? ", y = " : ", z = ");
        strbuf_grouped(b, (uint64_t)f->block[d] * l->block[d] + f->thread[d]);
    }
}

/* Behind the end of a global allocation. */
static const char *hint_beyond(CheckSet *set, const Finding *f)
{
    const ExecLaunch *l = set->launch;
    uint64_t index, threads = volume(l->grid) * volume(l->block),
                    n = f->bytes ? f->alloc_bytes / f->bytes : 0;
    if (!element_index(f, &index) || n == 0)
        return NULL;
    uint64_t thread = (uint64_t)f->block[0] * l->block[0] + f->thread[0];
    /* A single block has more threads than any small array has bytes: that says nothing about bytes taken for
     * elements. */
    bool telling = l->grid[0] > 1 || f->alloc_bytes % f->bytes;
    StrBuf b = {0};
    /* The place behind the last one, and not by the thread or block of that number: an array that is one element too short. */
    bool by_count = is_flat(l) && index == n && n > 1 && index != thread && index != f->block[0];
    if (is_flat(l) && index == f->block[0] && f->bytes > 1 && f->alloc_bytes == l->grid[0] && f->alloc_bytes > 1) {
        strbuf_puts(&b, "the allocation has as many bytes as the launch has blocks: was it given their number instead of number * sizeof(element)?");
    } else if (f->alloc_bytes == sizeof(void *) && threads > n && !by_count) {
        strbuf_puts(&b, "the allocation has 8 bytes, as many as a pointer: is it sizeof of the pointer, where "
                        "n * sizeof(element) belongs?");
    } else if (is_flat(l) && index == n && index == l->block[0] && l->block[0] > 1 && thread == 0) {
        strbuf_puts(&b, "thread 0 uses index ");
        strbuf_grouped(&b, index);
        strbuf_puts(&b,
                    ", the number of threads in its block: should it be threadIdx.x instead of blockDim.x?");
    } else if (is_flat(l) && index == thread && f->bytes > 1 && telling && threads >= f->alloc_bytes && threads < f->alloc_bytes + l->block[0]) {
        strbuf_puts(&b, "the allocation has as many bytes as the launch has elements: was it given n instead "
                        "of n * sizeof(element)?");
    } else if (is_flat(l) && index == f->block[0] && l->block[0] == 1 && l->grid[0] > n) {
        strbuf_puts(&b, "the launch has ");
        strbuf_grouped(&b, l->grid[0]);
        strbuf_puts(&b, " blocks of one thread, more than the ");
        finding_put_count(&b, n, "element");
        strbuf_puts(&b, ": does the kernel test i < n? Where each block has an element of its own, is the number of blocks limited?");
    } else if (is_flat(l) && index == thread && threads > n) {
        strbuf_puts(&b, "thread ");
        strbuf_grouped(&b, thread);
        strbuf_puts(&b, " of the launch is beyond the ");
        finding_put_count(&b, n, "element");
        strbuf_puts(&b, ": does the kernel test i < n?");
        if (f->bytes > 1 && n >= FEW_ELEMENTS && threads >= f->alloc_bytes && threads < f->alloc_bytes + l->block[0])
            strbuf_puts(&b, " If it does, was the allocation given n instead of n * sizeof(element)?");
    } else if (is_flat(l) && index == f->block[0] && index != thread && l->grid[0] > n) {
        strbuf_puts(&b, "index ");
        strbuf_grouped(&b, index);
        strbuf_puts(&b, " is the number of the block, and the launch has ");
        strbuf_grouped(&b, l->grid[0]);
        strbuf_puts(&b, " of them: has the array an element for each, also for the last one, which may not be full?");
    } else if (index == n) {
        strbuf_puts(&b, "index ");
        strbuf_grouped(&b, n);
        strbuf_puts(&b, " is one past the last element, ");
        strbuf_grouped(&b, n - 1);
        strbuf_puts(&b, by_count ? ": is there a <= that should be a <, an i + 1 at the edge, no test of i < n, or are too few elements allocated?"
                        : is_flat(l) || threads <= n ? ": is there a <= that should be a <, an i + 1 at the edge, or no test of i < n?"
                                                     : ": is there a <= that should be a <, a direction that the guard does not test (&& around the work, || in an early "
                                                       "return), or an argument of the launch in another's place?");
    } else if (!is_flat(l) && threads > n) {
        put_place(&b, l, f);
        strbuf_puts(&b, ": which of these is not below its own length? The guard tests each direction against it (joined by && around the work, by || in an early return). Or is the "
                        "array smaller than the sizes that it tests?");
    } else {
        return NULL;
    }
    return intern_hint(set, &b);
}

static const char *hint_shared(const CheckSet *set, const Finding *f)
{
    const ExecLaunch *l = set->launch;
    const IrFunction *fn = &l->instance->module->functions[l->function];
    bool of_another = f->alloc_name && *f->alloc_name && f->address + f->bytes <= fn->static_shared_bytes + (uint64_t)l->dynamic_shared;
    if (of_another && f->distance < 0)
        return "the index is negative, and what lies before the array belongs to another one: is the left edge of a tile handled apart, and is every offset "
               "added?";
    if (of_another)
        return "what lies behind the array belongs to another one: compare the index with the number of elements that the array is declared with. Does it have a "
               "place for each thread of the block, and for a halo on both sides? Is there an i + 1, a <= that should be a <, or the global index where threadIdx belongs?";
    if (fn->uses_dynamic_shared && l->dynamic_shared == 0)
        return "the kernel uses dynamic shared memory, but the launch gives it none: the third argument of "
               "<<<...>>> is its size in bytes";
    uint64_t needed = f->address + f->bytes;
    uint64_t if_elements = fn->static_shared_bytes + (uint64_t)l->dynamic_shared * f->bytes;
    /* A tile has an element for each thread at least. */
    bool one_each = l->dynamic_shared >= volume(l->block) * f->bytes;
    if (fn->uses_dynamic_shared && f->bytes > 1 && !one_each && needed <= if_elements)
        return "the size of dynamic shared memory, the third number of the launch, is given in bytes: is each element counted with its sizeof (mind the parentheses), and "
               "is it worked out anew for each launch, from as many threads as this launch's blocks have?";
    if (fn->uses_dynamic_shared && one_each && needed <= if_elements)
        return "the launch gives less shared memory than the kernel uses: is it given in bytes (elements * sizeof), and is all of it counted, a halo "
               "on "
               "both "
               "sides and every array too? Or does the index begin too far?";
    if (f->address >= (uint64_t)1 << 31 && f->address <= UINT32_MAX)
        return "the index is negative: is the left edge of a tile handled apart, and does a char or an int that is shifted (>>) keep its sign?";
    if (!fn->uses_dynamic_shared && fn->static_shared_bytes > 0 && f->address == fn->static_shared_bytes)
        return "the index is one past the last place of the block's shared memory: is there an i + 1, a <= that should be a <, a "
               "window that begins too far right, or the global index where threadIdx belongs? Does the launch have more threads in a block than the array has "
               "places for?";
    return "compare the index with the size of the shared array, and with the block that the launch has: is it indexed by threadIdx, and not by the "
           "global index?";
}

/* So far from every allocation as a product or a sum of 32 bits gets that has overflowed, times an element's size. */
#define OVERFLOW_DISTANCE_MIN (INT64_C(1) << 31)
#define OVERFLOW_DISTANCE_MAX (INT64_C(1) << 36)

static bool is_overflow_away(const Finding *f)
{
    int64_t distance = f->distance < 0 ? -f->distance : f->distance;
    return f->has_alloc && distance >= OVERFLOW_DISTANCE_MIN - (int64_t)f->alloc_bytes && distance <= OVERFLOW_DISTANCE_MAX;
}

/* How many arrays the kernel was given, as far as addresses among its parameters tell: 2 stands for more. */
static int arrays_given(const CheckSet *set)
{
    const ExecLaunch *l = set->launch;
    const IrFunction *f = &l->instance->module->functions[l->function];
    const MemAlloc *first = NULL;
    for (uint32_t at = 0; l->params && at + sizeof(uint64_t) <= f->param_bytes; at += sizeof(uint64_t)) {
        uint64_t address;
        memcpy(&address, l->params + at, sizeof address);
        const MemAlloc *a = mem_find(l->mem, address);
        if (a && first && a != first)
            return 2;
        first = a ? a : first;
    }
    return first != NULL;
}

/* Some elements behind the end of an allocation the next one begins, if there is one: which array was meant, the address does not tell. */
static bool may_be_of_another(const CheckSet *set, const Finding *f)
{
    return f->has_alloc && !f->parameter && f->bytes && f->distance > (int64_t)(FEW_ELEMENTS * f->bytes) && arrays_given(set) > 1;
}

/* The nearest place at or before the access that a parameter leads to, inside of the allocation or at its end; 0: none but its start. */
static uint64_t part_begins(const CheckSet *set, const Finding *f)
{
    const ExecLaunch *l = set->launch;
    uint64_t nearest = f->alloc_address;
    for (uint32_t at = 0; l->params && at + sizeof(uint64_t) <= l->instance->module->functions[l->function].param_bytes; at += sizeof(uint64_t)) {
        uint64_t address;
        memcpy(&address, l->params + at, sizeof address);
        if (address > nearest && address <= f->address && address <= f->alloc_address + f->alloc_bytes)
            nearest = address;
    }
    return nearest > f->alloc_address ? nearest : 0;
}

/* Behind the end of an allocation of which the kernel was given a part that begins further on. */
static const char *hint_part(CheckSet *set, const Finding *f)
{
    uint64_t index, begins = f->has_alloc ? part_begins(set, f) : 0;
    if (!begins || !element_index(f, &index) || (begins - f->alloc_address) % f->bytes || f->alloc_bytes < f->bytes)
        return NULL;
    StrBuf b = {0};
    strbuf_puts(&b, "a parameter leads to element ");
    strbuf_grouped(&b, (begins - f->alloc_address) / f->bytes);
    strbuf_puts(&b, " of an allocation of ");
    finding_put_count(&b, f->alloc_bytes / f->bytes, "element");
    strbuf_puts(&b, begins == f->alloc_address + f->alloc_bytes
                        ? ", its end: does the launch add to a pointer of which the kernel needs the start, or is the array too short for all its parts?"
                        : ": has it room for all the parts that lie in it, and does the kernel know where its own part ends?");
    return intern_hint(set, &b);
}

/* Elements before an array in shared memory that a generic pointer leads to are outside of that memory's window. */
#define SHARED_MARGIN (UINT64_C(1) << 16)

/* Far behind the end of the array that the kernel meant, or at a place that no thread or block has the number of. */
static const char *hint_index(CheckSet *set, const Finding *f)
{
    uint64_t index, n = f->bytes ? f->alloc_bytes / f->bytes : 0;
    if (!f->parameter || n == 0 || !element_index(f, &index))
        return NULL;
    StrBuf b = {0};
    strbuf_puts(&b, "element ");
    strbuf_grouped(&b, index);
    strbuf_puts(&b, " of ");
    finding_put_count(&b, n, "element");
    strbuf_puts(&b, ": work the index out by hand for this thread, with the numbers that the launch has. What is added to a pointer counts elements of its type, "
                    "not bytes");
    return intern_hint(set, &b);
}

static const char *hint_bounds(CheckSet *set, const Finding *f)
{
    if (strcmp(f->space, "shared") == 0)
        return hint_shared(set, f);
    if (f->address < MEM_SHARED_WINDOW && MEM_SHARED_WINDOW - f->address <= SHARED_MARGIN)
        return "the address lies before the block's shared memory: the index of an array there is negative; what makes it so? A char or an int that "
               "is "
               "shifted has its sign";
    if (is_overflow_away(f))
        return "so far away lies what an int holds after an overflow: is the index or the byte offset worked out in 32 bits? Make a factor "
               "size_t (or long long) before it is multiplied";
    if (f->has_alloc && f->distance == 0 && !f->alloc_freed && f->bytes > 1 && f->address + f->bytes > f->alloc_address + f->alloc_bytes)
        return f->bytes > 8 || (f->bytes == 8 && f->alloc_bytes % 4 == 0)
                   ? "the allocation ends within these bytes: where several elements are read or stored at once, as a float4, the last ones, which do not fill it, need an "
                     "access of their own each. Or was cudaMalloc, which counts bytes, given a number of elements?"
                   : "the allocation ends within this element: cudaMalloc counts bytes. Was it given a number of elements instead of number * sizeof(element)?";
    if (f->distance > 0) {
        const char *part = hint_part(set, f), *hint = part ? part : hint_beyond(set, f);
        hint = hint ? hint : hint_index(set, f);
        return hint || !may_be_of_another(set, f)
                   ? hint
                   : "compare the index with the size of the array that the line names: so far behind its end the address may lie nearer to another "
                     "array, and it is that one's allocation that is told here";
    }
    if (f->has_alloc && f->distance < 0 && f->bytes && (uint64_t)-f->distance <= (uint64_t)64 * f->bytes)
        return "the index is negative: is the left edge handled apart, and every offset added?";
    if (f->has_alloc && f->distance < 0 && f->parameter)
        return "the index is negative: is a difference below 0, or has a product overflowed an int?";
    if (f->has_alloc && f->distance < 0)
        return "is the index negative (a difference below 0, a product that overflowed an int), or does it go far behind the end of another array than the one "
               "that is told here?";
    return NULL;
}

static bool same_triple(const uint32_t a[3], const uint32_t b[3])
{
    return memcmp(a, b, 3 * sizeof *a) == 0;
}

/* A read and a write of one line: x[i]++ by two threads, or x[i] += x[j], as in the steps of a tree. */
static const char *hint_race_in_line(bool same_block, bool same_warp)
{
    if (same_warp)
        return "does the index give each thread an element of its own? If it does, put __syncthreads() "
               "(__syncwarp() where no other "
               "warp takes part) between reading what others write and writing; if several change one "
               "element, use an atomic such "
               "as atomicAdd";
    if (same_block)
        return "does the index give each thread an element of its own? If it does, put __syncthreads() "
               "between reading what others "
               "write and writing; if several change one element, use an atomic such as atomicAdd";
    return "reading, changing and writing back is not one step: use an atomic such as atomicAdd, or give "
           "each "
           "thread its own element";
}

static const char hint_atomic_in_block[] = "one of the two is atomic and the other is not: put "
                                           "__syncthreads() between them, as between setting to 0 "
                                           "and counting, or make both atomic";

/* Bins or a sum that one block sets to 0 while others count. */
static const char hint_atomic_between_blocks[] =
    "one of the two is atomic and the other is not, and blocks run in any order: "
    "set a first value before the launch, with cudaMemset for example; else make both atomic";

/* x = atomicAdd(&x, 1) + 1, or the like: what the atomic has done is stored a second time. */
static const char hint_atomic_stored[] =
    "one of the two is atomic, and the same line writes the place without it: an atomic operation has changed it by itself, and what it returns "
    "is the value of before; storing that, or anything worked out of it, takes back what other threads have done in between";

/* No barrier makes two threads' stores to one element right. */
static const char hint_one_element[] =
    "two threads write one element: does the index give each thread its own, and does the guard "
    "(&& for ||) keep out threads that have none? Where all are to write it, use an atomic";

static const char hint_in_loop[] =
    "the loop around it takes another number of turns in each thread, so that a barrier in it would not be "
    "reached by all: use an atomic such as atomicAdd, or give each thread an element of its own";

static const char hint_later_turn[] =
    "a turn of the loop around them reads what only a later turn writes (it is also read before anybody has written it): let all threads write first, in a loop of its own, "
    "then __syncthreads(), and then read";

static const char hint_next_turn[] =
    "a barrier stands between the two in each turn of the loop around them, and none between one turn and the next: "
    "put another __syncthreads() at the loop's end, so that no thread begins a turn while others are in the one before; __syncwarp() only waits for the thread's own warp";

static bool is_of_next_turn(const CheckSet *set, const Note *n)
{
    uint32_t pc, other_pc;
    if (n->key.place == NO_PLACE || n->key.other == NO_PLACE)
        return false;
    const IrFunction *f = check_function(set, n->key.place, &pc), *other = check_function(set, n->key.other, &other_pc);
    return f == other && loop_has_barrier_between(set->launch->instance->module, f, pc, other_pc);
}

static bool is_in_differing_loop(const CheckSet *set, const Note *n)
{
    uint32_t pc, other_pc;
    if (n->key.place == NO_PLACE || n->key.other == NO_PLACE)
        return false;
    const IrFunction *f = check_function(set, n->key.place, &pc),
                     *other = check_function(set, n->key.other, &other_pc);
    return f == other && loop_differs(f, pc, other_pc);
}

static const char hint_warp_waited[] = "one lane of the warp has waited for that write, and the others know of it by a shuffle or a vote alone, "
                                       "which orders no memory: put __syncwarp() behind it, before they read";

/* The launch had its lanes part (vgpu --part-lanes), and the kernel asks which of them run together. */
static const char *hint_parted(const CheckSet *set)
{
    const ExecLaunch *l = set->launch;
    const IrFunction *f = l && l->part_lanes ? &l->instance->module->functions[l->function] : NULL;
    for (uint32_t i = 0; f && i < f->n_insts; i++)
        if (f->insts[i].opcode == PTX_ACTIVEMASK)
            return "__activemask(), also that of coalesced_threads(), names the lanes that run together at this moment. In this run the lanes of a warp had parted, as they may, "
                   "and it named half of them: let all lanes say which of them take part, by __ballot_sync() with the full mask, outside of the if";
    return NULL;
}

static const char hint_any_order[] = "blocks of one launch run in any order: split the work in two launches, or publish with "
                                     "__threadfence() and an atomic, and put __threadfence() behind the poll or the atomicCAS of the "
                                     "reader, too";

/* One block reads what another writes. Where a counter of finished blocks is not set back, a block takes itself for the last one too early. */
static const char *hint_between_blocks(CheckSet *set)
{
    if (!set->kept_variable)
        return hint_any_order;
    StrBuf b = {0};
    strbuf_printf(&b, "the device's variable %s holds at the beginning of this launch what an earlier one left in it: who sets it back? If that is meant, ", set->kept_variable);
    strbuf_puts(&b, hint_any_order);
    return intern_hint(set, &b);
}

static const char *hint_race(CheckSet *set, const Finding *f, const Note *n)
{
    bool same_line =
        f->place.line && f->place.line == f->other.line && strcmp(f->place.file, f->other.file) == 0;
    bool atomic = strcmp(f->access, "atomic") == 0, other_atomic = strcmp(f->other_access, "atomic") == 0;
    bool read = strcmp(f->access, "read") == 0, other_read = strcmp(f->other_access, "read") == 0;
    bool same_block = same_triple(f->block, f->other_block);
    bool same_warp = same_block && n->thread / WARP_LANES == n->other_thread / WARP_LANES;
    if (atomic && other_atomic)
        return "the scope of one takes in its own block only: use atomicAdd() and the like without _block, "
               "and cuda::thread_scope_device";
    if (same_line && atomic != other_atomic && !(atomic ? other_read : read))
        return hint_atomic_stored;
    if (atomic != other_atomic && !(atomic ? other_read : read))
        return same_block ? hint_atomic_in_block : hint_atomic_between_blocks;
    if (same_line && same_block && !read && !other_read)
        return hint_one_element;
    if (n->warp_waited)
        return hint_warp_waited;
    if (same_block && is_in_differing_loop(set, n))
        return hint_in_loop;
    if (same_line && read != other_read)
        return hint_race_in_line(same_block, same_warp);
    if (same_block && is_of_next_turn(set, n))
        return n->unwritten ? hint_later_turn : hint_next_turn;
    if (same_warp && volume(set->launch->block) <= WARP_LANES)
        return "threads of one warp do not run in step: put __syncwarp() between the two accesses";
    if (same_warp)
        return "threads of a block do not run in step, those of one warp neither: put __syncthreads() "
               "between the two accesses, or __syncwarp() where no other warp takes part, as in a branch that only some warps take";
    if (same_block)
        return "put __syncthreads() between the two accesses, where every thread of the block reaches it";
    if (!read && !other_read)
        return "two blocks write one element: give each its own, or use an atomic";
    return hint_between_blocks(set);
}

/* The bytes of an allocation of the host's up to there were written, and the next one was not. */
static bool is_prefix_written(const MemAlloc *a, uint64_t bytes)
{
    bool is_plain = a->kind == MEM_DEVICE || a->kind == MEM_POOL;
    return is_plain && a->init && bytes > 0 && init_first_clear(a->init, 0, a->bytes) == bytes;
}

/* The first bytes of the element were written, the others not: a fill or a copy of one element was given 1 for its bytes. The finding's address is
 * that of the first byte that nobody wrote. */
static const char *hint_part_written(CheckSet *set, const Finding *f, const Note *n)
{
    bool is_element = f->bytes > 1 && f->bytes <= 8 && f->has_alloc && f->address >= f->alloc_address;
    uint64_t part = is_element ? (f->address - f->alloc_address) % f->bytes : 0;
    bool is_member = f->bytes == 8 && part == 4; /* of a pair of floats, which may be written one by one */
    bool is_written = part > 0 && !is_member && n && n->has_alloc && n->alloc.init && init_first_clear(n->alloc.init, f->address - part - f->alloc_address, part) == part;
    if (!is_written)
        return NULL;
    StrBuf b = {0};
    strbuf_puts(&b, "only ");
    strbuf_grouped(&b, part);
    strbuf_puts(&b, " of the ");
    finding_put_count(&b, f->bytes, "byte");
    strbuf_puts(&b, " of this element ");
    strbuf_puts(&b, part == 1 ? "was" : "were");
    strbuf_puts(&b, " written: was a copy or cudaMemset given a number of elements instead of n * sizeof(element)?");
    return intern_hint(set, &b);
}

static const char *hint_uninit(CheckSet *set, const Finding *f, const Note *n)
{
    if (strcmp(f->space, "shared") == 0 && n && n->after_exit)
        return "no thread of this block has written it, and some of its threads had ended before a barrier: does a return let them go before they "
               "have "
               "loaded their part? All threads load, or store a 0, and come to each barrier; the condition belongs around the rest";
    if (strcmp(f->space, "shared") == 0)
        return "no thread of this block has written it: is the whole tile loaded, its edges and its tail "
               "too?";
    if (strcmp(f->space, "local") == 0)
        return "an array declared in a kernel is each thread's own, with arbitrary values until this thread "
               "writes "
               "them: is every element written before it is read, or should the threads share it "
               "(__shared__)?";
    if (n && n->has_alloc && n->alloc.kind == MEM_MANAGED)
        return "cudaMallocManaged promises no value, even where a card gives 0: write it on the host before the launch, or use cudaMemset";
    uint64_t written = f->bytes > 1 ? f->alloc_bytes / f->bytes : 0;
    bool is_prefix = n && n->has_alloc && is_prefix_written(&n->alloc, written), by_host = n && n->has_alloc && written > 0 && n->alloc.host_end == written;
    if (is_prefix || by_host) {
        StrBuf b = {0};
        strbuf_puts(&b, is_prefix ? "nobody wrote more than the first " : "no copy or fill wrote more than the first ");
        strbuf_grouped(&b, written);
        strbuf_puts(&b, " of its ");
        finding_put_count(&b, f->alloc_bytes, "byte");
        strbuf_puts(&b, is_prefix ? ": was a copy given n instead of n * sizeof(element)?" : ": was it given n instead of n * sizeof(element)?");
        return intern_hint(set, &b);
    }
    const char *part = hint_part_written(set, f, n);
    if (part)
        return part;
    return "cudaMalloc does not clear memory: copy the data there, or use cudaMemset";
}

/* Lanes at fault execute it, or are missing there. */
/* The last warp of a block whose threads are no multiple of 32 has fewer lanes: the others have not exited, there are none. */
static const char *hint_short_warp(CheckSet *set, const Note *n)
{
    uint64_t threads = volume(set->launch->block), rest = threads % WARP_LANES;
    if (!n || rest == 0 || n->thread < threads - rest)
        return NULL;
    StrBuf b = {0};
    strbuf_puts(&b, "the last warp of a block of ");
    strbuf_grouped(&b, threads);
    strbuf_puts(&b, " threads has ");
    strbuf_grouped(&b, rest);
    strbuf_puts(&b, rest == 1 ? " lane" : " lanes");
    strbuf_puts(&b, ", and there are no others: do the mask and the distances name lanes that there are, and do all of them come to the shuffle? Hardware gives 0 "
                    "for a lane that is not there, and nothing promises it");
    return intern_hint(set, &b);
}

static const char *hint_sync_mask(const Note *n)
{
    bool unnamed = n->detail && strstr(n->detail, "does not name");
    return unnamed ? "every lane that executes it must be in its mask: does the condition around it let in "
                     "other lanes than the mask names?"
                   : NULL;
}

static const char *hint_misaligned(CheckSet *set, const Finding *f)
{
    StrBuf b = {0};
    strbuf_puts(&b, "the address must be a multiple of ");
    strbuf_grouped(&b, f->bytes);
    strbuf_printf(&b, ", and is %llu beyond one: has a pointer been cast to a wider type? Then what it leads to begins at such a multiple, and so does each row of it.",
                  (unsigned long long)(f->bytes ? f->address % f->bytes : 0));
    return intern_hint(set, &b);
}

/* A trap may be the compiler's, which stands at any line, most often at the function's end. */
static const char *hint_trap(const CheckSet *set)
{
    const IrModule *m = set->launch->instance->module;
    for (uint32_t i = 0; i < m->n_globals; i++)
        if (m->globals[i].space == SPACE_CONST)
            return "the kernel called __trap(), or nvcc put a trap where it writes a __constant__ variable, "
                   "and warned when it compiled: "
                   "kernels cannot write constant memory; the host does, with cudaMemcpyToSymbol";
    return NULL;
}

/* More threads than most work has elements. */
#define MANY_THREADS (UINT64_C(1) << 26)

static const char *hint_timeout(CheckSet *set)
{
    const ExecLaunch *l = set->launch;
    if (volume(l->grid) <= 1 || volume(l->grid) * volume(l->block) < MANY_THREADS)
        return NULL;
    StrBuf b = {0};
    strbuf_puts(&b, "the launch has ");
    strbuf_grouped(&b, volume(l->grid));
    strbuf_puts(&b, " blocks of ");
    strbuf_grouped(&b, volume(l->block));
    strbuf_puts(&b, " threads: do the elements, divided by the threads of a block and rounded up, need so "
                    "many? If they do, is there a loop that cannot end?");
    return intern_hint(set, &b);
}

/* The name of a device's variable is an address in host code, where the host keeps what CUDA knows of it. */
static const char *hint_host_pointer(const CheckSet *set)
{
    const IrModule *m = set->launch->instance->module;
    for (uint32_t i = 0; i < m->n_globals; i++)
        if (m->globals[i].space == SPACE_CONST)
            return "a kernel needs a pointer that cudaMalloc returned; copy the data there with cudaMemcpy. A __constant__ variable is no argument: the "
                   "kernel uses its name";
    return NULL;
}

/* A chunk of malloc has its size in the 16 bytes before it: that is where free() looks first. */
enum { CHUNK_HEAD_BYTES = 16 };

static const char *hint_host_fault(const Finding *f)
{
    if (f->alloc_freed && f->distance == 0)
        return "free it after its last use, on the host too. Where a function has freed it because a call failed, no pointer may still lead there: "
               "set it to NULL";
    if (f->distance < 0 && f->distance >= -CHUNK_HEAD_BYTES)
        return "has memory of cudaMallocHost or cudaMallocManaged gone to free()? cudaFreeHost frees the one, cudaFree the other";
    return NULL;
}

static const char title_freed[] = "host code touched memory that had been freed";

void finding_tell_host_fault(Finding *f)
{
    const char *hint = f->has_alloc ? hint_host_fault(f) : NULL;
    if (!hint)
        return;
    f->hint = hint;
    if (f->alloc_freed && f->distance == 0)
        f->message = title_freed;
}

const char *hint_leak(CheckSet *set, const MemAlloc *a, size_t n_freed, const Finding *f)
{
    if (a->kind == MEM_PINNED)
        return "each cudaMallocHost needs its cudaFreeHost, on every way out of the function";
    if (n_freed == 0 || !f->alloc_site.token)
        return hint_for(set, f, NULL);
    StrBuf b = {0};
    strbuf_grouped(&b, n_freed);
    strbuf_puts(&b, n_freed == 1 ? " other allocation of this line was freed" : " other allocations of this line were freed");
    strbuf_puts(&b, ": how far does a loop that frees go, does each way out of the function come by its cudaFree, and is no pointer "
                    "overwritten?");
    return intern_hint(set, &b);
}

/* All that are left run, and none reads a place that another could change: a loop of their own has no end. */
static const char *hint_endless(const Note *n)
{
    bool runs = n && n->detail && (strstr(n->detail, " run at ") || strstr(n->detail, " runs at "));
    return runs && !strstr(n->detail, " wait") && !strstr(n->detail, "again and again")
               ? "a loop has no end: does each turn change what its condition tests (i += step, and not i = step), and can the step be 0?"
               : NULL;
}

/* A loop which has no end is none of the blocks that have ended. */
static const char *hint_too_much_work(const Note *n)
{
    bool ended = n && n->detail && strstr(n->detail, "blocks have ended");
    return ended && !strstr(n->detail, " wait") && !strstr(n->detail, "again and again")
               ? "blocks have come to their end, and all together did too much: does each go through what belongs to others, too (a loop that begins without "
                 "blockIdx.x, or whose step is blockDim.x and not blockDim.x * gridDim.x)? If not, a loop of a block that is left has no end"
               : NULL;
}

/* An array of no elements, which the launch was given. */
static const char *hint_null(const CheckSet *set)
{
    const ExecLaunch *l = set->launch;
    const IrFunction *fn = &l->instance->module->functions[l->function];
    bool no_pointer = false, no_size = false;
    for (uint32_t i = 0; l->params && i < fn->n_params; i++) {
        const IrParam *p = &fn->params[i];
        uint64_t value = 0;
        bool fits = (p->bytes == 4 || p->bytes == 8) && p->type != PTX_TYPE_F32 && p->type != PTX_TYPE_F64;
        if (!fits || p->offset + (uint64_t)p->bytes > fn->param_bytes)
            continue;
        memcpy(&value, l->params + p->offset, p->bytes);
        no_pointer |= p->bytes == 8 && value == 0;
        no_size |= p->bytes == 4 && value == 0;
    }
    return no_pointer && no_size ? "the launch was given a null pointer and a number that is 0: an array without elements has no first one either. Is each read behind a test of the "
                                   "size, also the one of in[0] with which something begins?"
                                 : NULL;
}

const char *hint_for(CheckSet *set, const Finding *f, const Note *n)
{
    const char *hint = NULL;
    FindingKind kind = finding_kind(f);
    switch (kind) {
    case FINDING_OUT_OF_BOUNDS:
        hint = hint_bounds(set, f);
        break;
    case FINDING_RACE:
        hint = hint_parted(set);
        hint = hint ? hint : hint_race(set, f, n);
        break;
    case FINDING_UNINITIALIZED:
        hint = hint_parted(set);
        hint = hint ? hint : hint_uninit(set, f, n);
        break;
    case FINDING_SYNC_MASK:
        hint = hint_sync_mask(n);
        break;
    case FINDING_SHUFFLE_SOURCE:
        hint = hint_short_warp(set, n);
        break;
    case FINDING_TIMEOUT:
        hint = hint_timeout(set);
        hint = hint ? hint : hint_too_much_work(n);
        hint = hint ? hint : hint_endless(n);
        break;
    case FINDING_DEADLOCK:
        hint = n && n->detail && strstr(n->detail, "have not begun")
                   ? "blocks begin in any order, and only when there is room for them: who waits for a block that has not begun may wait for ever. Let a block wait "
                     "only for those that have taken a number before it (an atomicAdd when it begins), or end the launch where all are to have come. Or does nobody set what they wait for?"
                   : hint_endless(n);
        break;
    case FINDING_TRAP:
        hint = hint_trap(set);
        break;
    case FINDING_NULL_POINTER:
        hint = hint_null(set);
        break;
    case FINDING_HOST_POINTER:
        hint = hint_host_pointer(set);
        break;
    case FINDING_MISALIGNED:
        hint = hint_misaligned(set, f);
        break;
    default:
        break;
    }
    return hint ? hint : finding_kind_hint(kind);
}
