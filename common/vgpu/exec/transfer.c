#include "common/vgpu/exec/transfer.h"

static void transfer_tell(const Transfer *t, Request *r)
{
    const ExecLaunch *launch = t->w->block->run->launch;
    ExecAccess access = {.kind = t->kind,
                         .space = r->space == SPACE_FRAME ? SPACE_LOCAL : r->space,
                         .pattern = r->pattern,
                         .sem = t->sem,
                         .scope = t->scope,
                         .bytes = t->bytes,
                         .mask = r->mask,
                         .addr = r->addr,
                         .alloc = r->alloc,
                         .host = r->hosts,
                         .host0 = request_host(r, r->first),
                         .async = t->async,
                         .texture = t->texture};
    if (t->data && t->data_stride <= UINT8_MAX) {
        access.value = &t->data;
        access.n_values = 1;
        access.value_stride = (uint8_t)t->data_stride;
    }
    const ExecWho *who = exec_who(t->w, t->function, t->inst);
    EXEC_TELL(launch, access, who, &access);
}

/* Lanes that lead to one space: checked, then told. */
static bool reach_space(const Transfer *t, Request *r, uint8_t **host)
{
    request_classify_values(r, r->addr, 0);
    if (r->pattern == PATTERN_UNIT_STRIDE && (r->bytes & (r->bytes - 1)))
        r->pattern = PATTERN_OTHER; /* strides are told for powers of two only */
    if (!request_check(r))
        return false;
    for (uint32_t left = r->mask; left; left &= left - 1) {
        int lane = first_lane(left);
        host[lane] = request_host(r, lane);
    }
    if (!r->host)
        for (uint32_t left = r->mask; left; left &= left - 1)
            r->hosts[first_lane(left)] = host[first_lane(left)];
    if (t->w->block->run->n_watchers && !t->silent && r->space != SPACE_PARAM)
        transfer_tell(t, r);
    if (r->space == SPACE_GLOBAL && t->kind != ACCESS_LOAD)
        request_mark_init(r);
    return true;
}

bool transfer_reach(const Transfer *t, uint32_t mask, const uint64_t *addr, uint8_t **host)
{
    static const uint8_t spaces[] = {SPACE_GLOBAL, SPACE_SHARED, SPACE_LOCAL, SPACE_PARAM};
    for (int i = 0; i < 4 && mask; i++) {
        uint64_t at[WARP_LANES] = {0};
        uint32_t lanes = 0;
        for (uint32_t left = mask; left; left &= left - 1) {
            int lane = first_lane(left);
            uint64_t offset = addr[lane];
            uint8_t space = t->space == SPACE_GENERIC ? request_window(addr[lane], &offset) : t->space;
            bool here = t->space != SPACE_GENERIC || space == spaces[i];
            lanes |= here ? 1u << lane : 0;
            at[lane] = offset;
        }
        Request r = {.w = t->w,
                     .inst = t->inst,
                     .addr = at,
                     .filled = true,
                     .mask = lanes,
                     .bytes = t->bytes,
                     .align = t->align,
                     .kind = t->kind,
                     .space = t->space == SPACE_GENERIC ? spaces[i] : t->space};
        if (lanes && !reach_space(t, &r, host))
            return false;
        mask &= ~lanes;
    }
    return true;
}
