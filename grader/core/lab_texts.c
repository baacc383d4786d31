/* The texts of a lab in another language: lab.LANGUAGE.yaml beside lab.yaml.
 *
 * The file holds `lang`, `title`, `goal`, `cases` (name, message, hint) and `hints` (todo, tiers), as
 * lab.yaml has them; what it does not say stays in English. That it says what lab.yaml says today is checked
 * when the kit is made (docs/check/translations.pl), so a text for something that the lab does not have is
 * passed over.
 */
#include "grader/core/files.h"
#include "grader/core/lab.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

enum { TEXTS_BYTES_MAX = 1 << 20 };

typedef struct Texts {
    yaml_document_t doc;
    Arena *arena;
} Texts;

/* The value of a key of a map; NULL when it is no map or has no such key. */
static yaml_node_t *value_of(Texts *t, const yaml_node_t *map, const char *key)
{
    if (!map || map->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        const yaml_node_t *k = yaml_document_get_node(&t->doc, p->key);
        if (k->type == YAML_SCALAR_NODE && strcmp((const char *)k->data.scalar.value, key) == 0)
            return yaml_document_get_node(&t->doc, p->value);
    }
    return NULL;
}

/* Item i of a list; NULL past its end, or when it is no list. */
static yaml_node_t *item_of(Texts *t, const yaml_node_t *list, size_t i)
{
    if (!list || list->type != YAML_SEQUENCE_NODE)
        return NULL;
    yaml_node_item_t *item = list->data.sequence.items.start + i;
    return item < list->data.sequence.items.top ? yaml_document_get_node(&t->doc, *item) : NULL;
}

/* Puts a text into *field, when there is one. */
static void take(Texts *t, const yaml_node_t *node, const char **field)
{
    const char *text =
        node && node->type == YAML_SCALAR_NODE
            ? arena_strndup(t->arena, (const char *)node->data.scalar.value, node->data.scalar.length)
            : NULL;
    if (text)
        *field = text;
}

static bool is_text(const yaml_node_t *node, const char *text)
{
    return node && node->type == YAML_SCALAR_NODE && strcmp((const char *)node->data.scalar.value, text) == 0;
}

static void take_cases(Texts *t, const yaml_node_t *list, Lab *lab)
{
    const yaml_node_t *item;
    for (size_t i = 0; (item = item_of(t, list, i)); i++)
        for (size_t c = 0; c < lab->n_cases; c++)
            if (is_text(value_of(t, item, "name"), lab->cases[c].name)) {
                take(t, value_of(t, item, "message"), &lab->cases[c].message);
                take(t, value_of(t, item, "hint"), &lab->cases[c].hint);
            }
}

static void take_hints(Texts *t, const yaml_node_t *list, Lab *lab)
{
    const yaml_node_t *item;
    for (size_t i = 0; (item = item_of(t, list, i)); i++) {
        const yaml_node_t *todo = value_of(t, item, "todo");
        int64_t number =
            todo && todo->type == YAML_SCALAR_NODE ? atoll((const char *)todo->data.scalar.value) : 0;
        for (size_t h = 0; h < lab->n_hints; h++)
            for (size_t tier = 0; lab->hints[h].todo == number && tier < lab->hints[h].n_tiers; tier++)
                take(t, item_of(t, value_of(t, item, "tiers"), tier), &lab->hints[h].tiers[tier]);
    }
}

static Status parse(Texts *t, const char *path, const char *bytes, size_t length, Diag *d)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return diag_set(d, STATUS_NO_MEMORY, "no memory to read %s", path);
    yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, length);
    Status s = STATUS_OK;
    if (!yaml_parser_load(&parser, &t->doc))
        s = diag_set_at(d, STATUS_PARSE, path, (int)parser.problem_mark.line + 1,
                        (int)parser.problem_mark.column + 1, "not YAML: %s",
                        parser.problem ? parser.problem : "unreadable");
    yaml_parser_delete(&parser);
    return s;
}

Status lab_translate(Lab *lab, Language language, Diag *d)
{
    char *bytes;
    size_t length;
    const char *path = arena_printf(&lab->arena, "%s/lab.%s.yaml", lab->dir, language_name(language));
    if (!path)
        return diag_set(d, STATUS_NO_MEMORY, "no memory for a lab");
    Status s = file_read(&lab->arena, path, TEXTS_BYTES_MAX, &bytes, &length, d);
    if (s != STATUS_OK)
        return s == STATUS_NOT_FOUND ? STATUS_OK : s;
    Texts t = {.arena = &lab->arena};
    s = parse(&t, path, bytes, length, d);
    if (s != STATUS_OK)
        return s;
    const yaml_node_t *root = yaml_document_get_root_node(&t.doc);
    if (!is_text(value_of(&t, root, "lang"), language_name(language))) {
        s = diag_set_at(d, STATUS_PARSE, path, 1, 1, "expected `lang: %s`", language_name(language));
    } else {
        take(&t, value_of(&t, root, "title"), &lab->title);
        take(&t, value_of(&t, root, "goal"), &lab->goal);
        take_cases(&t, value_of(&t, root, "cases"), lab);
        take_hints(&t, value_of(&t, root, "hints"), lab);
        lab->language = language;
    }
    yaml_document_delete(&t.doc);
    return s;
}
