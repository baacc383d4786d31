/* A moment of a film as a picture for a page or a sheet of paper: what the sentence says, the line, the block's threads, the array that is touched, and the
 * banks of shared memory. 390 units wide, as wide as a telephone. Its colours follow the reader's light or dark; a renderer that knows no
 * such thing draws the light ones. The states of threads are those of the page (statesOf in common/vgpu/film/page/film.js). */
#include "common/vgpu/tool/film.h"

#include "common/base/wrap.h"

#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 390, MARGIN = 10, INNER = WIDTH - 2 * MARGIN, TEXT_COLUMNS = 54, TITLE_COLUMNS = 46, SOURCE_COLUMNS = 51, LINE_HEIGHT = 17,
    LANES = 32, THREADS_MAX = 1024, BANKS = 32, BANK_BYTES = 4, SECTOR = 32,
    ACROSS_MAX = 64, THREAD_ROWS_HIGH = 200, PITCH_MAX = 14, LABEL = 40, CELL_ROWS_MAX = 34, WORD_HIGH = 3
};

typedef struct Still {
    const json_t *film, *step, *steps;
    int64_t at; /* the step's index */
    FilmWaiting waiting; /* when it is done */
    StrBuf *out;
    int y; /* what is drawn ends there */
} Still;

typedef enum State { NOBODY, IDLE, ACTIVE, OTHER, JOINING, BARRIER, SYNC, GONE, N_STATES } State;

static const char *const state_names[] = {
    [IDLE] = "its warp is not running now", [ACTIVE] = "in this step", [OTHER] = "elsewhere in the code", [JOINING] = "waits where the branch ends",
    [BARRIER] = "waits at the barrier", [SYNC] = "waits at a warp operation", [GONE] = "has ended"};

static const char style[] =
    "<style>text{font:12px sans-serif;fill:#1b1f24}.b{font-weight:bold}.s{fill:#57606a}.n{font-size:10px;fill:#57606a}.m{font:11px monospace}.p{fill:#fff}.i{fill:#e6e9ed}"
    ".l{fill:#fff3c4}.w{fill:#a06a00}.f{fill:#9e1b32}.a{fill:#0a5c9e}.o{stroke:#7a3e9d}.e{stroke:#8c959f}.k{stroke:#1b1f24}.x{stroke:#9e1b32}path,.x{fill:none}"
    "@media (prefers-color-scheme:dark){text{fill:#e8ebee}.s,.n{fill:#aeb7c1}.p{fill:#14181d}.i{fill:#2d353e}.l{fill:#4a3d10}.w{fill:#f2b84b}.f{fill:#ff8f85}.a{fill:#7cc0f5}"
    ".o{stroke:#cf9df0}.e{stroke:#6b7682}.k{stroke:#e8ebee}.x{stroke:#ff8f85}}</style>\n"
    "<defs><pattern id=\"h\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\"><path class=\"e\" d=\"M0 4L4 0\"/></pattern>"
    "<pattern id=\"g\" width=\"4\" height=\"4\" patternUnits=\"userSpaceOnUse\"><path class=\"o\" d=\"M0 4L4 0\"/></pattern></defs>\n";

static const char *get_text(const json_t *o, const char *name)
{
    const char *text = json_string_value(json_object_get(o, name));
    return text ? text : "";
}

static int64_t get_number(const json_t *o, const char *name)
{
    return json_integer_value(json_object_get(o, name));
}

static int64_t nth(const json_t *list, size_t i)
{
    return json_integer_value(json_array_get(list, i));
}

/* Dark blue to yellow, lighter all the way: as in the page. */
static void put_lane_fill(StrBuf *b, int lane)
{
    static const int stops[5][3] = {{59, 50, 130}, {44, 104, 142}, {30, 152, 138}, {92, 190, 92}, {240, 220, 50}};
    int of31 = lane * 4, i = of31 / 31 < 3 ? of31 / 31 : 3, rest = of31 - 31 * i, c[3];
    for (int k = 0; k < 3; k++)
        c[k] = stops[i][k] + (stops[i + 1][k] - stops[i][k]) * rest / 31;
    strbuf_printf(b, "fill=\"#%02x%02x%02x\"", (unsigned)c[0], (unsigned)c[1], (unsigned)c[2]);
}

