/* The server: see review.h. One thread answers, one request after the other, so that the class that it keeps
 * needs no lock. */
#include "grader/review/review.h"

#include "grader/report/review_page.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { TEXT_BYTES_MAX = 16 << 10, CONNECTIONS_MAX = 32, TIMEOUT_S = 30 };
static const double POINTS_MAX = 1e6;

struct ReviewServer {
    ReviewSettings settings;
    struct MHD_Daemon *daemon;
    int port;
    char token[REVIEW_TOKEN_TEXT];
    /* The class as it was when so many changes and attempts were in the book. */
    ReportClass *c;
    size_t n_changes, n_attempts;
};

/* A request while its body comes in. */
typedef struct Request {
    StrBuf body;
    bool too_much;
} Request;

/* What is sent back. */
typedef struct Answer {
    unsigned status;
    StrBuf body;
    const char *type;
    const char *location, *cookie; /* NULL: none; the request's arena */
} Answer;

int review_port(const ReviewServer *server)
{
    return server->port;
}

const char *review_token(const ReviewServer *server)
{
    return server->token;
}

/* The class --------------------------------------------------------------------------------------------- */

static Status load_changes(ReviewServer *s, GradebookChange **changes, size_t *n, Arena *a, Diag *d)
{
    GradebookAttempt *attempts;
    size_t n_attempts;
    Status status = gradebook_changes(s->settings.book, a, changes, n, d);
    if (status == STATUS_OK)
        status = gradebook_attempts(s->settings.book, a, &attempts, &n_attempts, d);
    if (status != STATUS_OK || (s->c && *n == s->n_changes && n_attempts == s->n_attempts))
        return status;
    ReportClass *c;
    status = report_class_load(s->settings.book, &s->settings.choice, &c, d);
    if (status != STATUS_OK)
        return status;
    report_class_free(s->c);
    s->c = c;
    *s->settings.shown = c;
    s->n_changes = *n;
    s->n_attempts = n_attempts;
    return STATUS_OK;
}

/* Answers ------------------------------------------------------------------------------------------------ */

static void refuse_request(Answer *x, unsigned status, const char *text, const char *link)
{
    x->status = status;
    strbuf_free(&x->body);
    x->body = (StrBuf){0};
    review_put_message(&x->body, status == MHD_HTTP_FORBIDDEN ? "Not allowed" : "That did not work", text,
                       link);
}

static const char *url_of(Arena *a, const char *student, const char *lab)
{
    StrBuf url = {0};
    review_put_url(&url, student, lab);
    const char *text = strbuf_keep(&url, a);
    return text ? text : "/";
}

static bool concerns(const GradebookChange *c, const char *id, const char *lab)
{
    bool shown = c->kind == CHANGE_COMMENT || c->kind == CHANGE_NOTE || c->kind == CHANGE_ADJUST ||
                 c->kind == CHANGE_SCORE;
    return shown && !c->withdrawn && strcmp(c->student, id) == 0 && strcmp(c->lab, lab) == 0;
}

static bool is_item(const GradebookChange *c, const char *lab)
{
    return c->kind == CHANGE_RUBRIC && !c->withdrawn && strcmp(c->lab, lab) == 0;
}

/* A submission's page, with the log's lines that are about it. */
static Status show(ReviewServer *s, Arena *a, const char *student, const char *lab, const char *said,
                   bool bad, Answer *x, Diag *d)
{
    GradebookChange *log;
    size_t n;
    Status status = load_changes(s, &log, &n, a, d);
    const Result *r = status == STATUS_OK ? report_class_find(s->c, student, lab) : NULL;
    if (status != STATUS_OK)
        return status;
    if (!r) {
        refuse_request(x, MHD_HTTP_NOT_FOUND, "There is no such submission.", "/");
        return STATUS_OK;
    }
    ReportFiles files = {0};
    GradebookChange *own = ARENA_NEW_ARRAY(a, GradebookChange, n + 1),
                    *items = ARENA_NEW_ARRAY(a, GradebookChange, n + 1);
    ReviewPage page = {.c = s->c,
                       .student = r->student,
                       .lab = r->lab,
                       .files = &files,
                       .changes = own,
                       .rubric = items,
                       .said = said,
                       .bad = bad};
    if (!own || !items)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a page");
    const char *id = report_student_id(s->c, r->student);
    for (size_t i = 0; i < n; i++) {
        if (concerns(&log[i], id, lab))
            own[page.n_changes++] = log[i];
        if (is_item(&log[i], lab))
            items[page.n_rubric++] = log[i];
    }
    if (s->settings.finder)
        status = s->settings.finder->find(s->settings.finder->context, a, r, &files, d);
    if (status == STATUS_OK)
        review_put_submission(&x->body, &page);
    return status;
}

/* Writing -------------------------------------------------------------------------------------------------
 */

