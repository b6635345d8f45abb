/* Builds the tree of a YAML file from libyaml's events. yaml_fields.c reads values from the
   tree. */
#include "yaml.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "base/fail.h"

/* A node and the texts that belong to it are one allocation each, linked for the release. */
struct made {
    /* Must be the first member: a pointer to one is a pointer to the other. */
    struct tch_yaml_node node;
    struct made *before;
    char *key;
    char *text;
};

struct building {
    struct tch_yaml *yaml;
    struct tch_yaml_node *open[TCH_YAML_DEPTH]; /* containers whose end was not read yet */
    struct tch_yaml_node *last[TCH_YAML_DEPTH]; /* the last child of each */
    char *key[TCH_YAML_DEPTH];                  /* in a map: the key whose value comes next */
    size_t depth;
    size_t documents;
    tacho_error *err;
};

int tch_yaml_fail(tacho_error *err, const struct tch_yaml_node *node, const char *fmt, ...)
{
    char text[sizeof err->message];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    tch_fail(err, TACHO_EPARSE, node->line, "%s", text);
    if (err)
        err->column = node->column;
    return TACHO_EPARSE;
}

static int fail_at(tacho_error *err, const yaml_mark_t *mark, const char *why)
{
    struct tch_yaml_node at = {.line = mark->line + 1, .column = mark->column + 1};

    return tch_yaml_fail(err, &at, "%s", why);
}

void tch_yaml_release(struct tch_yaml *yaml)
{
    for (struct made *made = (struct made *)yaml->all, *before; made; made = before) {
        before = made->before;
        free(made->key);
        free(made->text);
        free(made);
    }
    *yaml = (struct tch_yaml){0};
}

static char *copy(const yaml_event_t *event)
{
    size_t size = event->data.scalar.length + 1;
    char *text = malloc(size);

    return text ? memcpy(text, event->data.scalar.value, size) : NULL;
}

static struct made *new_node(struct building *b, enum tch_yaml_kind kind, const yaml_mark_t *mark)
{
    struct made *made = calloc(1, sizeof *made);

    if (!made)
        return NULL;
    made->node = (struct tch_yaml_node){
        .kind = kind, .line = mark->line + 1, .column = mark->column + 1, .text = ""};
    made->before = (struct made *)b->yaml->all;
    b->yaml->all = &made->node;
    b->yaml->count++;
    return made;
}

/* Adds a node to the innermost open container, or makes it the root. */
static void add_child(struct building *b, struct made *made)
{
    struct tch_yaml_node *node = &made->node;
    size_t level = b->depth - 1;

    if (b->depth == 0) {
        b->yaml->root = node;
        return;
    }
    node->key = made->key = b->key[level];
    b->key[level] = NULL;
    if (b->last[level])
        b->last[level]->next = node;
    else
        b->open[level]->first = node;
    b->last[level] = node;
    b->open[level]->count++;
}

static bool wants_key(const struct building *b)
{
    return b->depth > 0 && b->open[b->depth - 1]->kind == TCH_YAML_MAP && !b->key[b->depth - 1];
}

static int set_key(struct building *b, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    char *key;

    if (tch_yaml_find(b->open[b->depth - 1], text)) {
        struct tch_yaml_node at = {.line = event->start_mark.line + 1,
                                   .column = event->start_mark.column + 1};

        return tch_yaml_fail(b->err, &at, "the key '%.60s' occurs twice", text);
    }
    key = copy(event);
    if (!key)
        return tch_fail_memory(b->err);
    b->key[b->depth - 1] = key;
    return 0;
}

static int add_scalar(struct building *b, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    struct made *made;

    if (event->data.scalar.anchor || event->data.scalar.tag)
        return fail_at(b->err, &event->start_mark, "anchors and tags are not supported");
    if (strlen(text) != event->data.scalar.length)
        return fail_at(b->err, &event->start_mark, "a text must not contain NUL characters");
    if (wants_key(b))
        return set_key(b, event);
    made = new_node(b, TCH_YAML_SCALAR, &event->start_mark);
    if (!made || !(made->text = copy(event)))
        return tch_fail_memory(b->err);
    made->node.text = made->text;
    made->node.quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    add_child(b, made);
    return 0;
}

