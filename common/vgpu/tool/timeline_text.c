/* timeline_text: the modelled time line as text, one row a stream:
 *
 *   vgpu: modelled time line of 105 us; a column is 1.6 us
 *     stream 1  IiiiiiiKkkkkOoooooo
 *     stream 2         IiiiiiiKkkkkOoooooo
 *     I: copy to the device, K: kernel, O: copy to the host; a capital begins one
 *   vgpu: copies in 45 us + kernels 30 us + copies out 45 us = 120 us of work in 105 us: overlap ratio 1.14
 *
 * A column shows the operation that begins in it, else the one that fills most of it.
 */
#include "common/vgpu/tool/spans.h"

enum { COLUMNS = 76, ROWS_MAX = 24 };

static const char letters[SPAN_N_KINDS] = {
    [SPAN_IN] = 'i', [SPAN_KERNEL] = 'k', [SPAN_OUT] = 'o', [SPAN_ON_DEVICE] = 'd'};

typedef struct Cell {
    uint64_t filled;
    char letter;
} Cell;

static char capital(char letter)
{
    return (char)(letter - 'a' + 'A');
}

/* Puts an operation into its row: from the column of its begin to that of its end. */
static void put_span(const Spans *s, const Span *span, Cell *row)
{
    uint64_t whole = s->last_ns - s->first_ns, from = span->start_ns - s->first_ns,
             to = span->end_ns - s->first_ns;
    uint64_t first = from * COLUMNS / whole, last = to > from ? (to * COLUMNS - 1) / whole : first;
    for (uint64_t c = first; c <= last && c < COLUMNS; c++) {
        uint64_t left = c * whole / COLUMNS, right = (c + 1) * whole / COLUMNS;
        uint64_t covered = (to < right ? to : right) - (from > left ? from : left);
        bool begins = c == first;
        bool taken = row[c].letter >= 'A' && row[c].letter <= 'Z';
        if (!begins && (taken || covered <= row[c].filled))
            continue;
        row[c] = (Cell){.filled = covered, .letter = letters[span->kind]};
        if (begins)
            row[c].letter = capital(letters[span->kind]);
    }
}

static size_t name_width(const Spans *s)
{
    size_t widest = 0;
    for (size_t i = 0; i < s->n_rows; i++) {
        StrBuf name = {0};
        spans_row_name(s, i, &name);
        widest = name.length > widest ? name.length : widest;
        strbuf_free(&name);
    }
    return widest;
}

static void timeline_put_row(const Spans *s, size_t row, size_t width, StrBuf *out)
{
    Cell cells[COLUMNS] = {0};
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].row == row)
            put_span(s, &s->items[i], cells);
    StrBuf name = {0};
    spans_row_name(s, row, &name);
    strbuf_printf(out, "  %-*s  ", (int)width, name.text ? name.text : "");
    strbuf_free(&name);
    int end = COLUMNS;
    while (end > 0 && cells[end - 1].letter == 0)
        end--;
    for (int c = 0; c < end; c++)
        strbuf_printf(out, "%c", cells[c].letter == 0 ? ' ' : cells[c].letter);
    strbuf_puts(out, "\n");
}

/* Whole numbers of microseconds; tenths below 10. */
static void put_us(StrBuf *out, uint64_t ns)
{
    if (ns < 9950)
        strbuf_printf(out, "%llu.%llu us", (unsigned long long)((ns + 50) / 1000),
                      (unsigned long long)((ns + 50) / 100 % 10));
    else
        strbuf_printf(out, "%llu us", (unsigned long long)((ns + 500) / 1000));
}

static void put_sums(const Spans *s, StrBuf *out)
{
    static const char *const names[SPAN_N_KINDS] = {[SPAN_IN] = "copies in",
                                                    [SPAN_KERNEL] = "kernels",
                                                    [SPAN_OUT] = "copies out",
                                                    [SPAN_ON_DEVICE] = "on the device"};
    const char *between = "vgpu: ";
    uint64_t sum = 0;
    for (int i = 0; i < SPAN_N_KINDS; i++) {
        if (s->total_ns[i] == 0)
            continue;
        strbuf_printf(out, "%s%s ", between, names[i]);
        put_us(out, s->total_ns[i]);
        sum += s->total_ns[i];
        between = " + ";
    }
    strbuf_puts(out, " = ");
    put_us(out, sum);
    strbuf_puts(out, " of work in ");
    put_us(out, s->last_ns - s->first_ns);
    strbuf_printf(out, ": overlap ratio %.2f\n", spans_overlap(s));
}

void print_timeline(const Records *r, StrBuf *out)
{
    Spans s = spans_read(r);
    if (s.last_ns > s.first_ns) {
        uint64_t whole = s.last_ns - s.first_ns;
        size_t width = name_width(&s);
        strbuf_puts(out, "vgpu: modelled time line of ");
        put_us(out, whole);
        strbuf_puts(out, "; a column is ");
        put_us(out, (whole + COLUMNS / 2) / COLUMNS);
        strbuf_puts(out, "\n");
        for (size_t i = 0; i < s.n_rows && i < ROWS_MAX; i++)
            timeline_put_row(&s, i, width, out);
        if (s.n_rows > ROWS_MAX)
            strbuf_printf(out, "  ... and %zu more streams\n", s.n_rows - ROWS_MAX);
        strbuf_printf(out,
                      "  I: copy to the device, K: kernel, O: copy to the host%s; a capital begins one\n",
                      s.total_ns[SPAN_ON_DEVICE] > 0 ? ", D: copy or fill on the device" : "");
        put_sums(&s, out);
    } else {
        strbuf_puts(out, "vgpu: nothing on the time line: no copy and no kernel ran\n");
    }
    spans_free(&s);
}
