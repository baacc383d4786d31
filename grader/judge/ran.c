/* ran: see ran.h. */
#include "grader/judge/ran.h"

#include <ctype.h>
#include <string.h>

enum { KERNELS_TOLD = 3 };

/* The kernel's name as it stands before <<<: without "void " and parameters. */
static const char *launch_name(const char *kernel, size_t *length)
{
    const char *name = strncmp(kernel, "void ", 5) == 0 ? kernel + 5 : kernel;
    size_t n = strlen(name);
    int depth = 0;
    for (size_t at = n; at > 0; at--) {
        depth += (name[at - 1] == ')') - (name[at - 1] == '(');
        if (depth == 0) {
            n = name[at - 1] == '(' ? at - 1 : n;
            break;
        }
    }
    *length = n;
    return name;
}

static bool is_first(const VgpuReport *r, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(r->launches[k].kernel, r->launches[i].kernel) == 0)
            return false;
    return true;
}

void ran_tell(StrBuf *out, const VgpuReport *r, Language language)
{
    size_t told = 0;
    for (size_t i = 0; i < r->n_launches && told < KERNELS_TOLD; i++) {
        size_t times = 0, last = i, length;
        if (!r->launches[i].launched_as[0] || !is_first(r, i))
            continue;
        for (size_t k = i; k < r->n_launches; k++)
            if (strcmp(r->launches[k].kernel, r->launches[i].kernel) == 0) {
                times++;
                last = k;
            }
        const char *name = launch_name(r->launches[i].kernel, &length);
        strbuf_printf(out, "\n%s%.*s%s", language_say(language, "launched: "), (int)length, name, r->launches[last].launched_as);
        if (times > 1) /* calls before, for other sizes, come first */
            strbuf_printf(out, language_say(language, ", the last of %zu"), times);
        told++;
    }
}

static double ran_number(const VgpuReport *r, const char *name)
{
    double value = 0;
    return vgpu_report_number(r, name, &value) ? value : 0;
}

static bool stores(const VgpuReport *r)
{
    for (size_t i = 0; i < r->n_launches; i++)
        if (!(r->launches[i].stored == 0))
            return true;
    return false;
}

const char *ran_zeros(const VgpuReport *r, Language language)
{
    return stores(r) ? language_say(language, "Kernels have stored results: are these zeros among them (a factor or a parameter that became 0, as 0.25 does in an int; a sum "
                                              "that ends before its first term), or were they set to 0 before and never stored?")
                     : NULL;
}

bool ran_tail(StrBuf *out, const VgpuReport *r, double first, double elements, Language language)
{
    for (size_t i = r->n_launches; i-- > 0;) {
        const VgpuLaunch *l = &r->launches[i];
        size_t length;
        const char *name = launch_name(l->kernel, &length);
        if (l->blocks * l->threads != first || first >= elements)
            continue;
        strbuf_printf(out, language_say(language, "%.*s has %.0f threads in all, and there are %.0f elements: is the number of blocks worked out from the size of a block "
                                                  "that the launch has, and rounded up, or does a thread go on to further ones?"),
                      (int)length, name, first, elements);
        return true;
    }
    return false;
}

const char *ran_never_written(const VgpuReport *r, Language language)
{
    if (r->cut || ran_number(r, "launches") != (double)r->n_launches)
        return NULL;
    if (r->n_launches == 0)
        return r->n_errors > 0 ? NULL
                               : language_say(language, "No kernel was launched: is the way to the launch taken, and does <<<blocks, threads>>> stand behind the kernel's name?");
    if (!stores(r))
        return language_say(language, "The kernel ran and stored nothing in global memory: does the guard let a thread in, and does the line assign to an element "
                                      "(out[i] = ...) and not to a variable or a pointer of the thread's own?");
    if (ran_number(r, "d2h_bytes") == 0 && ran_number(r, "migrated_to_host_bytes") == 0)
        return language_say(language, "A kernel has stored its results, and nothing was copied from the device to the host: cudaMemcpy with "
                                      "cudaMemcpyDeviceToHost brings them.");
    return NULL;
}

bool ran_factor(StrBuf *out, const VgpuReport *r, double factor, Language language)
{
    for (size_t i = 0; factor >= 2 && i < r->n_launches; i++) {
        const VgpuLaunch *l = &r->launches[i];
        size_t length;
        const char *name = launch_name(l->kernel, &length), *what = NULL;
        if (factor == l->threads)
            what = language_say(language, "%.0f is the number of threads in a block of %.*s: does each thread do what one of them is to do?");
        else if (factor == l->threads / 32)
            what = language_say(language, "%.0f is the number of warps in a block of %.*s: does each warp do what one of them is to do?");
        else if (factor == l->blocks)
            what = language_say(language, "%.0f is the number of blocks of %.*s: does each block do what one of them is to do?");
        else if (factor == l->blocks * l->threads)
            what = language_say(language, "%.0f is the number of all threads of %.*s: does each of them do what one is to do?");
        if (what) {
            strbuf_printf(out, what, factor, (int)length, name);
            return true;
        }
    }
    return false;
}