static bool read_points(const char *text, double *points)
{
    char *end;
    *points = strtod(text, &end);
    return end != text && *end == '\0' && fabs(*points) <= POINTS_MAX;
}

static const GradebookChange *find_change(const GradebookChange *log, size_t n, const char *id)
{
    for (size_t i = 0; i < n; i++)
        if (log[i].id == strtoll(id, NULL, 10) && !log[i].withdrawn)
            return &log[i];
    return NULL;
}

/* A comment's text, with its line in front. NULL, and why, where the place is none. */
static const char *comment_text(Arena *a, const ReviewForm *form, const ReportFiles *files, const char **why)
{
    const char *text = review_field(form, "text"), *line = review_field(form, "line"),
               *file = review_field(form, "file");
    if (!line[0])
        return text;
    const char *whole = arena_printf(a, "%s:%s: %s", file, line, text), *at_file, *rest;
    int64_t number;
    bool known = false;
    for (size_t i = 0; i < files->n; i++)
        known = known || strcmp(files->files[i].name, file) == 0;
    if (known && whole && report_comment_place(a, whole, &at_file, &number, &rest))
        return whole;
    *why = "A line is a number, of one of the files.";
    return NULL;
}

/* What the form says as a line of the log; NULL, or what is wrong with it. */
static const char *read_change(Arena *a, const ReviewForm *form, const ReportFiles *files, const char *id,
                               const GradebookChange *log, size_t n, GradebookChange *c)
{
    const char *act = review_field(form, "act"), *lab = review_field(form, "lab"), *why = NULL;
    const GradebookChange *other = find_change(log, n, review_field(form, "change"));
    if (strcmp(act, "comment") == 0) {
        c->kind = review_field(form, "private")[0] ? CHANGE_NOTE : CHANGE_COMMENT;
        c->text = comment_text(a, form, files, &why);
        return why ? why : c->text[0] ? NULL : "A comment has a text.";
    }
    if (strcmp(act, "withdraw") == 0) {
        if (!other || !concerns(other, id, lab))
            return "There is no such change any more.";
        *c = (GradebookChange){.kind = CHANGE_WITHDRAW,
                               .student = "",
                               .lab = "",
                               .value = (double)other->id,
                               .text = "",
                               .why = "taken back in the review"};
        return NULL;
    }
    if (strcmp(act, "item") == 0) {
        if (!other || !is_item(other, lab))
            return "The rubric has no such item any more.";
        c->kind = CHANGE_ADJUST;
        c->value = other->value;
        c->why = other->text;
        return NULL;
    }
    if (!read_points(review_field(form, "points"), &c->value))
        return "Points are a number, such as -2.5.";
    if (strcmp(act, "define") == 0) {
        c->kind = CHANGE_RUBRIC;
        c->student = "";
        c->text = review_field(form, "text");
        return c->text[0] ? NULL : "An item of the rubric has a text.";
    }
    if (strcmp(act, "adjust") != 0)
        return "There is no such form.";
    c->kind = review_field(form, "set")[0] ? CHANGE_SCORE : CHANGE_ADJUST;
    c->why = review_field(form, "why");
    return c->kind == CHANGE_SCORE && c->value < 0 ? "Points in place of the grader's are not negative."
           : c->why[0]                             ? NULL
                                                   : "A change of points has a reason.";
}

/* Whether somebody has changed points since the page was made. */
static bool is_stale(const GradebookChange *log, size_t n, const char *id, const char *lab,
                     const ReviewForm *form, const GradebookChange *c)
{
    if (c->kind == CHANGE_COMMENT || c->kind == CHANGE_NOTE || c->kind == CHANGE_RUBRIC)
        return false;
    int64_t seen = strtoll(review_field(form, "seen"), NULL, 10), last = 0;
    for (size_t i = 0; i < n; i++)
        if (concerns(&log[i], id, lab) && log[i].id > last)
            last = log[i].id;
    return last != seen;
}

