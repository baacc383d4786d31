/* grade completion, grade manual: what shells and the man page are told of the commands, from the tables that
 * parse them. Texts of the tables are the kit's own; each writer escapes what its language would take for its
 * own. */
#include "grader/cli/cli.h"

#include "common/base/strbuf.h"

#include <stdio.h>
#include <string.h>

typedef enum ValueKind { VALUE_NONE, VALUE_DIR, VALUE_FILE, VALUE_WORDS, VALUE_OTHER } ValueKind;

static ValueKind kind_of(const OptionRow *o)
{
    if (!o->value[0])
        return VALUE_NONE;
    if (strcmp(o->value, "DIR") == 0 || strcmp(o->value, "FILE") == 0)
        return o->value[0] == 'D' ? VALUE_DIR : VALUE_FILE;
    return strchr(o->value, '|') ? VALUE_WORDS : VALUE_OTHER;
}

/* Puts text with `before` in front of each of the characters of `special`. */
static void put_escaped(StrBuf *out, const char *text, const char *special, const char *before)
{
    for (; *text; text++) {
        if (strchr(special, *text))
            strbuf_puts(out, before);
        strbuf_append(out, text, 1);
    }
}

/* Inside '...' of a shell: a quote ends it, stands by itself, and begins it again. */
static void put_quoted(StrBuf *out, const char *text, const char *special)
{
    for (; *text; text++) {
        if (*text == '\'')
            strbuf_puts(out, "'\\'");
        else if (strchr(special, *text))
            strbuf_puts(out, "\\");
        strbuf_append(out, text, 1);
    }
}

/* "virtual|gpu" as "virtual gpu". */
static void put_words(StrBuf *out, const char *value)
{
    for (; *value; value++)
        strbuf_append(out, *value == '|' ? " " : value, 1);
}

/* bash ------------------------------------------------------------------------------------------------- */

static void put_bash_values(StrBuf *out)
{
    static const char *const does[] = {[VALUE_DIR] = "compgen -d --", [VALUE_FILE] = "compgen -f --"};
    const OptionRow *o;
    for (size_t i = 0; (o = cli_option(i)); i++) {
        ValueKind kind = kind_of(o);
        if (kind == VALUE_NONE || o->type == OPTION_WORD)
            continue;
        strbuf_printf(out, "    --%s) ", o->name);
        if (kind == VALUE_WORDS) {
            strbuf_puts(out, "mapfile -t COMPREPLY < <(compgen -W '");
            put_words(out, o->value);
            strbuf_puts(out, "' -- \"$word\"); ");
        } else if (kind != VALUE_OTHER) {
            strbuf_printf(out, "mapfile -t COMPREPLY < <(%s \"$word\"); ", does[kind]);
        }
        strbuf_puts(out, "return ;;\n");
    }
}

static void put_options_of(StrBuf *out, const Command *command)
{
    const OptionRow *o;
    for (size_t i = 0; (o = cli_option(i)); i++)
        if (cli_takes_option(command, o->name, NULL))
            strbuf_printf(out, " --%s", o->name);
}

static void put_bash(StrBuf *out)
{
    strbuf_puts(out, "# bash completion of grade; made by `grade completion bash`.\n"
                     "_grade() {\n"
                     "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} all=\n"
                     "    COMPREPLY=()\n"
                     "    case $before in\n");
    put_bash_values(out);
    strbuf_puts(out, "    esac\n"
                     "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
                     "        all='--help --version");
    for (const Command *c = cli_commands(); c->name; c++)
        strbuf_printf(out, " %s", c->name);
    strbuf_puts(out, "'\n    else\n        case ${COMP_WORDS[1]} in\n");
    for (const Command *c = cli_commands(); c->name; c++) {
        strbuf_printf(out, "        %s) all='", c->name);
        put_options_of(out, c);
        strbuf_puts(out, "' ;;\n");
    }
    strbuf_puts(out, "        esac\n"
                     "    fi\n"
                     "    if [ \"$COMP_CWORD\" -eq 1 ] || [[ $word == -* ]]; then\n"
                     "        mapfile -t COMPREPLY < <(compgen -W \"$all\" -- \"$word\")\n"
                     "    else\n"
                     "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
                     "    fi\n"
                     "}\n"
                     "complete -o filenames -F _grade grade\n");
}

