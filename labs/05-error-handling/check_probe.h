/* Lab 05: uses your CHECK in the ways that other people will. error_handling.cu includes this file at its
 * end.
 *
 * If the compiler complains here, the fault is in CHECK: it is not one statement.
 */
#ifndef CHECK_PROBE_H
#define CHECK_PROBE_H

static cudaError_t probe_call(CheckProbe *p, cudaError_t result)
{
    p->calls++;
    return result;
}

/* Twice in a row, and nothing fails. */
extern "C" int probe_twice(CheckProbe *p)
{
    cudaError_t err = cudaSuccess;
    CHECK(probe_call(p, cudaSuccess));
    CHECK(probe_call(p, cudaSuccess));
    p->after++;
    goto done;
done:
    p->done++;
    return err;
}

/* The call fails. */
extern "C" int probe_failure(CheckProbe *p)
{
    cudaError_t err = cudaSuccess;
    cudaError_t no_room = cudaErrorMemoryAllocation;
    p->line = __LINE__ + 1;
    CHECK(probe_call(p, no_room));
    p->after++;
    goto done;
done:
    p->done++;
    return err;
}

/* Between if and else, without braces. */
extern "C" int probe_branch(CheckProbe *p, int fails)
{
    cudaError_t err = cudaSuccess;
    cudaError_t result = fails ? cudaErrorMemoryAllocation : cudaSuccess;
    if (p->calls == 0)
        CHECK(probe_call(p, result));
    else
        p->other++;
    p->after++;
    goto done;
done:
    p->done++;
    return err;
}

#endif