static int open_container(struct building *b, const yaml_event_t *event, enum tch_yaml_kind kind,
                          bool marked)
{
    struct made *made;

    if (marked)
        return fail_at(b->err, &event->start_mark, "anchors and tags are not supported");
    if (wants_key(b))
        return fail_at(b->err, &event->start_mark, "a key must be plain text");
    if (b->depth == TCH_YAML_DEPTH)
        return fail_at(b->err, &event->start_mark, "this is nested too deeply");
    made = new_node(b, kind, &event->start_mark);
    if (!made)
        return tch_fail_memory(b->err);
    add_child(b, made);
    b->open[b->depth] = &made->node;
    b->last[b->depth] = NULL;
    b->key[b->depth++] = NULL;
    return 0;
}

static int add_event(struct building *b, const yaml_event_t *event)
{
    if (b->yaml->count > TCH_YAML_NODES)
        return tch_fail(b->err, TACHO_ELIMIT, event->start_mark.line + 1,
                        "there are more than %d values", TCH_YAML_NODES);
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        return ++b->documents == 1
                   ? 0
                   : fail_at(b->err, &event->start_mark, "a file must contain only one document");
    case YAML_ALIAS_EVENT:
        return fail_at(b->err, &event->start_mark,
                       "aliases are not supported; repeat the value instead");
    case YAML_SCALAR_EVENT:
        return add_scalar(b, event);
    case YAML_SEQUENCE_START_EVENT:
        return open_container(b, event, TCH_YAML_LIST,
                              event->data.sequence_start.anchor || event->data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
        return open_container(b, event, TCH_YAML_MAP,
                              event->data.mapping_start.anchor || event->data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        b->depth--;
        return 0;
    default:
        return 0;
    }
}

static int build(struct building *b, yaml_parser_t *parser)
{
    bool ended = false;
    int status = 0;

    while (!ended && status == 0) {
        yaml_event_t event;

        if (!yaml_parser_parse(parser, &event)) {
            if (parser->error == YAML_MEMORY_ERROR)
                return tch_fail_memory(b->err);
            return fail_at(b->err, &parser->problem_mark,
                           parser->problem ? parser->problem : "this is not valid YAML");
        }
        ended = event.type == YAML_STREAM_END_EVENT;
        status = add_event(b, &event);
        yaml_event_delete(&event);
    }
    if (status == 0 && !b->yaml->root) {
        struct made *made = new_node(b, TCH_YAML_MAP, &parser->mark);

        if (!made)
            return tch_fail_memory(b->err);
        b->yaml->root = &made->node;
    }
    return status;
}

int tch_yaml_parse(struct tch_yaml *yaml, const char *text, size_t len, tacho_error *err)
{
    struct building b = {.yaml = yaml, .err = err};
    yaml_parser_t parser;
    int status;

    *yaml = (struct tch_yaml){0};
    if (len > TCH_YAML_MAX)
        return tch_fail(err, TACHO_ELIMIT, 0, "it is larger than %d bytes", TCH_YAML_MAX);
    if (!yaml_parser_initialize(&parser))
        return tch_fail_memory(err);
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, len);
    status = build(&b, &parser);
    for (size_t i = 0; i < b.depth; i++)
        free(b.key[i]);
    yaml_parser_delete(&parser);
    return status;
}

const struct tch_yaml_node *tch_yaml_find(const struct tch_yaml_node *map, const char *key)
{
    for (const struct tch_yaml_node *node = map->first; node; node = node->next)
        if (node->key && strcmp(node->key, key) == 0)
            return node;
    return NULL;
}
