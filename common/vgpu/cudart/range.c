/* range: what a program told about managed memory, and reads back (cudaMemAdvise, cudaMemRangeGetAttribute).
 *
 * Advice other than read mostly changes nothing here: all devices and the host see the same bytes, and where
 * pages lie is only a matter of time. It is kept for whole allocations, also when a program advises a part of one.
 */
#include "common/vgpu/cudart/cudart_internal.h"

#include <stdlib.h>

typedef struct Advice {
    uint32_t serial; /* of the allocation */
    bool read_mostly;
    struct cudaMemLocation preferred, prefetched; /* type cudaMemLocationTypeInvalid: none */
    bool host_accesses;
    bool accesses[DEVICES_MAX]; /* by the program's device */
} Advice;

typedef struct Advices {
    Advice *items;
    size_t n, cap;
} Advices;

/* The advice about an allocation, made if need be; NULL without memory. */
static Advice *find_advice(uint32_t serial)
{
    Facade *f = facade();
    if (!f->advices)
        f->advices = calloc(1, sizeof *f->advices);
    Advices *all = f->advices;
    for (size_t i = 0; all && i < all->n; i++)
        if (all->items[i].serial == serial)
            return &all->items[i];
    if (!all || !VEC_GROW(all->items, all->n, all->cap))
        return NULL;
    all->items[all->n] = (Advice){.serial = serial};
    return &all->items[all->n++];
}

void range_prefetched(uint32_t serial, struct cudaMemLocation where)
{
    Advice *a = find_advice(serial);
    if (a)
        a->prefetched = where;
}

bool range_advise(uint32_t serial, enum cudaMemoryAdvise advice, struct cudaMemLocation where)
{
    Advice *a = find_advice(serial);
    if (!a)
        return false;
    bool on = advice == cudaMemAdviseSetAccessedBy;
    switch (advice) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
        a->read_mostly = advice == cudaMemAdviseSetReadMostly;
        break;
    case cudaMemAdviseSetPreferredLocation:
        a->preferred = where;
        break;
    case cudaMemAdviseUnsetPreferredLocation:
        a->preferred = (struct cudaMemLocation){0};
        break;
    default:
        if (where.type == cudaMemLocationTypeDevice)
            a->accesses[where.id] = on;
        else
            a->host_accesses = on;
        break;
    }
    return true;
}

/* A place as a device number: cudaCpuDeviceId for the host. */
static int location_number(struct cudaMemLocation where)
{
    return where.type == cudaMemLocationTypeInvalid  ? cudaInvalidDeviceId
           : where.type == cudaMemLocationTypeDevice ? where.id
                                                     : cudaCpuDeviceId;
}

/* Measured: unused places of the list are cudaInvalidDeviceId. */
static void list_accesses(const Advice *a, int *out, size_t n)
{
    size_t k = 0;
    for (int i = 0; i < DEVICES_MAX && k < n; i++)
        if (a->accesses[i])
            out[k++] = i;
    if (a->host_accesses && k < n)
        out[k++] = cudaCpuDeviceId;
    while (k < n)
        out[k++] = cudaInvalidDeviceId;
}

static bool range_tell(const Advice *a, enum cudaMemRangeAttribute attribute, int *out, size_t n)
{
    if (attribute == cudaMemRangeAttributeAccessedBy) {
        list_accesses(a, out, n);
        return n > 0;
    }
    switch (attribute) {
    case cudaMemRangeAttributeReadMostly:
        *out = a->read_mostly;
        break;
    case cudaMemRangeAttributePreferredLocation:
        *out = location_number(a->preferred);
        break;
    case cudaMemRangeAttributeLastPrefetchLocation:
        *out = location_number(a->prefetched);
        break;
    case cudaMemRangeAttributePreferredLocationType:
        *out = (int)a->preferred.type;
        break;
    case cudaMemRangeAttributePreferredLocationId:
        *out = a->preferred.id;
        break;
    case cudaMemRangeAttributeLastPrefetchLocationType:
        *out = (int)a->prefetched.type;
        break;
    case cudaMemRangeAttributeLastPrefetchLocationId:
        *out = a->prefetched.id;
        break;
    default:
        return false;
    }
    return n == 1;
}

static cudaError_t get_range_attribute(Call *call, void *data, size_t bytes,
                                       enum cudaMemRangeAttribute attribute, const void *p, size_t count)
{
    uint32_t serial;
    if (!data || bytes == 0 || bytes % sizeof(int) != 0 || count == 0 ||
        !memory_is_managed(call, p, count, &serial))
        return cudaErrorInvalidValue;
    const Advice *a = find_advice(serial);
    if (!a)
        return cudaErrorMemoryAllocation;
    return range_tell(a, attribute, data, bytes / sizeof(int)) ? cudaSuccess : cudaErrorInvalidValue;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t bytes, enum cudaMemRangeAttribute attribute,
                                     const void *p, size_t count)
{
    ENTER(API_cudaMemRangeGetAttribute);
    return call_leave(&call, get_range_attribute(&call, data, bytes, attribute, p, count));
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *bytes, enum cudaMemRangeAttribute *attributes,
                                      size_t n, const void *p, size_t count)
{
    ENTER(API_cudaMemRangeGetAttributes);
    cudaError_t error = !data || !bytes || !attributes || n == 0 ? cudaErrorInvalidValue : cudaSuccess;
    for (size_t i = 0; i < n && error == cudaSuccess; i++)
        error = get_range_attribute(&call, data[i], bytes[i], attributes[i], p, count);
    return call_leave(&call, error);
}
