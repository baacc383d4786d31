/* The pages' style sheet and the index's script (page/), inside each page: a page sent by mail keeps its looks, and nothing
 * is fetched from anywhere.
 *
 * The colours of paper, ink, lines, links and code are those of the site (docs/pandoc/handout.css; a test compares them).
 * They are variables, once for light and once for dark; the words of verdicts carry the meaning, colour only repeats it.
 *
 * The script sorts and filters the class's table. The page is whole without it; it adds the buttons that it serves. The
 * pages' policy lets this text run and no other, by its hash: a script that came into a page through a submission would
 * not.
 */
#include "grader/report/report_internal.h"

#include "common/base/embed.h"
#include "grader/core/sha256.h"

#include <string.h>

EMBED_GLOBAL(REPORT_CSS, "grader/report/page/report.css");
EMBED_GLOBAL(REPORT_JS, "grader/report/page/report.js");

void html_script_source(StrBuf *out)
{
    Sha256 s;
    unsigned char digest[SHA256_BYTES];
    sha256_start(&s);
    sha256_add(&s, REPORT_JS, strlen(REPORT_JS));
    sha256_end(&s, digest);
    strbuf_puts(out, "; script-src 'sha256-");
    strbuf_base64(out, digest, sizeof digest);
    strbuf_puts(out, "'");
}
