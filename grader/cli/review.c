/* grade review: pages on 127.0.0.1 for a person who looks at submissions, until Ctrl-C. grade rubric: the
 * same items. */
#include "grader/archive/roster.h"
#include "grader/cli/sources.h"
#include "grader/review/review.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static Status open_book(Arena *a, const Options *o, Gradebook **book, Roster *roster, ReportChoice *choice,
                        Diag *d)
{
    const char *path = arena_printf(a, "%s/gradebook.db", o->out);
    const char **students = NULL, **labs = NULL;
    if (!path || access(path, R_OK) != 0)
        return diag_set(d, STATUS_NOT_FOUND, "there is no gradebook in %s", o->out);
    Status s = gradebook_open(path, book, d);
    if (s == STATUS_OK)
        s = roster_load_out(a, o->out, roster, d);
    if (s == STATUS_OK)
        s = cli_choose_in_book(a, o, *book, roster, &students, &labs, d);
    *choice = (ReportChoice){students, labs, roster, o->anonymous};
    return s;
}

static Status serve_review(const ReviewSettings *settings, Diag *d)
{
    ReviewServer *server;
    Status s = review_start(settings, &server, d);
    if (s != STATUS_OK)
        return s;
    printf("http://127.0.0.1:%d/?token=%s\nopen this address in a browser on this machine; Ctrl-C ends\n",
           review_port(server), review_token(server));
    fflush(stdout);
    const struct timespec pause = {.tv_nsec = 100 * 1000000L};
    while (!cli_stop)
        nanosleep(&pause, NULL);
    review_stop(server);
    return STATUS_OK;
}

int cli_review(Arena *a, const Options *o)
{
    Diag d;
    Gradebook *book = NULL;
    Roster roster = {0};
    Sources sources = {0};
    ReviewSettings settings = {
        .by = o->by, .shown = &sources.students, .port = o->port > 0 ? (int)o->port : 0};
    if (!o->out || !o->submissions || !o->by || !o->by[0])
        return cli_fail_text("--out, --submissions and --by must be given",
                             "grade review --out DIR --submissions DIR --by NAME");
    cli_catch_signals();
    Status s = open_book(a, o, &book, &roster, &settings.choice, &d);
    if (s == STATUS_OK)
        s = sources_open(a, o->submissions, NULL, &sources, &d);
    settings.book = book;
    settings.finder = &sources.finder;
    if (s == STATUS_OK)
        s = serve_review(&settings, &d);
    sources_close(&sources);
    gradebook_close(book);
    return s == STATUS_OK ? EXIT_FINE : cli_fail(&d);
}
