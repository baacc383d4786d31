/* review: the server of `grade review`: pages for a person who looks at submissions, on this machine alone.
 *
 * Theory of operation. It listens on 127.0.0.1. The URL that is printed holds a token of 256 random bits;
 * whoever opens it gets the token as a cookie (HttpOnly, SameSite=Strict) and no request without that cookie
 * is answered. A page of somebody else's, in the same browser, therefore cannot write, and cannot read:
 *
 *     the cookie is not sent with requests that another site starts
 *     Host must be 127.0.0.1:PORT or localhost:PORT, so that no other name can be bound to this server
 *     a write must come from these pages: Origin, or where a browser sends none Sec-Fetch-Site
 *     no page may be framed, and none runs a script but this server's own
 *
 * What is written goes into the gradebook's log, as by the commands, under the name that --by gave. Points
 * are written only by who has seen all changes before: of two windows the second is told what the first did.
 */
#ifndef GRADER_REVIEW_REVIEW_H
#define GRADER_REVIEW_REVIEW_H

#include "grader/db/gradebook.h"
#include "grader/report/report.h"
#include "grader/report/source.h"

#include <stdbool.h>
#include <stddef.h>

enum {
    REVIEW_TOKEN_BYTES = 32,
    REVIEW_TOKEN_TEXT = 2 * REVIEW_TOKEN_BYTES + 1,
    REVIEW_BODY_MAX = 64 << 10,
    REVIEW_FIELDS_MAX = 32
};

typedef struct ReviewSettings {
    Gradebook *book;
    ReportChoice choice;
    const char *by; /* who reviews */
    const ReportFinder *finder;
    const ReportClass **shown; /* set to the class that the finder is asked about */
    int port;                  /* 0: a free one */
} ReviewSettings;

typedef struct ReviewServer ReviewServer;

/* Starts to serve, in a thread of its own, until review_stop, which takes NULL. */
Status review_start(const ReviewSettings *settings, ReviewServer **server, Diag *d);
void review_stop(ReviewServer *server);
int review_port(const ReviewServer *server);
const char *review_token(const ReviewServer *server);

/* What the server asks of a request, apart from HTTP. -------------------------------------------------- */

/* A form's field; the texts are decoded. */
typedef struct ReviewField {
    const char *name, *value;
} ReviewField;

typedef struct ReviewForm {
    ReviewField fields[REVIEW_FIELDS_MAX];
    size_t n;
} ReviewForm;

/* Reads application/x-www-form-urlencoded; false where it is none, or not UTF-8, or too much. */
bool review_read_form(Arena *a, const char *body, size_t length, ReviewForm *form);
/* A field's value; "" when it is not there. */
const char *review_field(const ReviewForm *form, const char *name);
/* Whether a request may be answered at all, and whether it may write. NULL stands for a header that is not
 * there. */
bool review_host_is_ours(const char *host, int port);
bool review_origin_is_ours(const char *origin, const char *fetch_site, int port);
/* Whether a Cookie header holds the token, in time that does not depend on it. */
bool review_cookie_is_ours(const char *cookie, const char *token, int port);

#endif
