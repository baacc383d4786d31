/* film: the record of a launch (common/vgpu/film), completed by what only the command knows: sources, names of arrays, host places. */
#ifndef COMMON_VGPU_TOOL_FILM_H
#define COMMON_VGPU_TOOL_FILM_H

#include "common/vgpu/tool/tool.h"

/* The last film that the devices wrote, or NULL: there is none. The caller's. */
json_t *film_read(int fd, const Records *r, const ToolOptions *o);
/* The film as sentences, one a step (film_text.c). */
void film_text(const json_t *film, StrBuf *out);
/* The film as one page (film_page.c). */
void film_page(const json_t *film, StrBuf *out);
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