/* ---- text ---- */

static void put_text(Still *s, const char *class, int x, const char *text, size_t length)
{
    StrBuf line = {0};
    strbuf_append(&line, text, length);
    strbuf_printf(s->out, "<text class=\"%s\" x=\"%d\" y=\"%d\">", class, x, s->y + 12);
    film_put_escaped(s->out, line.text ? line.text : "");
    strbuf_puts(s->out, "</text>\n");
    strbuf_free(&line);
    s->y += LINE_HEIGHT;
}

/* Lines of so many columns; at most so many of them. */
static void put_wrapped(Still *s, const char *class, const char *text, int columns, int lines_max)
{
    StrBuf wrapped = {0};
    text_wrap(&wrapped, text, columns);
    for (const char *at = wrapped.text ? wrapped.text : ""; *at && lines_max-- > 0;) {
        size_t n = strcspn(at, "\n");
        put_text(s, class, MARGIN, at, n);
        at += n + (at[n] == '\n');
    }
    strbuf_free(&wrapped);
}

/* Bytes of the first so many characters of UTF-8. */
static size_t first_columns(const char *text, size_t columns)
{
    size_t n = 0;
    while (text[n] && (columns > 0 || ((unsigned char)text[n] & 0xC0) == 0x80))
        columns -= ((unsigned char)text[n++] & 0xC0) != 0x80;
    return n;
}

static void put_source(Still *s)
{
    const json_t *inst = json_array_get(json_object_get(s->film, "insts"), (size_t)get_number(s->step, "i"));
    const json_t *sources = json_object_get(s->film, "sources"), *text = NULL;
    for (size_t i = 0; i < json_array_size(sources); i++)
        if (strcmp(get_text(json_array_get(sources, i), "file"), get_text(inst, "file")) == 0)
            text = json_object_get(json_array_get(sources, i), "text");
    int64_t line = get_number(inst, "line");
    if (line == 0 || (size_t)line > json_array_size(text))
        return;
    const char *code = json_string_value(json_array_get(text, (size_t)line - 1));
    StrBuf shown = {0};
    strbuf_printf(&shown, "%lld  %s", (long long)line, code + strspn(code, " \t"));
    strbuf_printf(s->out, "<rect class=\"l\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", MARGIN - 4, s->y - 2, INNER + 8, LINE_HEIGHT);
    size_t fits = shown.text ? first_columns(shown.text, SOURCE_COLUMNS) : 0;
    if (fits < shown.length) {
        shown.length = fits;
        strbuf_puts(&shown, "...");
    }
    put_text(s, "m", MARGIN, shown.text ? shown.text : "", shown.length);
    strbuf_free(&shown);
    s->y += 4;
}

/* ---- threads ---- */

static uint64_t volume(const json_t *triple)
{
    return (uint64_t)(nth(triple, 0) * nth(triple, 1) * nth(triple, 2));
}

static uint32_t lanes_of_event(const json_t *step)
{
    const json_t *x = json_object_get(step, "x");
    return (uint32_t)(x ? json_integer_value(x) : get_number(step, "m"));
}

static bool is_event(const json_t *step, const char *event)
{
    return step && strcmp(get_text(step, "e"), event) == 0;
}

/* A warp's last step so far. */
static const json_t *last_step(const Still *s, int64_t warp, bool *now)
{
    for (int64_t i = s->at; i >= 0; i--) {
        const json_t *step = json_array_get(s->steps, (size_t)i);
        if (get_number(step, "w") == warp) {
            *now = i == s->at;
            return step;
        }
    }
    return NULL;
}

