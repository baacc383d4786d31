/* The film as one page: its style, its program and its data in one file, which asks no network for anything. The parts are those of
 * common/vgpu/film/page, taken in by the assembler. */
#include "common/vgpu/tool/film.h"

#include "common/base/embed.h"

#include <string.h>

EMBED(film_style, "common/vgpu/film/page/film.css");
EMBED(film_body, "common/vgpu/film/page/film.html");
EMBED(film_sentence_program, "common/vgpu/film/page/sentence.js");
EMBED(film_program, "common/vgpu/film/page/film.js");

void film_put_escaped(StrBuf *b, const char *text)
{
    for (; *text != 0; text++) {
        const char *name = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : *text == '&' ? "&amp;" : *text == '"' ? "&quot;" : NULL;
        if (name)
            strbuf_puts(b, name);
        else
            strbuf_append(b, (unsigned char)*text < 0x20 ? " " : text, 1);
    }
}

/* JSON in a script element: "<" stands in texts alone, and a text may end no element. */
static int put_data(const char *text, size_t length, void *to)
{
    StrBuf *b = to;
    const char *end = text + length, *next;
    for (; (next = memchr(text, '<', (size_t)(end - text))); text = next + 1) {
        strbuf_append(b, text, (size_t)(next - text));
        strbuf_puts(b, "\\u003c");
    }
    strbuf_append(b, text, (size_t)(end - text));
    return 0;
}

void film_page(const json_t *film, const char *steps, size_t n_steps, StrBuf *out)
{
    const char *kernel = json_string_value(json_object_get(film, "kernel"));
    strbuf_puts(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>Film of ");
    film_put_escaped(out, kernel ? kernel : "a kernel");
    strbuf_puts(out, "</title>\n<style>\n");
    strbuf_puts(out, film_style);
    strbuf_puts(out, "</style>\n</head>\n");
    strbuf_puts(out, film_body);
    strbuf_puts(out, "<script type=\"application/json\" id=\"steps\">");
    put_data(steps, n_steps, out);
    strbuf_puts(out, "</script>\n<script type=\"application/json\" id=\"film\">");
    out->failed |= json_dump_callback(film, put_data, out, JSON_COMPACT) != 0;
    strbuf_puts(out, "</script>\n<script>\n");
    strbuf_puts(out, film_sentence_program);
    strbuf_puts(out, film_program);
    strbuf_puts(out, "</script>\n</body>\n</html>\n");
}