static Status act(ReviewServer *s, Arena *a, const ReviewForm *form, Answer *x, Diag *d)
{
    GradebookChange *log;
    size_t n;
    const char *student = review_field(form, "student"), *lab = review_field(form, "lab");
    Status status = load_changes(s, &log, &n, a, d);
    if (status != STATUS_OK)
        return status;
    if (!report_class_find(s->c, student, lab)) {
        refuse_request(x, MHD_HTTP_NOT_FOUND, "There is no such submission.", "/");
        return STATUS_OK;
    }
    const char *id = report_student_id(s->c, student);
    GradebookChange c = {.student = id, .lab = lab, .text = "", .why = ""};
    ReportFiles files = {0};
    if (s->settings.finder)
        status = s->settings.finder->find(s->settings.finder->context, a,
                                          report_class_find(s->c, student, lab), &files, d);
    if (status != STATUS_OK)
        return status;
    const char *wrong = read_change(a, form, &files, id, log, n, &c);
    c.who = s->settings.by;
    c.at = (int64_t)time(NULL);
    if (!wrong && (strlen(c.text) > TEXT_BYTES_MAX || strlen(c.why) > TEXT_BYTES_MAX))
        wrong = "That is too long.";
    bool stale = !wrong && is_stale(log, n, id, lab, form, &c);
    if (stale)
        wrong = "Points were changed since this page was shown, as the log says. Nothing was written: look "
                "at it again.";
    if (wrong) {
        x->status = stale ? MHD_HTTP_CONFLICT : MHD_HTTP_BAD_REQUEST;
        return show(s, a, student, lab, wrong, true, x, d);
    }
    status = gradebook_change(s->settings.book, &c, 1, d);
    x->status = MHD_HTTP_SEE_OTHER;
    x->location = arena_printf(a, "%s&done=%s", url_of(a, student, lab), change_word(c.kind));
    return status == STATUS_OK && !x->location ? diag_set(d, STATUS_NO_MEMORY, "no memory") : status;
}

/* Requests ------------------------------------------------------------------------------------------------
 */

