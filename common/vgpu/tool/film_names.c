/* Names and types of a kernel's parameters and shared arrays, from the text of its source.
 *
 * PTX has neither. The text is looked through for "__global__ ... NAME(" and "__shared__ TYPE NAME[": no parser of C++, and what is
 * written in another way has no name. Nothing but what is shown depends on it.
 */
#include "common/vgpu/tool/film.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *words, *type;
    uint8_t bytes;
} types[] = {{"float", "f32", 4},
             {"double", "f64", 8},
             {"int", "s32", 4},
             {"int32_t", "s32", 4},
             {"unsigned", "u32", 4},
             {"unsigned int", "u32", 4},
             {"uint32_t", "u32", 4},
             {"char", "s8", 1},
             {"signed char", "s8", 1},
             {"int8_t", "s8", 1},
             {"unsigned char", "u8", 1},
             {"uint8_t", "u8", 1},
             {"bool", "u8", 1},
             {"short", "s16", 2},
             {"int16_t", "s16", 2},
             {"unsigned short", "u16", 2},
             {"uint16_t", "u16", 2},
             {"long", "s64", 8},
             {"long long", "s64", 8},
             {"int64_t", "s64", 8},
             {"unsigned long", "u64", 8},
             {"unsigned long long", "u64", 8},
             {"uint64_t", "u64", 8},
             {"size_t", "u64", 8},
             {"half", "f16", 2},
             {"__half", "f16", 2},
             {"float2", "f32", 4},
             {"float4", "f32", 4},
             {"int2", "s32", 4},
             {"int4", "s32", 4}};

unsigned film_type_bytes(const char *type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].type, type) == 0)
            return types[i].bytes;
    return 0;
}

static bool is_name_char(int c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The next place of a whole word, from `at` on. */
static const char *find_word(const char *at, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = at; n > 0 && (p = strstr(p, word)); p++)
        if ((p == at || !is_name_char(p[-1])) && !is_name_char(p[n]))
            return p;
    return NULL;
}

static const char *skip_space(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

/* ---- numbers ---- */

/* "#define NAME 16", "NAME = 16". */
static bool find_constant(const char *source, const char *name, uint32_t *out)
{
    for (const char *at = source; (at = find_word(at, name)); at++) {
        const char *p = skip_space(at + strlen(name));
        bool assigned = *p == '=' && p[1] != '=';
        const char *line = at;
        while (line > source && line[-1] != '\n')
            line--;
        bool defined = strncmp(skip_space(line), "#define", 7) == 0;
        p = skip_space(assigned ? p + 1 : p);
        if ((assigned || defined) && isdigit((unsigned char)*p)) {
            *out = (uint32_t)strtoul(p, NULL, 10);
            return true;
        }
    }
    return false;
}

static bool read_term(const char *source, const char **at, uint32_t *out)
{
    char name[FILM_NAME_MAX];
    size_t n = 0;
    *at = skip_space(*at);
    if (isdigit((unsigned char)**at)) {
        char *end;
        *out = (uint32_t)strtoul(*at, &end, 10);
        *at = end;
        return true;
    }
    while (is_name_char((*at)[n]) && n < sizeof name - 1) {
        name[n] = (*at)[n];
        n++;
    }
    name[n] = 0;
    *at += n;
    return n > 0 && find_constant(source, name, out);
}

/* "16", "TILE", "TILE + 1", "2 * R": what stands in brackets. */
static bool read_size(const char *source, const char **at, uint32_t *out)
{
    uint32_t next;
    if (!read_term(source, at, out))
        return false;
    for (;;) {
        *at = skip_space(*at);
        char op = **at;
        if (op == ']')
            break;
        if (op != '+' && op != '*' && op != '-')
            return false;
        ++*at;
        if (!read_term(source, at, &next))
            return false;
        *out = op == '+' ? *out + next : op == '*' ? *out * next : *out - next;
    }
    ++*at;
    return *out > 0;
}

/* ---- declarations ---- */

/* The type of "const float *__restrict__": its words without those that say nothing of an element. */
static const char *type_of(const char *from, const char *to)
{
    static const char *const dropped[] = {"const", "volatile", "__restrict__", "__restrict", "restrict", "extern", "static", "__shared__", "__align__", "alignas"};
    char words[FILM_NAME_MAX] = "";
    for (const char *at = from; at < to;) {
        size_t n = 0;
        while (at + n < to && is_name_char(at[n]))
            n++;
        bool drop = n == 0 || isdigit((unsigned char)*at);
        for (size_t i = 0; i < sizeof dropped / sizeof *dropped && n > 0; i++)
            drop |= strlen(dropped[i]) == n && memcmp(dropped[i], at, n) == 0;
        if (!drop && strlen(words) + n + 2 < sizeof words) {
            strcat(words, *words ? " " : "");
            strncat(words, at, n);
        }
        at += n ? n : 1;
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].words, words) == 0)
            return types[i].type;
    return "";
}

