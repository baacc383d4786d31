/* judge: makes the inputs of a lab's cases and says what is right. One process serves all cases of a
 * submission.
 *
 *   judge [--lang=LANGUAGE]          commands on standard input, one JSON line each on standard output
 *                                    (docs/contracts.md, "The judge")
 *   judge [--lang=LANGUAGE] --text   answers as text for a person: nothing, or the message of a result that
 *                                    is not right
 *
 * Exit status: 0; with --text 1 when a check found a fault; 2 when a command is not understood, or, with
 * --text, when the kit is at fault.
 */
#include "common/lab/judge_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_FINE = 0, EXIT_FAULT = 1, EXIT_KIT = 2 };

static int kit_fault(const Diag *diag)
{
    char text[DIAG_TEXT_MAX + DIAG_FILE_MAX + DIAG_HINT_MAX];
    diag_format(diag, NULL, text, sizeof text);
    fflush(stdout);
    fprintf(stderr, "judge: %s", text);
    return EXIT_KIT;
}

/* Answers commands until `quit` or the end of the input. */
static int serve_orders(Language language)
{
    char *line = NULL;
    size_t size = 0;
    int status = EXIT_FINE;
    bool quit = false;
    for (ssize_t length; !quit && status == EXIT_FINE && (length = getline(&line, &size, stdin)) > 0;) {
        StrBuf answer = {0};
        Diag diag = {0};
        line[strcspn(line, "\n")] = '\0';
        if (judge_command(line, language, &answer, &quit, &diag))
            status = kit_fault(&diag);
        else if (!quit)
            printf("%s\n", answer.text ? answer.text : "{\"ok\":false,\"message\":\"no memory\"}");
        fflush(stdout);
        strbuf_free(&answer);
    }
    free(line);
    return status;
}

/* ---- --text ---- */

/* The value of a string member of the flat JSON that the judge itself wrote, printed with its escapes undone.
 */
static void print_member(const char *json, const char *member)
{
    const char *at = strstr(json, member);
    if (!at)
        return;
    for (at += strlen(member); *at && *at != '"'; at++) {
        if (*at != '\\') {
            putchar(*at);
            continue;
        }
        at++;
        if (*at == 'u') /* a control byte: never useful to a reader */
            at += 4;
        else
            putchar(*at == 'n' ? '\n' : *at == 't' ? '\t' : *at);
    }
}

static int judge_main_tell(const char *answer)
{
    if (strncmp(answer, "{\"ok\":false", 11) == 0) {
        print_member(answer, "\"message\":\"");
        putchar('\n');
        return EXIT_KIT;
    }
    if (!strstr(answer, "\"verdict\":") || strstr(answer, "\"verdict\":\"pass\""))
        return EXIT_FINE;
    print_member(answer, "\"verdict\":\"");
    putchar('\n');
    print_member(answer, "\"message\":\"");
    return EXIT_FAULT;
}

/* One command from standard input, told to a person. */
static int serve_person(Language language)
{
    char *line = NULL;
    size_t size = 0;
    bool quit = false;
    StrBuf answer = {0};
    Diag diag = {0};
    int status = EXIT_FINE;
    if (getline(&line, &size, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (judge_command(line, language, &answer, &quit, &diag))
            status = kit_fault(&diag);
        else if (answer.text)
            status = judge_main_tell(answer.text);
    }
    free(line);
    strbuf_free(&answer);
    return status;
}

int main(int argc, char **argv)
{
    Language language = LANGUAGE_ENGLISH;
    bool text = false, known = true;
    for (int i = 1; i < argc; i++) {
        bool is_text = strcmp(argv[i], "--text") == 0;
        text = text || is_text;
        known = known &&
                (is_text || (strncmp(argv[i], "--lang=", 7) == 0 && language_find(argv[i] + 7, &language)));
    }
    if (!known) {
        fprintf(stderr, "usage: %s [--lang=LANGUAGE] [--text], with commands on standard input\n", argv[0]);
        return EXIT_KIT;
    }
    return text ? serve_person(language) : serve_orders(language);
}