static State state_of(const json_t *step, int lane, bool now, uint32_t waiting)
{
    uint32_t bit = 1u << lane, event = step ? lanes_of_event(step) : 0;
    bool ends = json_object_get(step, "e") != NULL;
    if (!step)
        return IDLE;
    if (get_number(step, "g") & bit || (is_event(step, "exit") && event & bit && !now))
        return GONE;
    if (is_event(step, "barrier") && now)
        return ACTIVE;
    if (waiting & bit)
        return BARRIER;
    if (now && (ends ? event : (uint32_t)get_number(step, "m")) & bit)
        return ACTIVE;
    return get_number(step, "j") & bit ? JOINING : get_number(step, "y") & bit ? SYNC : now ? OTHER : IDLE;
}

/* Each state has a pattern of its own beside its colour. */
static void put_state(StrBuf *b, State state, int lane, int x, int y, int size)
{
    strbuf_printf(b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" ", x, y, size, size);
    if (state == ACTIVE)
        put_lane_fill(b, lane);
    else
        strbuf_puts(b, "class=\"i\"");
    strbuf_puts(b, "/>");
    if (state == BARRIER || state == SYNC)
        strbuf_printf(b, "<rect class=\"w\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", x, state == BARRIER ? y + size - size / 3 - 1 : y, size, size / 3 + 1);
    if (state == OTHER || state == JOINING)
        strbuf_printf(b, "<rect fill=\"url(#g)\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", x, y, size, size);
    if (state == JOINING)
        strbuf_printf(b, "<path class=\"o\" d=\"M%d %dh%dv%dh-%dz\"/>", x, y, size, size, size);
    if (state == GONE)
        strbuf_printf(b, "<path class=\"e\" d=\"M%d %dl%d %dM%d %dl-%d %d\"/>", x, y, size, size, x + size, y, size, size);
    strbuf_puts(b, "\n");
}

/* The block's shape: rows of x, those of more than 32 threads broken. */
static void put_threads(Still *s)
{
    const json_t *block = json_object_get(s->film, "block");
    const int64_t wide = nth(block, 0);
    const uint64_t threads = volume(block); /* a program may write a record of its own */
    int nx = wide < 1 ? 1 : wide > THREADS_MAX ? THREADS_MAX : (int)wide, n = (int)(threads > THREADS_MAX ? THREADS_MAX : threads), across = nx < LANES ? nx : LANES, per_row = (nx + across - 1) / across;
    int rows = n < nx ? per_row : n / nx * per_row, pitch = INNER / across;
    pitch = pitch > THREAD_ROWS_HIGH / rows ? THREAD_ROWS_HIGH / rows : pitch;
    pitch = pitch < 6 ? 6 : pitch > PITCH_MAX ? PITCH_MAX : pitch;
    bool seen[N_STATES] = {false};
    put_text(s, "s", MARGIN, "Threads of the block; lines part its warps", 42);
    for (int t = 0; t < n; t++) {
        bool now = false;
        int lane = t % LANES, x = MARGIN + t % nx % across * pitch, y = s->y + (t / nx * per_row + t % nx / across) * pitch;
        const json_t *step = last_step(s, t / LANES, &now);
        State state = state_of(step, lane, now, film_waiting_lanes(&s->waiting, (uint64_t)(t / LANES)));
        seen[state] = true;
        put_state(s->out, state, lane, x, y, pitch - 1);
        if (lane == LANES - 1 && t + 1 < n) { /* where the warp ends: a line beside the last, and one below where a row ends */
            if ((t + 1) % nx % across != 0)
                strbuf_printf(s->out, "<path class=\"k\" d=\"M%d.5 %dv%d\"/>\n", x + pitch - 1, y, pitch - 1);
            else
                strbuf_printf(s->out, "<path class=\"k\" d=\"M%d %d.5h%d\"/>\n", MARGIN, y + pitch - 1, across * pitch - 1);
        }
    }
    s->y += rows * pitch + 6;
    for (State state = IDLE; state < N_STATES; state++)
        if (seen[state]) {
            put_state(s->out, state, LANES / 2, MARGIN, s->y + 2, 11);
            put_text(s, "s", MARGIN + 18, state_names[state], strlen(state_names[state]));
        }
    s->y += 4;
}