static const char *header(struct MHD_Connection *connection, const char *name)
{
    return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

static const char *argument(struct MHD_Connection *connection, const char *name)
{
    const char *value = MHD_lookup_connection_value(connection, MHD_GET_ARGUMENT_KIND, name);
    return value ? value : "";
}

static Status answer_get(ReviewServer *s, Arena *a, struct MHD_Connection *connection, const char *url,
                         Answer *x, Diag *d)
{
    GradebookChange *log;
    size_t n;
    if (strcmp(url, "/review.js") == 0) {
        x->type = "text/javascript; charset=utf-8";
        strbuf_puts(&x->body, REVIEW_JS);
        return STATUS_OK;
    }
    if (strcmp(url, "/s") == 0) {
        const char *done = argument(connection, "done");
        const char *said = done[0] ? arena_printf(a, "Written to the log: %s.", done) : NULL;
        return show(s, a, argument(connection, "student"), argument(connection, "lab"), said, false, x, d);
    }
    Status status = load_changes(s, &log, &n, a, d);
    if (status != STATUS_OK)
        return status;
    const char *lab = argument(connection, "lab"), *name = argument(connection, "case");
    if (strcmp(url, "/") == 0)
        review_put_index(&x->body, s->c);
    else if (strcmp(url, "/case") == 0)
        review_put_case(&x->body, s->c, lab, name[0] ? name : NULL);
    else
        refuse_request(x, MHD_HTTP_NOT_FOUND, "There is no such page.", "/");
    return STATUS_OK;
}

static Status post(ReviewServer *s, Arena *a, struct MHD_Connection *connection, const char *url,
                   const Request *q, Answer *x, Diag *d)
{
    ReviewForm form;
    const char *type = header(connection, "Content-Type");
    if (!review_origin_is_ours(header(connection, "Origin"), header(connection, "Sec-Fetch-Site"), s->port)) {
        refuse_request(x, MHD_HTTP_FORBIDDEN, "Forms are taken from the pages of this server only.", NULL);
        return STATUS_OK;
    }
    if (strcmp(url, "/act") != 0 || !type ||
        strncasecmp(type, "application/x-www-form-urlencoded", 33) != 0 || q->too_much ||
        !review_read_form(a, q->body.text ? q->body.text : "", q->body.length, &form)) {
        refuse_request(x, q->too_much ? MHD_HTTP_CONTENT_TOO_LARGE : MHD_HTTP_BAD_REQUEST,
                       "That is no form of this server.", "/");
        return STATUS_OK;
    }
    return act(s, a, &form, x, d);
}

/* The walls, from the outermost; then the page. */
static Status answer_request(ReviewServer *s, Arena *a, struct MHD_Connection *connection, const char *url,
                             const char *method, const Request *q, Answer *x, Diag *d)
{
    const char *token = argument(connection, "token");
    char cookie[64];
    snprintf(cookie, sizeof cookie, "grade_review_%d=", s->port);
    if (!review_host_is_ours(header(connection, "Host"), s->port)) {
        refuse_request(x, MHD_HTTP_FORBIDDEN, "This server answers to 127.0.0.1 and localhost only.", NULL);
        return STATUS_OK;
    }
    bool is_get = strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0;
    const char *given = arena_printf(a, "%s%s", cookie, token);
    if (is_get && token[0] && !strpbrk(token, ";, ") && given &&
        review_cookie_is_ours(given, s->token, s->port)) {
        x->status = MHD_HTTP_SEE_OTHER;
        x->location = "/";
        x->cookie = arena_printf(a, "%s%s; Path=/; HttpOnly; SameSite=Strict", cookie, s->token);
        return STATUS_OK;
    }
    if (!review_cookie_is_ours(header(connection, "Cookie"), s->token, s->port)) {
        refuse_request(x, MHD_HTTP_FORBIDDEN, "Open the address that grade review printed: it holds the key.",
                       NULL);
        return STATUS_OK;
    }
    if (!is_get && strcmp(method, "POST") != 0) {
        refuse_request(x, MHD_HTTP_METHOD_NOT_ALLOWED, "There is nothing to be done in that way.", "/");
        return STATUS_OK;
    }
    return is_get ? answer_get(s, a, connection, url, x, d) : post(s, a, connection, url, q, x, d);
}

static enum MHD_Result send_answer(struct MHD_Connection *connection, Answer *x)
{
    static const char *const headers[][2] = {
        {"Content-Security-Policy",
         "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; form-action 'self'; "
         "base-uri 'none'; frame-ancestors 'none'"},
        {"X-Content-Type-Options", "nosniff"},
        {"Referrer-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Cache-Control", "no-store"}};
    struct MHD_Response *r = MHD_create_response_from_buffer(x->body.length, x->body.text ? x->body.text : "",
                                                             MHD_RESPMEM_MUST_COPY);
    if (!r)
        return MHD_NO;
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        MHD_add_response_header(r, headers[i][0], headers[i][1]);
    MHD_add_response_header(r, "Content-Type", x->type);
    if (x->location)
        MHD_add_response_header(r, "Location", x->location);
    if (x->cookie)
        MHD_add_response_header(r, "Set-Cookie", x->cookie);
    enum MHD_Result queued = MHD_queue_response(connection, x->status, r);
    MHD_destroy_response(r);
    return queued;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    ReviewServer *s = context;
    Request *q = *state;
    (void)version;
    if (!q) {
        *state = calloc(1, sizeof *q);
        return *state ? MHD_YES : MHD_NO;
    }
    if (*upload_size) {
        q->too_much = q->too_much || q->body.length + *upload_size > REVIEW_BODY_MAX;
        if (!q->too_much)
            strbuf_append(&q->body, upload, *upload_size);
        *upload_size = 0;
        return MHD_YES;
    }
    Arena a = {0};
    Diag d;
    Answer x = {.status = MHD_HTTP_OK, .type = "text/html; charset=utf-8"};
    if (answer_request(s, &a, connection, url, method, q, &x, &d) != STATUS_OK || x.body.failed)
        refuse_request(&x, MHD_HTTP_INTERNAL_SERVER_ERROR, x.body.failed ? "no memory" : d.message, "/");
    enum MHD_Result sent = send_answer(connection, &x);
    strbuf_free(&x.body);
    arena_free(&a);
    return sent;
}

static void forget_request(void *context, struct MHD_Connection *connection, void **state,
                           enum MHD_RequestTerminationCode how)
{
    Request *q = *state;
    (void)context, (void)connection, (void)how;
    if (q)
        strbuf_free(&q->body);
    free(q);
    *state = NULL;
}

/* Start and end -------------------------------------------------------------------------------------------
 */

static Status make_token(char token[REVIEW_TOKEN_TEXT], Diag *d)
{
    unsigned char bytes[REVIEW_TOKEN_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return diag_set(d, STATUS_IO, "no random bytes: %s", strerror(errno));
    for (size_t i = 0; i < sizeof bytes; i++)
        snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return STATUS_OK;
}

Status review_start(const ReviewSettings *settings, ReviewServer **server, Diag *d)
{
    ReviewServer *s = calloc(1, sizeof *s);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)settings->port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    *server = s;
    if (!s)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for the server");
    s->settings = *settings;
    Status status = make_token(s->token, d);
    if (status == STATUS_OK)
        s->daemon =
            MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ERROR_LOG, 0, NULL, NULL, handle, s,
                             MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT,
                             (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)TIMEOUT_S,
                             MHD_OPTION_NOTIFY_COMPLETED, forget_request, NULL, MHD_OPTION_END);
    const union MHD_DaemonInfo *info =
        s->daemon ? MHD_get_daemon_info(s->daemon, MHD_DAEMON_INFO_BIND_PORT) : NULL;
    if (status == STATUS_OK && !info) {
        status = diag_set(d, STATUS_IO, "cannot listen on 127.0.0.1:%d: %s", settings->port, strerror(errno));
        diag_hint(d, "--port names another one; without it a free one is taken");
    }
    if (info)
        s->port = info->port;
    if (status != STATUS_OK) {
        review_stop(s);
        *server = NULL;
    }
    return status;
}

void review_stop(ReviewServer *server)
{
    if (!server)
        return;
    if (server->daemon)
        MHD_stop_daemon(server->daemon);
    report_class_free(server->c);
    free(server);
}
