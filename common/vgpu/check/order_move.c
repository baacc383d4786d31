/* Dropping clocks that nobody asks for any more: those in use are moved, and the rest goes. */
#include "common/vgpu/check/order_internal.h"

static void move_all(ClockMove *v, VectorClock *clocks, size_t n)
{
    for (size_t i = 0; i < n; i++)
        clocks[i] = clock_moved(v, clocks[i]);
}

static void *clocks_of_warp_moved(ClockMove *v, const void *old)
{
    bool fresh;
    return clock_moved_bytes(v, old, sizeof(uint32_t[WARP_LANES][WARP_LANES]), &fresh);
}

static const WarpClock *warp_clock_moved(ClockMove *v, const WarpClock *old)
{
    bool fresh;
    WarpClock *now = clock_moved_bytes(v, old, sizeof *now, &fresh);
    if (fresh)
        now->clocks = clocks_of_warp_moved(v, now->clocks);
    return now;
}

static OrderWarp *order_warp_moved(ClockMove *v, const OrderWarp *old)
{
    bool fresh;
    OrderWarp *now = clock_moved_bytes(v, old, sizeof *now, &fresh);
    if (!fresh)
        return now;
    now->clocks = clocks_of_warp_moved(v, now->clocks);
    move_all(v, now->learnt, WARP_LANES);
    for (Reach reach = NEAR; reach <= FAR; reach++) {
        OrderFence *f = &now->fence[reach];
        move_all(v, now->seen[reach], WARP_LANES);
        move_all(v, f->learnt, WARP_LANES);
        move_all(v, f->more, WARP_LANES);
        for (int lane = 0; lane < WARP_LANES; lane++)
            f->warp_clock[lane] = warp_clock_moved(v, f->warp_clock[lane]);
    }
    return now;
}

static void move_block(void *self, CheckBlock *b)
{
    ClockMove *v = self;
    bool fresh;
    OrderBlock *now = b->order = clock_moved_bytes(v, b->order, sizeof *now, &fresh);
    if (!fresh)
        return;
    now->learnt = clock_moved(v, now->learnt);
    move_all(v, now->more, N_REACHES);
    for (int i = 0; i < EXEC_WARPS_MAX; i++)
        now->warps[i] = order_warp_moved(v, now->warps[i]);
}

void order_drop_old_clocks(CheckSet *set)
{
    OrderLaunch *o = set->order;
    if (set->n_workers > 1 || o->maker.full || o->maker.made < (set->options.moves_clocks ? 1 : o->move_at))
        return;
    ClockMove v;
    clock_move_begin(&v, &o->maker);
    check_each_block(set, move_block, &v);
    set->before = clock_moved(&v, set->before);
    for (size_t i = 0; i < set->n_spawns; i++)
        set->spawns[i].before = clock_moved(&v, set->spawns[i].before);
    for (size_t i = 0; i < o->cap; i++)
        if (o->locations[i].word)
            o->locations[i].clock = clock_moved(&v, o->locations[i].clock);
    clock_move_end(&v);
    if (o->maker.made * 2 > o->move_at)
        o->move_at = o->maker.made * 2;
}
