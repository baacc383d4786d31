/* See yaml_tree.h. */
#include "common/base/yaml_tree.h"

#include <string.h>

Status yaml_tree_load(yaml_document_t *doc, const char *file, FILE *stream, const char *bytes, size_t length, Diag *d)
{
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return diag_set(d, STATUS_NO_MEMORY, "no memory to read %s", file);
    if (stream)
        yaml_parser_set_input_file(&parser, stream);
    else
        yaml_parser_set_input_string(&parser, (const unsigned char *)bytes, length);
    Status s = STATUS_OK;
    if (!yaml_parser_load(&parser, doc))
        s = diag_set_at(d, STATUS_PARSE, file, (int)parser.problem_mark.line + 1,
                        (int)parser.problem_mark.column + 1, "not YAML: %s",
                        parser.problem ? parser.problem : "unreadable");
    yaml_parser_delete(&parser);
    return s;
}

const char *yaml_tree_text(const yaml_node_t *node)
{
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

yaml_node_t *yaml_tree_value(yaml_document_t *doc, const yaml_node_t *map, const char *key)
{
    if (!map || map->type != YAML_MAPPING_NODE)
        return NULL;
    for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top; p++) {
        const char *text = yaml_tree_text(yaml_document_get_node(doc, p->key));
        if (text && strcmp(text, key) == 0)
            return yaml_document_get_node(doc, p->value);
    }
    return NULL;
}

yaml_node_t *yaml_tree_item(yaml_document_t *doc, const yaml_node_t *list, size_t i)
{
    if (!list || list->type != YAML_SEQUENCE_NODE)
        return NULL;
    yaml_node_item_t *item = list->data.sequence.items.start + i;
    return item < list->data.sequence.items.top ? yaml_document_get_node(doc, *item) : NULL;
}
