/* yaml_tree: YAML files that the kit or an instructor wrote, as libyaml's tree of nodes. (What a student wrote is read event by
 * event, within limits: grader/core/answers.c.) */
#ifndef COMMON_BASE_YAML_TREE_H
#define COMMON_BASE_YAML_TREE_H

#include "common/base/status.h"

#include <stdio.h>
#include <yaml.h>

/* Fills in the Diag with the node's place, and gives back STATUS_PARSE. */
#define YAML_TREE_FAIL(d, file, node, ...)                                                                             \
    diag_set_at(d, STATUS_PARSE, file, (int)(node)->start_mark.line + 1, (int)(node)->start_mark.column + 1, __VA_ARGS__)

/* Reads all of a stream, or, where that is NULL, the bytes; file is its name in messages. What was loaded is given back by
 * yaml_document_delete; after a failure there is nothing to give back. */
Status yaml_tree_load(yaml_document_t *doc, const char *file, FILE *stream, const char *bytes, size_t length, Diag *d);
/* The value of a key of a map; NULL when it is no map, or NULL, or has no such key. */
yaml_node_t *yaml_tree_value(yaml_document_t *doc, const yaml_node_t *map, const char *key);
/* Item i of a list; NULL past its end, or when it is no list. */
yaml_node_t *yaml_tree_item(yaml_document_t *doc, const yaml_node_t *list, size_t i);
/* The scalar's text; NULL when the node is none, or NULL. */
const char *yaml_tree_text(const yaml_node_t *node);

#endif
