/* provenance: the record as it is written: docs/contracts.md, "The virtual GPU's provenance". */
#include "common/vgpu/device/provenance.h"

#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/uio.h>

static const char *const how_names[] = {"copy", "parameter", "constant", "immediate", "shared"};

static void put_hosts(const Provenance *p, StrBuf *b)
{
    strbuf_puts(b, "\"host\":[");
    for (size_t i = 0; i < p->n_hosts; i++) {
        const ProvHost *h = &p->hosts[i];
        strbuf_printf(b, "%s\n{\"id\":%u,\"how\":\"%s\",\"at\":%llu,\"bytes\":%llu,\"times\":%llu%s}",
                      i == 0 ? "" : ",", h->id, how_names[h->how], (unsigned long long)h->at,
                      (unsigned long long)h->bytes, (unsigned long long)h->times,
                      h->merged ? ",\"merged\":true" : "");
    }
    strbuf_puts(b, "],\n\"fills\":[");
    for (size_t i = 0; i < p->n_fills; i++)
        strbuf_printf(b, "%s{\"id\":%u,\"value\":%u,\"times\":%llu}", i == 0 ? "" : ",", p->fills[i].id,
                      p->fills[i].value, (unsigned long long)p->fills[i].times);
    strbuf_puts(b, "]");
}

/* Many runs go behind the bytes of rows, as pairs of 32 bits. */
static bool is_long(const ProvOut *o)
{
    return o->n_runs > PROVENANCE_TEXT_RUNS_MAX;
}

static void add_long_runs(Provenance *p)
{
    for (size_t i = 0; i < p->n_outs; i++) {
        ProvOut *o = &p->outs[i];
        o->runs_at = provenance_begin(p);
        for (size_t k = 0; is_long(o) && k < o->n_runs; k++) {
            const ProvRun *run = &p->runs[o->first_run + k];
            const uint32_t pair[2] = {htole32((uint32_t)run->bytes), htole32(run->id)};
            provenance_add(p, pair, sizeof pair);
        }
    }
}

static void put_outs(const Provenance *p, StrBuf *b)
{
    strbuf_puts(b, ",\n\"out\":[");
    for (size_t i = 0; i < p->n_outs; i++) {
        const ProvOut *o = &p->outs[i];
        strbuf_printf(b, "%s\n{\"at\":%llu,\"bytes\":%llu,\"how\":\"%s\",\"times\":%llu,", i == 0 ? "" : ",",
                      (unsigned long long)o->at, (unsigned long long)o->bytes, how_names[o->how],
                      (unsigned long long)o->times);
        if (is_long(o)) {
            strbuf_printf(b, "\"runs\":[%llu,%zu]}", (unsigned long long)o->runs_at, o->n_runs);
            continue;
        }
        strbuf_puts(b, "\"origins\":[");
        for (size_t k = 0; k < o->n_runs; k++)
            strbuf_printf(b, "%s[%llu,%u]", k == 0 ? "" : ",",
                          (unsigned long long)p->runs[o->first_run + k].bytes, p->runs[o->first_run + k].id);
        strbuf_puts(b, "]}");
    }
    strbuf_puts(b, "]");
}

static void put_stores(const Provenance *p, StrBuf *b)
{
    const char *comma = "";
    strbuf_puts(b, ",\n\"stores\":[");
    for (size_t i = 0; i < p->n_stores; i++) {
        const ProvStore *s = &p->stores[i];
        if (!p->used[s->id])
            continue;
        strbuf_printf(b, "%s\n{\"id\":%u,\"group\":%u,\"site\":%u}", comma, s->id, s->group, s->site);
        comma = ",";
    }
    strbuf_puts(b, "]");
}

static void put_group(const Provenance *p, const ProvGroup *g, StrBuf *b)
{
    const char *name = p->functions[g->function]->name;
    strbuf_puts(b, "{\"kernel\":");
    strbuf_json_string(b, name, strlen(name));
    strbuf_printf(b, ",\"function\":%u,\"launches\":%llu,\"changes\":%llu,\"ops\":[", g->function,
                  (unsigned long long)g->launches, (unsigned long long)g->changes);
    for (size_t i = 0; i < g->n_ops; i++)
        strbuf_printf(b, "%s[%u,%llu]", i == 0 ? "" : ",", g->ops[i].pc, (unsigned long long)g->ops[i].count);
    strbuf_puts(b, "],\"reads\":[");
    for (size_t i = 0; i < g->n_reads; i++) {
        strbuf_printf(b, "%s[%u,[", i == 0 ? "" : ",", g->reads[i].pc);
        for (uint32_t k = 0; k < g->reads[i].n; k++)
            strbuf_printf(b, "%s%u", k == 0 ? "" : ",", g->ids[g->reads[i].first + k]);
        strbuf_puts(b, "]]");
    }
    strbuf_puts(b, "]}");
}

static void put_function(const ProvFunction *f, StrBuf *b)
{
    static const char digits[] = "0123456789abcdef";
    const char *comma = "";
    strbuf_puts(b, "{\"name\":");
    strbuf_json_string(b, f->name, strlen(f->name));
    strbuf_printf(b, ",\"n\":%u,\"slices\":[", f->n);
    for (uint32_t pc = 0; pc < f->n; pc++) {
        if (!f->slices[pc])
            continue;
        strbuf_printf(b, "%s{\"site\":%u,\"pcs\":\"", comma, pc);
        for (uint32_t i = 0; i < (f->n + 7) / 8; i++) {
            const char two[2] = {digits[f->slices[pc][i] >> 4], digits[f->slices[pc][i] & 15]};
            strbuf_append(b, two, 2);
        }
        strbuf_puts(b, "\"}");
        comma = ",";
    }
    strbuf_puts(b, "]}");
}

static void put_record(const Provenance *p, StrBuf *b)
{
    strbuf_printf(b, "{\"schema\":1,\"complete\":%s", p->cut ? "false" : "true");
    if (p->cut)
        strbuf_printf(b, ",\"cut\":\"%s\"", p->cut);
    strbuf_puts(b, ",\n");
    put_hosts(p, b);
    put_outs(p, b);
    put_stores(p, b);
    strbuf_puts(b, ",\n\"groups\":[");
    for (size_t i = 0; i < p->n_groups; i++) {
        strbuf_puts(b, i == 0 ? "\n" : ",\n");
        put_group(p, &p->groups[i], b);
    }
    strbuf_puts(b, "],\n\"functions\":[");
    for (size_t i = 0; i < p->n_functions; i++) {
        strbuf_puts(b, i == 0 ? "\n" : ",\n");
        put_function(p->functions[i], b);
    }
    strbuf_puts(b, "]}\n");
}

/* Several processes write to one file: each its record in one piece. */
static void write_piece(int fd, const StrBuf *text, const Provenance *p)
{
    uint64_t head[2] = {text->length, p->n_bin};
    struct iovec parts[] = {{head, sizeof head}, {text->text, text->length}, {p->bin, p->n_bin}};
    while (writev(fd, parts, 3) < 0 && errno == EINTR) {
    }
}

void provenance_write(Provenance *p, int fd)
{
    StrBuf text = {0};
    if (p->written || fd < 0)
        return;
    p->written = true;
    marks_show_all(p, true);
    provenance_forget_module(p, NULL);
    add_long_runs(p);
    put_record(p, &text);
    if (!text.failed)
        write_piece(fd, &text, p);
    strbuf_free(&text);
}