/* ---- memory ---- */

typedef struct Touched {
    int lane;
    int64_t from; /* bytes from the place's beginning */
} Touched;

static size_t touched_by(const json_t *step, uint64_t base, Touched list[LANES])
{
    const json_t *runs = json_object_get(step, "r");
    uint32_t lanes = lanes_of_event(step);
    size_t n = 0;
    for (size_t i = 0; i < json_array_size(runs); i++) {
        const json_t *run = json_array_get(runs, i);
        for (int64_t k = 0; k < nth(run, 0) && lanes != 0; k++, lanes &= lanes - 1)
            if (!json_is_string(json_array_get(run, 1)))
                list[n++] = (Touched){__builtin_ctz(lanes), nth(run, 1) + nth(run, 2) * k - (int64_t)base};
    }
    return n;
}

/* What is shown of an array: rows of cells. */
typedef struct Window {
    int64_t total, rows[CELL_ROWS_MAX]; /* elements; numbers of rows, ascending */
    int n_rows, across, pitch, left, top;
} Window;

static void add_row(Window *w, int64_t row)
{
    int at = 0;
    while (at < w->n_rows && w->rows[at] < row)
        at++;
    if (w->n_rows == CELL_ROWS_MAX || (at < w->n_rows && w->rows[at] == row))
        return;
    memmove(w->rows + at + 1, w->rows + at, sizeof *w->rows * (size_t)(w->n_rows++ - at));
    w->rows[at] = row;
}

/* The rows that are touched, one before and one behind; where that is too much, those that are touched. */
static Window window_of(const Still *s, const FilmAccess *a, const Touched *list, size_t n)
{
    const json_t *shape = json_object_get(a->place, "shape");
    size_t dims = json_array_size(shape);
    int64_t last = dims > 1 ? nth(shape, dims - 1) : LANES, low = INT64_MAX, high = 0;
    Window w = {.total = get_number(a->place, "bytes") / a->each, .left = MARGIN + LABEL, .top = s->y};
    w.across = (int)(last < 1 ? 1 : last > ACROSS_MAX ? LANES : last);
    w.pitch = (INNER - LABEL) / w.across;
    w.pitch = w.pitch > PITCH_MAX ? PITCH_MAX : w.pitch;
    for (size_t k = 0; k < n; k++) {
        int64_t from = list[k].from / a->each / w.across, to = (list[k].from + a->bytes - 1) / a->each / w.across;
        low = from < low ? from : low;
        high = to > high ? to : high;
        add_row(&w, from);
        add_row(&w, to);
    }
    int64_t end = (w.total + w.across - 1) / w.across, first = low > 0 ? low - 1 : 0;
    end = high + 2 < end ? high + 2 : end;
    for (int64_t row = first; end - first <= CELL_ROWS_MAX && row < end; row++)
        add_row(&w, row);
    return w;
}

/* Of an element's row: its place among those shown; -1: it is not shown. */
static int shown_row(const Window *w, int64_t i)
{
    for (int r = 0; r < w->n_rows; r++)
        if (i >= 0 && i < w->total && w->rows[r] == i / w->across)
            return r;
    return -1;
}

static int cell_x(const Window *w, int64_t i)
{
    return w->left + (int)(i % w->across) * w->pitch;
}

static int cell_y(const Window *w, int64_t i)
{
    return w->top + shown_row(w, i) * w->pitch;
}