/* zsh -------------------------------------------------------------------------------------------------- */

/* '--out=[meaning]:DIR:_files -/' */
static void put_zsh_option(StrBuf *out, const OptionRow *o)
{
    ValueKind kind = kind_of(o);
    strbuf_printf(out, " \\\n            '--%s%s[", o->name,
                  kind == VALUE_NONE  ? ""
                  : o->type == OPTION_WORD ? "=-"
                                      : "=");
    put_quoted(out, o->meaning, "[]:\\");
    strbuf_puts(out, "]");
    if (kind != VALUE_NONE)
        strbuf_printf(out, "%s%s:", o->type == OPTION_WORD ? "::" : ":", kind == VALUE_WORDS ? "word" : o->value);
    if (kind == VALUE_WORDS) {
        strbuf_puts(out, "(");
        put_words(out, o->value);
        strbuf_puts(out, ")");
    }
    strbuf_puts(out, kind == VALUE_DIR ? "_files -/'" : kind == VALUE_FILE ? "_files'" : "'");
}

static void put_zsh(StrBuf *out)
{
    const OptionRow *o;
    strbuf_puts(out, "#compdef grade\n"
                     "# zsh completion of grade; made by `grade completion zsh`.\n"
                     "_grade() {\n"
                     "    local -a commands\n"
                     "    commands=(\n");
    for (const Command *c = cli_commands(); c->name; c++) {
        strbuf_printf(out, "        '%s:", c->name);
        put_quoted(out, c->meaning, ":\\");
        strbuf_puts(out, "'\n");
    }
    strbuf_puts(out, "    )\n"
                     "    if (( CURRENT == 2 )); then\n"
                     "        _describe command commands\n"
                     "        return\n"
                     "    fi\n"
                     "    local command=$words[2]\n"
                     "    shift words\n"
                     "    (( CURRENT-- ))\n"
                     "    case $command in\n");
    for (const Command *c = cli_commands(); c->name; c++) {
        strbuf_printf(out, "    %s)\n        _arguments", c->name);
        for (size_t i = 0; (o = cli_option(i)); i++)
            if (cli_takes_option(c, o->name, NULL))
                put_zsh_option(out, o);
        strbuf_puts(out, c->operands[0] ? " \\\n            '*:file:_files' ;;\n" : " ;;\n");
    }
    strbuf_puts(out, "    esac\n}\n_grade \"$@\"\n");
}

/* fish ------------------------------------------------------------------------------------------------- */

static void put_fish_option(StrBuf *out, const Command *command, const OptionRow *o)
{
    ValueKind kind = kind_of(o);
    strbuf_printf(out, "complete -c grade -n '__fish_seen_subcommand_from %s' -l %s", command->name, o->name);
    if (kind == VALUE_WORDS) {
        strbuf_puts(out, " -x -a '");
        put_words(out, o->value);
        strbuf_puts(out, "'");
    } else if (kind == VALUE_DIR) {
        strbuf_puts(out, " -x -a '(__fish_complete_directories)'");
    } else if (kind != VALUE_NONE) {
        strbuf_puts(out, kind == VALUE_FILE ? " -r" : " -x");
    }
    strbuf_puts(out, " -d '");
    put_escaped(out, o->meaning, "'\\", "\\");
    strbuf_puts(out, "'\n");
}

