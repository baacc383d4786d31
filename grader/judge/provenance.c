/* The rules; see provenance.h. */
#include "grader/judge/provenance.h"

#include "grader/judge/provenance_internal.h"

#include <string.h>

static bool has_inputs(const ProvenanceCase *c)
{
    size_t bytes = 0;
    for (size_t i = 0; i < c->n_in; i++)
        bytes += c->in[i].bytes;
    return bytes > 0;
}

/* Outputs of zeros alone: a fill, or a store before what the inputs decide, makes them as well as any. */
static bool are_zeros(const ProvenanceCase *c)
{
    for (size_t i = 0; i < c->n_out; i++)
        for (size_t k = 0; k < c->out[i].bytes; k++)
            if (c->out[i].data[k] != 0)
                return false;
    return true;
}

static void decide(ProvenanceFound *f, Verdict verdict, const char *message)
{
    f->verdict = verdict;
    f->message = message ? message : "";
}

/* So many bytes from the host are as much as the outputs say: what they would count had the host sent them
 * itself; but where that is little, a table that the host made is taken for the outputs only if it has their
 * words. */
static uint64_t whole_result(const Foreign *foreign, uint64_t bytes)
{
    uint64_t least = bytes / PROVENANCE_TABLE, said = foreign->outputs;
    if (said < least && !foreign->spelled)
        said = least;
    said = said < bytes ? said : bytes;
    return said > PROVENANCE_FLOOR ? said : PROVENANCE_FLOOR;
}

/* The first rule that is broken. */
static void judge_numbers(Arena *a, const ProvenanceCase *c, const Foreign *counted, ProvenanceFound *f)
{
    uint64_t share = f->out_bytes / PROVENANCE_SHARE, floor = PROVENANCE_FLOOR;
    int64_t min_ops = are_zeros(c) ? 0 : c->min_ops;
    unsigned long long made = f->host_made, foreign = f->foreign, bytes = f->out_bytes;
    bool beyond = f->foreign > (share > floor ? share : floor);
    Language l = c->language;
    if (f->host_made > share)
        decide(f, VERDICT_NO_GPU_WORK,
               arena_printf(
                   a,
                   language_say(
                       l, "Of the %llu bytes of the output %llu did not come from a kernel: no copy from the "
                          "device brought them, or what it brought was put there by the host."),
                   bytes, made));
    else if (f->ops < (double)min_ops)
        decide(f, VERDICT_NO_GPU_WORK,
               arena_printf(a,
                            language_say(l, "The kernels did %.0f operations on which the output depends; "
                                            "any right program does at least %.0f."),
                            f->ops, (double)min_ops));
    else if (has_inputs(c) && min_ops > 0 && !f->has_input)
        decide(f, VERDICT_NO_GPU_WORK,
               language_say(l, "What the kernels put out does not depend on the inputs of the case."));
    else if (f->foreign >= (bytes > floor ? bytes : floor) ||
             (beyond && f->foreign >= whole_result(counted, bytes)))
        decide(f, VERDICT_NO_GPU_WORK,
               arena_printf(a,
                            language_say(l, "The output has %llu bytes, and depends on %llu bytes from the "
                                            "host that are no input of the case: the host worked it out."),
                            bytes, foreign));
    else if (beyond)
        decide(f, VERDICT_SUSPECT,
               arena_printf(
                   a,
                   language_say(l, "The output has %llu bytes, and depends on %llu bytes from the host that "
                                   "are no input of the case. A person has to look at what they are."),
                   bytes, foreign));
}

static Status judge_record(Arena *a, const Record *r, const ProvenanceCase *c, ProvenanceFound *f, Diag *d)
{
    Closure closure;
    Foreign foreign = {0};
    Status s = closure_create(r, &closure);
    if (s == STATUS_OK)
        s = cover_outputs(r, c, &closure, &f->host_made);
    if (s == STATUS_OK)
        s = closure_follow(r, &closure);
    if (s == STATUS_OK && !foreign_is_plain(r, c, &closure, &foreign))
        s = foreign_count(r, c, &closure, &foreign);
    if (s == STATUS_OK) {
        f->ops = closure_ops(r, &closure);
        uint64_t wanted = (uint64_t)c->host_bytes;
        f->foreign = foreign.bytes > wanted ? foreign.bytes - wanted : 0;
        f->has_input = foreign.has_input;
        judge_numbers(a, c, &foreign, f);
    }
    closure_free(r, &closure);
    return s == STATUS_OK ? s : diag_set(d, s, "no memory to judge a record of provenance");
}

void provenance_missing(const ProvenanceCase *c, ProvenanceFound *found)
{
    *found = (ProvenanceFound){0};
    decide(found, VERDICT_SUSPECT,
           language_say(c->language, "Where the output comes from is not known: its record is missing or "
                                     "cannot be read. A person has to look at the program."));
}

static const char *cut_message(Language l, const char *cut)
{
    if (cut && strcmp(cut, "several processes") == 0)
        return language_say(l, "Where the output comes from is not known: several processes of the program "
                               "used devices, and of one there is a record. A person has to look at the "
                               "program.");
    return language_say(l, "Where the output comes from is not known: the program did so much that its record "
                           "is cut. A person has to look at the program.");
}

Status provenance_judge(Arena *a, const ProvenanceCase *c, const char *json, size_t length,
                        const unsigned char *bin, size_t bin_length, ProvenanceFound *found, Diag *d)
{
    Arena own = {0};
    Record *r;
    *found = (ProvenanceFound){.verdict = VERDICT_PASS, .message = ""};
    Status s = record_parse(&own, json, length, bin, bin_length, &r, d);
    for (size_t i = 0; i < c->n_out; i++)
        found->out_bytes += c->out[i].bytes;
    if (s == STATUS_OK && r->complete)
        s = judge_record(a, r, c, found, d);
    else if (s == STATUS_OK)
        decide(found, VERDICT_SUSPECT, cut_message(c->language, r->cut));
    else if (s != STATUS_NO_MEMORY) {
        provenance_missing(c, found);
        s = STATUS_OK;
    }
    arena_free(&own);
    return s;
}