/* Cells that nobody had written when the launch began, and none of the block's steps so far has. NULL: no memory. */
static bool *unwritten_cells(const Still *s, const FilmAccess *a, const Window *w)
{
    const json_t *never = json_object_get(a->place, "unwritten");
    bool *bare = calloc((size_t)w->n_rows * (size_t)w->across + 1, sizeof *bare);
    for (int c = 0; bare && c < w->n_rows * w->across; c++) {
        int64_t byte = (w->rows[c / w->across] * w->across + c % w->across) * a->each;
        bare[c] = never == NULL; /* shared memory */
        for (size_t k = 0; k < json_array_size(never); k++)
            bare[c] |= byte >= nth(json_array_get(never, k), 0) && byte < nth(json_array_get(never, k), 1);
    }
    for (int64_t at = 0; bare && at <= s->at; at++) {
        const json_t *step = json_array_get(s->steps, (size_t)at);
        Touched list[LANES];
        if (!is_event(step, "access") || strcmp(get_text(step, "k"), "load") == 0 || film_access(s->film, step).place != a->place)
            continue;
        size_t n = touched_by(step, a->base, list);
        for (size_t k = 0; k < n; k++)
            for (int64_t i = list[k].from / a->each; i * a->each < list[k].from + get_number(step, "z"); i++)
                if (shown_row(w, i) >= 0)
                    bare[shown_row(w, i) * w->across + i % w->across] = false;
    }
    return bare;
}

static void put_cells(Still *s, const FilmAccess *a, const Window *w)
{
    bool *bare = unwritten_cells(s, a, w);
    for (int r = 0; r < w->n_rows; r++) {
        int64_t first = w->rows[r] * w->across;
        strbuf_printf(s->out, "<text class=\"n\" text-anchor=\"end\" x=\"%d\" y=\"%d\">%lld</text>\n", w->left - 4, cell_y(w, first) + (w->pitch > 9 ? w->pitch - 1 : 8), (long long)first);
        for (int64_t i = first; i < first + w->across && i < w->total; i++) {
            int x = cell_x(w, i), y = cell_y(w, i), size = w->pitch - 1;
            strbuf_printf(s->out, "<rect class=\"i\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", x, y, size, size);
            if (bare && bare[r * w->across + i - first])
                strbuf_printf(s->out, "<rect fill=\"url(#h)\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", x, y, size, size);
        }
        strbuf_puts(s->out, "\n");
    }
    free(bare);
}

static bool is_touched_sector(const FilmAccess *a, const Touched *list, size_t n, int64_t sector)
{
    for (size_t k = 0; k < n; k++)
        if (sector >= list[k].from / SECTOR && sector <= (list[k].from + a->bytes - 1) / SECTOR)
            return true;
    return false;
}

/* Boxes round the sectors that are moved: the fewer, the better. */
static void put_sectors(Still *s, const FilmAccess *a, const Window *w, const Touched *list, size_t n)
{
    for (int r = 0; r < w->n_rows; r++) {
        int64_t first = w->rows[r] * w->across, end = first + w->across < w->total ? first + w->across : w->total;
        for (int64_t sector = first * a->each / SECTOR; sector * SECTOR < end * a->each; sector++) {
            int64_t from = sector * SECTOR / a->each, to = ((sector + 1) * SECTOR + a->each - 1) / a->each;
            from = from < first ? first : from;
            to = to > end ? end : to;
            if (is_touched_sector(a, list, n, sector))
                strbuf_printf(s->out, "<rect class=\"x\" stroke-width=\"1.5\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n", cell_x(w, from), cell_y(w, from),
                              (int)(to - from) * w->pitch - 1, w->pitch - 1);
        }
    }
}

