/* Target edit: any bytes as a solution, a line `====`, and an edit of it. A whole source that comes out is
 * made into an edit, which gives the same source again. */
#include "common/starters/edit.h"
#include "common/vgpu/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

static void make_again(const char *whole, const char *solution)
{
    StrBuf edit = {0}, again = {0};
    Diag diag = {0};
    if (edit_make("again", whole, solution, &edit, &diag) == STATUS_OK &&
        (edit_apply("again", edit.text ? edit.text : "", solution, &again, &diag) != STATUS_OK ||
         strcmp(again.text ? again.text : "", whole) != 0))
        abort();
    strbuf_free(&edit);
    strbuf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char between[] = "====\n";
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    char *at = strstr(text, between);
    if (at) {
        StrBuf whole = {0}, numbered = {0};
        Diag diag = {0};
        *at = '\0';
        if (edit_apply("edit", at + sizeof between - 1, text, &whole, &diag) == STATUS_OK) {
            make_again(whole.text ? whole.text : "", text);
            edit_number_lines("edit", whole.text ? whole.text : "", &numbered, &diag);
        }
        strbuf_free(&whole);
        strbuf_free(&numbered);
    }
    free(text);
    return 0;
}
