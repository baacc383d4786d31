/* film: the record of a launch (common/vgpu/film), completed by what only the command knows: sources, names of arrays, host places. */
#ifndef COMMON_VGPU_TOOL_FILM_H
#define COMMON_VGPU_TOOL_FILM_H

#include "common/vgpu/tool/tool.h"

/* The film as sentences, one a step (film_text.c). */
void film_text(const json_t *film, StrBuf *out);
/* The film as one page (film_page.c): the steps go there as they stand in the record. */
void film_page(const json_t *film, const char *steps, size_t n_steps, StrBuf *out);

/* ---- sentences (film_text.c) ---- */

/* Who waits at barriers, as the steps of a block say it one after the other. */
typedef struct FilmWaiting {
    struct {
        uint64_t inst;
        uint32_t warp, lanes;
    } *of;
    size_t n, cap;
} FilmWaiting;
/* The next step of the block. Free `of` in the end. */
void film_wait_step(FilmWaiting *w, const json_t *step);
uint32_t film_waiting_lanes(const FilmWaiting *w, uint64_t warp);
/* What a step does; who waits when it has done it. */
void film_sentence(const json_t *film, const json_t *step, const FilmWaiting *w, StrBuf *out);
/* What stands in an element's text or between quotes, in HTML and XML. */
void film_put_escaped(StrBuf *out, const char *text);
/* A moment as a picture, an SVG (film_still.c). when, of the first block: "812", a step; ":17" or ":17+2", what happens first at that line, or the
 * third of that; NULL: the first finding, else the first step. False: there is no such moment. */
bool film_still(const json_t *film, const char *when, StrBuf *out);
/* "812", ":17", ":17+2" */
bool film_moment_valid(const char *when);

/* How an access sees its place. */
typedef struct FilmAccess {
    const json_t *place; /* an array or a shared variable; NULL: neither */
    uint64_t base;       /* where that begins */
    const char *name;    /* NULL: outside of all arrays */
    const char *type;    /* "f32"...: of an element */
    unsigned each, bytes; /* of an element; of a lane's access */
} FilmAccess;
FilmAccess film_access(const json_t *film, const json_t *step);
/* "--shape=in=64x64,out=8x8" is well formed. */
bool film_shapes_valid(const char *shapes);
/* What goes into o->film, by the end of its name. STATUS_NOT_FOUND: there is no film. */
Status film_save(int fd, const Records *r, const ToolOptions *o, StrBuf *out, Diag *diag);

/* ---- names in a source (film_names.c) ---- */

enum { FILM_NAME_MAX = 64, FILM_DIMS_MAX = 3 };

typedef struct FilmName {
    char name[FILM_NAME_MAX];
    const char *type; /* "f32"...: of an element; "": not known */
    uint32_t dims[FILM_DIMS_MAX], n_dims; /* as declared, slowest first */
} FilmName;

/* The nth parameter of a kernel, as the source declares it. False: it is not found there. */
bool film_parameter(const char *source, const char *kernel, uint32_t nth, FilmName *out);
/* A __shared__ array. */
bool film_shared(const char *source, const char *name, FilmName *out);
unsigned film_type_bytes(const char *type); /* 0: not known */

#endif
