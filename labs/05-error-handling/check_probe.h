/* Lab 05: uses your CHECK in the ways that other people will. error_handling.cu includes this file at its
 * end.
 *
 * If the compiler complains here, the fault is in CHECK: it is not one statement.
 */
#ifndef CHECK_PROBE_H
#define CHECK_PROBE_H

/* Twice in a row, and nothing fails: what err holds stays as it is. */
extern "C" int probe_twice(CheckProbe *p)
{
    cudaError_t err = cudaErrorUnknown;
    CHECK(probe_call(p, 0));
    CHECK(probe_call(p, 0));
    probe_reach(p, PROBE_AFTER);
    goto done;
done:
    probe_reach(p, PROBE_DONE);
    return err;
}

/* The call fails. */
extern "C" int probe_failure(CheckProbe *p)
{
    cudaError_t err = cudaSuccess;
    p->line = __LINE__ + 1;
    CHECK(probe_call(p, 9 % sizeof p->calls)); /* 1, and the text of the call has a % */
    probe_reach(p, PROBE_AFTER);
    goto done;
done:
    probe_reach(p, PROBE_DONE);
    return err;
}

/* Between if and else, without braces. */
extern "C" int probe_branch(CheckProbe *p, int fails)
{
    cudaError_t err = cudaSuccess;
    if (p->calls == 0)
        CHECK(probe_call(p, fails));
    else
        probe_reach(p, PROBE_OTHER);
    probe_reach(p, PROBE_AFTER);
    goto done;
done:
    probe_reach(p, PROBE_DONE);
    return err;
}

#endif
