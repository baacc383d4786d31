/* user_object: a program's own things that graphs keep alive: reference counts with a destructor. */
#include "common/vgpu/cudart/graph_internal.h"

#include <stdlib.h>

#define OBJECT_TAG 0x554F000000000000u

static UserObject *object_of(cudaUserObject_t handle)
{
    return graphs() ? handle_find(&graphs()->objects, OBJECT_TAG, handle) : NULL;
}

/* The destructor may not call the runtime (CUDA Runtime API, cudaUserObjectCreate), so it runs under the
 * lock. */
static void drop_references(UserObject *o, uint64_t n)
{
    o->n_refs -= n;
    if (o->n_refs > 0)
        return;
    handle_drop(&graphs()->objects, o->id);
    o->destroy(o->data);
    free(o);
}

void user_objects_release(Graph *g)
{
    for (size_t i = 0; i < g->n_objects; i++)
        drop_references(g->objects[i].object, g->objects[i].n);
    free(g->objects);
    g->objects = NULL;
    g->n_objects = g->objects_cap = 0;
}

static UserReference *reference(Graph *g, UserObject *o)
{
    for (size_t i = 0; i < g->n_objects; i++)
        if (g->objects[i].object == o)
            return &g->objects[i];
    if (!VEC_GROW(g->objects, g->n_objects, g->objects_cap))
        return NULL;
    g->objects[g->n_objects] = (UserReference){.object = o};
    return &g->objects[g->n_objects++];
}

bool user_objects_copy(Graph *to, const Graph *from)
{
    for (size_t i = 0; i < from->n_objects; i++) {
        UserReference *r = reference(to, from->objects[i].object);
        if (!r)
            return false;
        r->n++;
        r->object->n_refs++;
    }
    return true;
}

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *data, cudaHostFn_t destroy,
                                 unsigned int n_refs, unsigned int flags)
{
    ENTER(API_cudaUserObjectCreate);
    if (!object || !destroy || n_refs == 0 || flags != cudaUserObjectNoDestructorSync)
        return call_leave(&call, cudaErrorInvalidValue);
    UserObject *o = graphs() ? calloc(1, sizeof *o) : NULL;
    if (!o)
        return call_leave(&call, cudaErrorMemoryAllocation);
    *o = (UserObject){.n_refs = n_refs, .destroy = destroy, .data = data};
    o->id = handle_add(&graphs()->objects, o);
    if (o->id == 0) {
        free(o);
        return call_leave(&call, cudaErrorMemoryAllocation);
    }
    *object = handle_make(OBJECT_TAG, o->id);
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned int n)
{
    ENTER(API_cudaUserObjectRetain);
    UserObject *o = object_of(object);
    if (!o || n == 0)
        return call_leave(&call, cudaErrorInvalidValue);
    o->n_refs += n;
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned int n)
{
    ENTER(API_cudaUserObjectRelease);
    UserObject *o = object_of(object);
    if (!o || n == 0 || n > o->n_refs)
        return call_leave(&call, cudaErrorInvalidValue);
    drop_references(o, n);
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int n,
                                      unsigned int flags)
{
    ENTER(API_cudaGraphRetainUserObject);
    Graph *g = graph_of(graph);
    UserObject *o = object_of(object);
    if (!g || !o || n == 0 || (flags & ~(unsigned)cudaGraphUserObjectMove) != 0)
        return call_leave(&call, cudaErrorInvalidValue);
    UserReference *r = reference(g, o);
    if (!r)
        return call_leave(&call, cudaErrorMemoryAllocation);
    r->n += n;
    if (flags != cudaGraphUserObjectMove)
        o->n_refs += n;
    return call_leave(&call, cudaSuccess);
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned int n)
{
    ENTER(API_cudaGraphReleaseUserObject);
    Graph *g = graph_of(graph);
    UserObject *o = object_of(object);
    for (size_t i = 0; g && o && n > 0 && i < g->n_objects; i++)
        if (g->objects[i].object == o && g->objects[i].n >= n) {
            g->objects[i].n -= n;
            if (g->objects[i].n == 0)
                g->objects[i] = g->objects[--g->n_objects];
            drop_references(o, n);
            return call_leave(&call, cudaSuccess);
        }
    return call_leave(&call, cudaErrorInvalidValue);
}
