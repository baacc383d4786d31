/* Tokens of CUDA C++, as far as similarity needs them: comments, layout, braces, includes and the words to
 * drop give none. Names one after the other ("unsigned int n") are one token, so that it does not matter how
 * a type is spelt. */
#include "grader/similar/similar_internal.h"

#include <ctype.h>
#include <string.h>

/* Codes below FIRST_TEXT_CODE are kinds; above, hashes of texts. */
enum { CODE_NAME = 1, CODE_NUMBER, CODE_STRING, CODE_END, FIRST_TEXT_CODE = 256 };

typedef struct Reader {
    const char *p, *end;
    int line;
    Tokens *tokens;
    uint32_t file;
    bool line_start; /* only blanks so far in this line */
} Reader;

static uint32_t text_code(const char *text, size_t length)
{
    uint32_t h = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < length; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    return h < FIRST_TEXT_CODE ? h + FIRST_TEXT_CODE : h;
}

static bool tokens_add(Reader *r, uint32_t code, int line)
{
    if (r->tokens->n >= SIMILAR_TOKENS_MAX)
        return true;
    if (!VEC_GROW(r->tokens->items, r->tokens->n, r->tokens->cap))
        return false;
    r->tokens->items[r->tokens->n++] = (Token){.code = code, .file = r->file, .line = line};
    return true;
}

static char peek(const Reader *r, size_t ahead)
{
    return r->p + ahead < r->end ? r->p[ahead] : '\0';
}

static void reader_step(Reader *r)
{
    if (*r->p++ == '\n') {
        r->line++;
        r->line_start = true;
    }
}

static void skip_line(Reader *r)
{
    while (r->p < r->end && *r->p != '\n') {
        if (*r->p == '\\' && peek(r, 1) == '\n')
            reader_step(r);
        reader_step(r);
    }
}

static void skip_comment(Reader *r)
{
    if (peek(r, 1) == '/') {
        skip_line(r);
        return;
    }
    r->p += 2;
    while (r->p < r->end && !(*r->p == '*' && peek(r, 1) == '/'))
        reader_step(r);
    r->p = r->end - r->p >= 2 ? r->p + 2 : r->end;
}

/* "text" or 'c', to its end or the line's. */
static void skip_string(Reader *r)
{
    char quote = *r->p++;
    while (r->p < r->end && *r->p != quote && *r->p != '\n') {
        if (*r->p == '\\' && r->p + 1 < r->end)
            reader_step(r);
        reader_step(r);
    }
    if (r->p < r->end && *r->p == quote)
        r->p++;
}

static bool is_token_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool equals(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

static bool begins(const char *text, size_t length, const char *word)
{
    return length > strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

/* The code of a word; 0 when it gives no token. */
static uint32_t word_code(const char *text, size_t length)
{
#define KEEP(word)                                                                                           \
    if (equals(text, length, #word))                                                                         \
        return text_code(text, length);
#define DROP(word)                                                                                           \
    if (equals(text, length, #word))                                                                         \
        return 0;
#include "grader/similar/words.def"
#undef KEEP
#undef DROP
    bool fixed = begins(text, length, "cuda") || begins(text, length, "atomic") || begins(text, length, "__");
    return fixed ? text_code(text, length) : CODE_NAME;
}

static bool read_word(Reader *r)
{
    const char *start = r->p;
    bool number = isdigit((unsigned char)*start);
    while (r->p < r->end && (is_token_char(*r->p) || (number && *r->p == '.') ||
                             (number && *r->p == '\'' && is_token_char(peek(r, 1))) ||
                             (number && strchr("+-", *r->p) && strchr("eEpP", r->p[-1]))))
        r->p++;
    uint32_t code = number ? (uint32_t)CODE_NUMBER : word_code(start, (size_t)(r->p - start));
    const Tokens *t = r->tokens;
    bool again = code == CODE_NAME && t->n > 0 && t->items[t->n - 1].code == CODE_NAME;
    return code == 0 || again || tokens_add(r, code, r->line);
}

/* The longest operator that stands here. */
static bool read_operator(Reader *r)
{
    static const char *const operators[] = {"<<<", ">>>", "<<=", ">>=", "...", "->", "++", "--", "<<",
                                            ">>",  "<=",  ">=",  "==",  "!=",  "&&", "||", "+=", "-=",
                                            "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "::"};
    size_t length = 1;
    for (size_t i = 0; i < sizeof operators / sizeof *operators && length == 1; i++) {
        size_t n = strlen(operators[i]);
        if ((size_t)(r->end - r->p) >= n && memcmp(r->p, operators[i], n) == 0)
            length = n;
    }
    uint32_t code = text_code(r->p, length);
    bool brace = *r->p == '{' || *r->p == '}' || *r->p == '\\';
    r->p += length;
    return brace || tokens_add(r, code, r->line);
}

static bool is_include(const Reader *r)
{
    const char *p = r->p + 1;
    while (p < r->end && (*p == ' ' || *p == '\t'))
        p++;
    return (size_t)(r->end - p) >= 7 && memcmp(p, "include", 7) == 0;
}

static bool read_token(Reader *r)
{
    char c = *r->p;
    if (isspace((unsigned char)c)) {
        reader_step(r);
        return true;
    }
    bool first = r->line_start;
    r->line_start = false;
    if (c == '/' && (peek(r, 1) == '/' || peek(r, 1) == '*')) {
        skip_comment(r);
        return true;
    }
    if (c == '#' && first && is_include(r)) {
        skip_line(r);
        return true;
    }
    if (c == '"' || c == '\'') {
        int line = r->line;
        skip_string(r);
        return tokens_add(r, CODE_STRING, line);
    }
    bool fraction = c == '.' && isdigit((unsigned char)peek(r, 1));
    if (fraction)
        r->p++;
    return is_token_char(*r->p) ? read_word(r) : read_operator(r);
}

Status tokens_read(Tokens *tokens, const SimilarFile *file, uint32_t index, Diag *d)
{
    Reader r = {.p = file->text,
                .end = file->text + file->length,
                .line = 1,
                .tokens = tokens,
                .file = index,
                .line_start = true};
    bool fine = true;
    while (fine && r.p < r.end)
        fine = read_token(&r);
    fine = fine && tokens_add(&r, CODE_END + index % 64, r.line);
    return fine ? STATUS_OK : diag_set(d, STATUS_NO_MEMORY, "no memory to compare submissions");
}
