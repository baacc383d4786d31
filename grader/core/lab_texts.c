/* The texts of a lab in another language: lab.LANGUAGE.yaml beside lab.yaml.
 *
 * The file holds `lang`, `title`, `goal`, `cases` (name, message, hint, slow_hint) and `hints` (todo, tiers), as
 * lab.yaml has them; what it does not say stays in English. That it says what lab.yaml says today is checked
 * when the kit is made (docs/check/translations.pl), so a text for something that the lab does not have is
 * passed over.
 */
#include "common/base/yaml_tree.h"
#include "grader/core/files.h"
#include "grader/core/lab.h"

#include <stdlib.h>
#include <string.h>

enum { TEXTS_BYTES_MAX = 1 << 20 };

typedef struct Texts {
    yaml_document_t doc;
    Arena *arena;
} Texts;

/* Puts a text into *field, when there is one. */
static void lab_texts_take(Texts *t, const yaml_node_t *node, const char **field)
{
    const char *text = yaml_tree_text(node);
    const char *copy = text ? arena_strndup(t->arena, text, node->data.scalar.length) : NULL;
    if (copy)
        *field = copy;
}

static bool is_text(const yaml_node_t *node, const char *text)
{
    const char *own = yaml_tree_text(node);
    return own && strcmp(own, text) == 0;
}

static void take_cases(Texts *t, const yaml_node_t *list, Lab *lab)
{
    const yaml_node_t *item;
    for (size_t i = 0; (item = yaml_tree_item(&t->doc, list, i)); i++)
        for (size_t c = 0; c < lab->n_cases; c++)
            if (is_text(yaml_tree_value(&t->doc, item, "name"), lab->cases[c].name)) {
                lab_texts_take(t, yaml_tree_value(&t->doc, item, "message"), &lab->cases[c].message);
                lab_texts_take(t, yaml_tree_value(&t->doc, item, "hint"), &lab->cases[c].hint);
                lab_texts_take(t, yaml_tree_value(&t->doc, item, "slow_hint"), &lab->cases[c].slow_hint);
            }
}

static void take_hints(Texts *t, const yaml_node_t *list, Lab *lab)
{
    const yaml_node_t *item;
    for (size_t i = 0; (item = yaml_tree_item(&t->doc, list, i)); i++) {
        const char *todo = yaml_tree_text(yaml_tree_value(&t->doc, item, "todo"));
        int64_t number = todo ? atoll(todo) : 0;
        for (size_t h = 0; h < lab->n_hints; h++)
            for (size_t tier = 0; lab->hints[h].todo == number && tier < lab->hints[h].n_tiers; tier++)
                lab_texts_take(t, yaml_tree_item(&t->doc, yaml_tree_value(&t->doc, item, "tiers"), tier), &lab->hints[h].tiers[tier]);
    }
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
    s = yaml_tree_load(&t.doc, path, NULL, bytes, length, d);
    if (s != STATUS_OK)
        return s;
    const yaml_node_t *root = yaml_document_get_root_node(&t.doc);
    if (!is_text(yaml_tree_value(&t.doc, root, "lang"), language_name(language))) {
        s = diag_set_at(d, STATUS_PARSE, path, 1, 1, "expected `lang: %s`", language_name(language));
    } else {
        lab_texts_take(&t, yaml_tree_value(&t.doc, root, "title"), &lab->title);
        lab_texts_take(&t, yaml_tree_value(&t.doc, root, "goal"), &lab->goal);
        take_cases(&t, yaml_tree_value(&t.doc, root, "cases"), lab);
        take_hints(&t, yaml_tree_value(&t.doc, root, "hints"), lab);
        lab->language = language;
    }
    yaml_document_delete(&t.doc);
    return s;
}
