/* For the commands that are linked statically: the server of `grade review` needs a library with no static
 * form here, and is not there. */
#include "grader/review/review.h"

Status review_start(const ReviewSettings *settings, ReviewServer **server, Diag *d)
{
    (void)settings;
    *server = NULL;
    return diag_set(d, STATUS_UNSUPPORTED, "this grade was linked without the server of pages");
}

void review_stop(ReviewServer *server)
{
    (void)server;
}

int review_port(const ReviewServer *server)
{
    (void)server;
    return 0;
}

const char *review_token(const ReviewServer *server)
{
    (void)server;
    return "";
}