static void put_array(Still *s, const FilmAccess *a, const Touched *list, size_t n)
{
    StrBuf caption = {0};
    bool shared = strcmp(get_text(s->step, "s"), "shared") == 0, inside = true;
    for (size_t k = 0; k < n; k++)
        inside &= list[k].from >= 0 && list[k].from + a->bytes <= get_number(a->place, "bytes");
    strbuf_printf(&caption, "%s%s: a colour for each thread%s", get_text(a->place, "name"), shared ? " in shared memory" : "", shared ? "" : ", a box for each sector");
    put_text(s, "s", MARGIN, caption.text ? caption.text : "", first_columns(caption.text ? caption.text : "", TEXT_COLUMNS));
    strbuf_free(&caption);
    if (!inside)
        return;
    Window w = window_of(s, a, list, n);
    put_cells(s, a, &w);
    for (size_t k = 0; k < n; k++)
        for (int64_t i = list[k].from / a->each; i * a->each < list[k].from + a->bytes; i++) {
            if (shown_row(&w, i) < 0)
                continue;
            strbuf_printf(s->out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" ", cell_x(&w, i), cell_y(&w, i), w.pitch - 1, w.pitch - 1);
            put_lane_fill(s->out, list[k].lane);
            strbuf_puts(s->out, "/>\n");
        }
    if (!shared)
        put_sectors(s, a, &w, list, n);
    s->y += w.n_rows * w.pitch + 8;
}