/* "const float *in": [from, to). The name is the last word before a bracket or the end. */
static bool read_declaration(const char *source, const char *from, const char *to, FilmName *out)
{
    const char *end = from;
    while (end < to && *end != '[' && *end != '=')
        end++;
    const char *after = end;
    while (end > from && !is_name_char(end[-1]))
        end--;
    const char *begin = end;
    while (begin > from && is_name_char(begin[-1]))
        begin--;
    size_t n = (size_t)(end - begin);
    if (n == 0 || n >= sizeof out->name)
        return false;
    *out = (FilmName){.type = type_of(from, begin)};
    memcpy(out->name, begin, n);
    while (after < to && *after == '[' && out->n_dims < FILM_DIMS_MAX) {
        const char *at = after + 1;
        if (!read_size(source, &at, &out->dims[out->n_dims])) {
            out->n_dims = 0;
            break;
        }
        out->n_dims++;
        after = skip_space(at);
    }
    return true;
}

/* The end of one parameter of a list: a comma or the closing bracket outside of all others. */
static const char *parameter_end(const char *at)
{
    int depth = 0;
    for (; *at; at++) {
        if (depth == 0 && (*at == ',' || *at == ')'))
            break;
        depth += (*at == '(' || *at == '<' || *at == '[') - (*at == ')' || *at == '>' || *at == ']');
    }
    return at;
}

/* Behind the "(" of the kernel's definition or declaration; NULL: it is not there. */
static const char *find_parameters(const char *source, const char *kernel)
{
    for (const char *at = source; (at = find_word(at, kernel)); at++) {
        const char *open = skip_space(at + strlen(kernel)), *from = at;
        while (from > source && from[-1] != ';' && from[-1] != '}')
            from--;
        const char *global = find_word(from, "__global__");
        if (*open == '(' && global && global < at)
            return open + 1;
    }
    return NULL;
}

bool film_parameter(const char *source, const char *kernel, uint32_t nth, FilmName *out)
{
    const char *at = find_parameters(source, kernel);
    while (at) {
        const char *end = parameter_end(at);
        if (nth-- == 0)
            return read_declaration(source, at, end, out);
        at = *end == ',' ? end + 1 : NULL;
    }
    return false;
}

bool film_shared(const char *source, const char *name, FilmName *out)
{
    for (const char *at = source; (at = find_word(at, "__shared__")); at++) {
        const char *end = at + strcspn(at, ";{}");
        const char *named = find_word(at, name);
        if (!named || named > end)
            continue;
        FilmName first; /* has the type of those behind it: "float a[8], b[8]" */
        if (!read_declaration(source, at, at + strcspn(at, ",;{}"), &first) || !read_declaration(source, named, named + strcspn(named, ",;{}"), out))
            return false;
        out->type = first.type;
        return strcmp(out->name, name) == 0;
    }
    return false;
}