static void put_fish(StrBuf *out)
{
    const OptionRow *o;
    strbuf_puts(out, "# fish completion of grade; made by `grade completion fish`.\n"
                     "complete -c grade -n __fish_use_subcommand -f\n");
    for (const Command *c = cli_commands(); c->name; c++) {
        strbuf_printf(out, "complete -c grade -n __fish_use_subcommand -a %s -d '", c->name);
        put_escaped(out, c->meaning, "'\\", "\\");
        strbuf_puts(out, "'\n");
    }
    for (const Command *c = cli_commands(); c->name; c++)
        for (size_t i = 0; (o = cli_option(i)); i++)
            if (cli_takes_option(c, o->name, NULL))
                put_fish_option(out, c, o);
}

/* The man page ------------------------------------------------------------------------------------------- */

/* Text of the tables as Markdown: code stays, and two dashes are no long one. */
static void put_markdown(StrBuf *out, const char *text)
{
    for (bool code = false; *text; text++) {
        code = code != (*text == '`');
        bool dashes = text[0] == '-' && text[1] == '-';
        if (!code && (strchr("*_<>[]|\\", *text) || dashes))
            strbuf_puts(out, "\\");
        strbuf_append(out, text, 1);
        if (!code && dashes)
            strbuf_append(out, ++text, 1);
    }
}

/* **\--out** *DIR* */
static void put_markdown_option(StrBuf *out, const OptionRow *o)
{
    strbuf_printf(out, "**\\--%s**", o->name);
    if (!o->value[0])
        return;
    strbuf_puts(out, o->type == OPTION_WORD ? "[=*" : " *");
    put_markdown(out, o->value);
    strbuf_puts(out, o->type == OPTION_WORD ? "*]" : "*");
}

static void put_synopsis(StrBuf *out)
{
    const OptionRow *o;
    for (const Command *c = cli_commands(); c->name; c++) {
        strbuf_printf(out, "**grade** **%s**", c->name);
        for (size_t i = 0; (o = cli_option(i)); i++) {
            bool required;
            if (!cli_takes_option(c, o->name, &required) || strcmp(o->name, "help") == 0)
                continue;
            strbuf_puts(out, required ? " " : " [");
            put_markdown_option(out, o);
            strbuf_puts(out, required ? "" : "]");
        }
        strbuf_puts(out, c->operands[0] ? " *" : "");
        put_markdown(out, c->operands);
        strbuf_puts(out, c->operands[0] ? "*\n\n" : "\n\n");
    }
    strbuf_puts(out, "**grade** **\\--help** | **\\--version**\n");
}

static void put_option_list(StrBuf *out)
{
    const OptionRow *o;
    for (size_t i = 0; (o = cli_option(i)); i++) {
        strbuf_puts(out, i ? "\n" : "");
        put_markdown_option(out, o);
        strbuf_puts(out, "\n:   ");
        put_markdown(out, o->meaning);
        strbuf_puts(out, "\n");
    }
}

/* The commands ------------------------------------------------------------------------------------------- */

typedef struct Writer {
    const char *word;
    void (*put)(StrBuf *out);
} Writer;

static int write_one(const Options *o, const Writer *writers, size_t n, const char *usage)
{
    for (size_t i = 0; o->n_operands == 1 && i < n; i++) {
        if (strcmp(writers[i].word, o->operands[0]) != 0)
            continue;
        StrBuf out = {0};
        writers[i].put(&out);
        return strbuf_print(&out, stdout) ? EXIT_FINE : cli_fail_text("no memory", NULL);
    }
    return cli_fail_text("which one?", usage);
}

int cli_completion(Arena *a, const Options *o)
{
    static const Writer writers[] = {{"bash", put_bash}, {"zsh", put_zsh}, {"fish", put_fish}};
    (void)a;
    return write_one(o, writers, 3,
                     "grade completion bash|zsh|fish; source <(grade completion bash) uses it");
}

int cli_manual(Arena *a, const Options *o)
{
    static const Writer writers[] = {{"synopsis", put_synopsis}, {"options", put_option_list}};
    (void)a;
    return write_one(o, writers, 2, "grade manual synopsis|options");
}