/* A column for each bank, and in it the words that the step wants of it: the tallest says how many passes it takes. */
static void put_banks(Still *s, const FilmAccess *a, const Touched *list, size_t n)
{
    int64_t words[BANKS][LANES];
    int high[BANKS] = {0}, tallest = 0, pitch = INNER / BANKS;
    StrBuf caption = {0};
    int64_t passes = get_number(s->step, "p"), least = get_number(s->step, "q");
    for (size_t k = 0; k < n; k++)
        for (int64_t word = (list[k].from + (int64_t)a->base) / BANK_BYTES; word * BANK_BYTES < list[k].from + (int64_t)a->base + a->bytes; word++) {
            int bank = (int)(word % BANKS), i = 0;
            while (i < high[bank] && words[bank][i] != word)
                i++;
            if (i == high[bank] && i < LANES)
                words[bank][high[bank]++] = word;
            tallest = high[bank] > tallest ? high[bank] : tallest;
        }
    strbuf_printf(&caption, "The 32 banks, and the words wanted of each: %lld pass%s", (long long)passes, passes == 1 ? "" : "es");
    if (passes > least)
        strbuf_printf(&caption, " for %lld", (long long)least);
    put_text(s, "s", MARGIN, caption.text ? caption.text : "", caption.length);
    strbuf_free(&caption);
    int word_high = tallest > 8 ? WORD_HIGH : 2 * WORD_HIGH, base = s->y + tallest * word_high;
    for (int bank = 0; bank < BANKS; bank++) {
        int x = MARGIN + bank * pitch;
        for (int i = 0; i < high[bank]; i++)
            strbuf_printf(s->out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", high[bank] > 1 ? "f" : "a", x, base - (i + 1) * word_high, pitch - 1, word_high - 1);
        strbuf_printf(s->out, "<rect class=\"i\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"5\"/>\n", x, base, pitch - 1);
    }
    s->y = base + 12;
}

static void put_memory(Still *s)
{
    if (!is_event(s->step, "access"))
        return;
    Touched list[LANES];
    const FilmAccess a = film_access(s->film, s->step);
    size_t n = a.name ? touched_by(s->step, a.base, list) : 0;
    if (n > 0 && a.place)
        put_array(s, &a, list, n);
    if (n > 0 && strcmp(get_text(s->step, "s"), "shared") == 0)
        put_banks(s, &a, list, n);
}

/* ---- the moment ---- */

bool film_moment_valid(const char *when)
{
    const char *at = when + (*when == ':');
    size_t n = strspn(at, "0123456789"), more = at[n] == '+' ? strspn(at + n + 1, "0123456789") : 0;
    return n > 0 && n < 10 && (at[n] == 0 || (*when == ':' && more > 0 && more < 10 && at[n + 1 + more] == 0));
}

/* Steps that end with an event come before those that do not. */
static int64_t step_at_line(const Still *s, int64_t line, int64_t skip)
{
    for (int events = 1; events >= 0; events--)
        for (int64_t i = 0, left = skip; i < (int64_t)json_array_size(s->steps); i++) {
            const json_t *step = json_array_get(s->steps, (size_t)i), *insts = json_object_get(s->film, "insts");
            bool here = get_number(json_array_get(insts, (size_t)get_number(step, "i")), "line") == line;
            if (here && (json_object_get(step, "e") != NULL) == (bool)events && left-- == 0)
                return i;
        }
    return -1;
}

static int64_t first_finding(const json_t *film, size_t *block)
{
    const json_t *findings = json_object_get(film, "findings");
    for (size_t i = 0; i < json_array_size(findings); i++) {
        const json_t *f = json_array_get(findings, i);
        if (get_number(f, "block") >= 0 && get_number(f, "step") >= 0) {
            *block = (size_t)get_number(f, "block");
            return get_number(f, "step");
        }
    }
    return 0;
}

/* False: there is none. */
static bool find_moment(Still *s, const json_t **block, const char *when)
{
    size_t i = 0;
    const json_t *blocks = json_object_get(s->film, "blocks");
    int64_t step = !when ? first_finding(s->film, &i) : *when != ':' ? strtol(when, NULL, 10) : -1;
    *block = json_array_get(blocks, i);
    s->steps = json_object_get(*block, "steps");
    if (when && *when == ':') {
        char *end;
        int64_t line = strtol(when + 1, &end, 10);
        step = step_at_line(s, line, *end == '+' ? strtol(end + 1, NULL, 10) : 0);
    }
    s->at = step;
    s->step = step < 0 ? NULL : json_array_get(s->steps, (size_t)step);
    return s->step != NULL;
}

/* "turn" of "void ns::turn<float>(float const*)", in C++'s own words; its block. */
static void put_title(StrBuf *b, const Still *s, const json_t *block)
{
    const json_t *index = json_object_get(block, "index");
    const char *kernel = get_text(s->film, "kernel");
    kernel += strncmp(kernel, "void ", 5) == 0 ? 5 : 0;
    strbuf_append(b, kernel, strcspn(kernel, "("));
    strbuf_printf(b, ", block %lld,%lld,%lld, step %lld", (long long)nth(index, 0), (long long)nth(index, 1), (long long)nth(index, 2), (long long)s->at);
}

bool film_still(const json_t *film, const char *when, StrBuf *out)
{
    StrBuf body = {0}, title = {0}, sentence = {0};
    Still s = {.film = film, .out = &body, .y = 8};
    const json_t *block;
    if (!find_moment(&s, &block, when))
        return false;
    put_title(&title, &s, block);
    for (int64_t i = 0; i <= s.at; i++)
        film_wait_step(&s.waiting, json_array_get(s.steps, (size_t)i));
    film_sentence(film, s.step, &s.waiting, &sentence);
    put_wrapped(&s, "b", title.text ? title.text : "", TITLE_COLUMNS, 2);
    put_wrapped(&s, "t", sentence.text ? sentence.text : "", TEXT_COLUMNS, 6);
    put_source(&s);
    put_threads(&s);
    put_memory(&s);
    strbuf_printf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" role=\"img\" aria-labelledby=\"t d\">\n<title id=\"t\">", WIDTH, s.y + 4, WIDTH);
    film_put_escaped(out, title.text ? title.text : "");
    strbuf_puts(out, "</title>\n<desc id=\"d\">");
    film_put_escaped(out, sentence.text ? sentence.text : "");
    strbuf_puts(out, "</desc>\n");
    strbuf_puts(out, style);
    strbuf_printf(out, "<rect class=\"p\" width=\"%d\" height=\"%d\"/>\n", WIDTH, s.y + 4);
    strbuf_append(out, body.text ? body.text : "", body.length);
    strbuf_puts(out, "</svg>\n");
    out->failed |= body.failed || title.failed || sentence.failed;
    strbuf_free(&body);
    strbuf_free(&title);
    strbuf_free(&sentence);
    free(s.waiting.of);
    return true;
}
