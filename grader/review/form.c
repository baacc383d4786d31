/* What the server asks of a request: see review.h. */
#include "grader/review/review.h"

#include "grader/text/utf8.h"

#include <stdio.h>
#include <string.h>

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* The text without its encoding; NULL where it holds a NUL, a broken escape, or is no UTF-8. */
static const char *decode(Arena *a, const char *text, size_t length)
{
    char *out = arena_alloc(a, length + 1), *q = out;
    for (size_t i = 0; out && i < length; i++) {
        int high = text[i] == '%' && i + 2 < length ? hex_digit(text[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
        if (text[i] == '%' && low < 0)
            return NULL;
        *q++ = text[i] == '%' ? (char)(high << 4 | low) : text[i] == '+' ? ' ' : text[i];
        i += text[i] == '%' ? 2 : 0;
        if (!q[-1])
            return NULL;
    }
    return out && utf8_is_valid(out, (size_t)(q - out)) ? out : NULL;
}

bool review_read_form(Arena *a, const char *body, size_t length, ReviewForm *form)
{
    *form = (ReviewForm){0};
    for (size_t at = 0; at < length;) {
        const char *end = memchr(body + at, '&', length - at);
        size_t field = end ? (size_t)(end - body) - at : length - at;
        const char *equals = memchr(body + at, '=', field);
        size_t name = equals ? (size_t)(equals - body) - at : field;
        if (form->n == REVIEW_FIELDS_MAX)
            return false;
        ReviewField *f = &form->fields[form->n++];
        f->name = decode(a, body + at, name);
        f->value = equals ? decode(a, equals + 1, field - name - 1) : "";
        if (!f->name || !f->value)
            return false;
        at += field + 1;
    }
    return true;
}

const char *review_field(const ReviewForm *form, const char *name)
{
    for (size_t i = 0; i < form->n; i++)
        if (strcmp(form->fields[i].name, name) == 0)
            return form->fields[i].value;
    return "";
}

static bool is_address(const char *text, const char *before, int port)
{
    char ours[2][64];
    snprintf(ours[0], sizeof ours[0], "%s127.0.0.1:%d", before, port);
    snprintf(ours[1], sizeof ours[1], "%slocalhost:%d", before, port);
    return strcmp(text, ours[0]) == 0 || strcmp(text, ours[1]) == 0;
}

bool review_host_is_ours(const char *host, int port)
{
    return host && is_address(host, "", port);
}

bool review_origin_is_ours(const char *origin, const char *fetch_site, int port)
{
    if (origin)
        return is_address(origin, "http://", port);
    return fetch_site && strcmp(fetch_site, "same-origin") == 0;
}

static bool is_token(const char *text, size_t length, const char *token)
{
    unsigned char differs = length != strlen(token);
    for (size_t i = 0; token[i]; i++)
        differs |= (unsigned char)(i < length ? text[i] ^ token[i] : 1);
    return !differs;
}

bool review_cookie_is_ours(const char *cookie, const char *token, int port)
{
    char name[32];
    size_t n = (size_t)snprintf(name, sizeof name, "grade_review_%d=", port);
    bool found = false;
    for (const char *p = cookie; p && *p;) {
        p += strspn(p, "; ");
        size_t length = strcspn(p, ";");
        if (length >= n && strncmp(p, name, n) == 0)
            found = is_token(p + n, length - n, token) || found;
        p += length;
    }
    return found;
}
