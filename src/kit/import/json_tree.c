/* A JSON document as a tree. */
#include "json_tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/number.h"

/* State of the parser. `open` has the containers that are not complete. */
struct parse {
    struct tch_json_tree *t;
    struct tch_json_reader r;
    uint32_t open[TCH_JSON_DEPTH + 1];
    size_t depth;
    tacho_error *err;
};

static int add_node(struct parse *p, const struct tch_json_value *key,
                    const struct tch_json_value *value)
{
    struct tch_json_tree *t = p->t;

    if (t->count >= UINT32_MAX || (key && key->len > UINT32_MAX) || value->len > UINT32_MAX)
        return tch_fail(p->err, TACHO_ELIMIT, 0, "the document has too many values");
    if (tch_array_reserve(&t->nodes, &t->room, t->count + 1) < 0)
        return tch_fail_memory(p->err);
    t->nodes[t->count++] = (struct tch_json_node){
        .key = key ? key->text : NULL,
        .key_len = key ? (uint32_t)key->len : 0,
        .key_escaped = key && key->escaped,
        .text = value->text,
        .len = value->type == TCH_JSON_ARRAY || value->type == TCH_JSON_OBJECT
                   ? 0
                   : (uint32_t)value->len,
        .size = 1,
        .type = (uint8_t)value->type,
        .escaped = value->type == TCH_JSON_STRING && value->escaped,
    };
    return 0;
}

/* Reads one value, and enters it if it is a container. */
static int read_value(struct parse *p, const struct tch_json_value *key)
{
    struct tch_json_value value = {0};
    int status = tch_json_read(&p->r, &value);

    if (status == 0)
        status = add_node(p, key, &value);
    if (status == 0 && (value.type == TCH_JSON_ARRAY || value.type == TCH_JSON_OBJECT))
        p->open[p->depth++] = (uint32_t)(p->t->count - 1);
    return status;
}

static int read_tree(struct parse *p)
{
    int status = read_value(p, NULL);

    while (status == 0 && p->depth > 0) {
        struct tch_json_node *in = &p->t->nodes[p->open[p->depth - 1]];
        struct tch_json_value key;
        bool object = in->type == TCH_JSON_OBJECT;
        int more = object ? tch_json_member(&p->r, &key) : tch_json_element(&p->r);

        if (more < 0)
            return more;
        if (more > 0) {
            status = read_value(p, object ? &key : NULL);
            continue;
        }
        in->size = (uint32_t)(p->t->count - p->open[p->depth - 1]);
        p->depth--;
    }
    return status;
}

/* Returns the length of a document from its last node: the closing brackets follow that. */
static size_t end_of(const struct tch_json_tree *t, const char *text, size_t len)
{
    const struct tch_json_node *last = &t->nodes[t->count - 1];
    const char *at = last->len > 0 ? last->text + last->len : last->text;

    while (at < text + len && *at != '\n')
        at++;
    return (size_t)(at - text);
}

int tch_json_tree_parse(struct tch_json_tree *t, const char *text, size_t len, size_t *end,
                        tacho_error *err)
{
    struct parse p = {.t = t, .err = err};
    int status;

    t->count = 0;
    /* A guess of the number of values, so that a large document is not copied as it grows. */
    if (tch_array_reserve(&t->nodes, &t->room, len / 32 + 1) < 0)
        return tch_fail_memory(err);
    tch_json_open(&p.r, text, len, err);
    status = read_tree(&p);
    if (status == 0 && end)
        *end = end_of(t, text, len);
    return status;
}

void tch_json_tree_release(struct tch_json_tree *t)
{
    free(t->nodes);
    *t = (struct tch_json_tree){0};
}

const struct tch_json_node *tch_json_tree_first(const struct tch_json_node *of)
{
    return of && of->size > 1 ? of + 1 : NULL;
}

const struct tch_json_node *tch_json_tree_next(const struct tch_json_node *of,
                                               const struct tch_json_node *child)
{
    const struct tch_json_node *next = child + child->size;

    return next < of + of->size ? next : NULL;
}

static struct tch_json_value key_of(const struct tch_json_node *node)
{
    return (struct tch_json_value){.type = TCH_JSON_STRING,
                                   .escaped = node->key_escaped,
                                   .text = node->key,
                                   .len = node->key_len};
}

static struct tch_json_value value_of(const struct tch_json_node *node)
{
    return (struct tch_json_value){.type = (enum tch_json_type)node->type,
                                   .escaped = node->escaped,
                                   .text = node->text,
                                   .len = node->len};
}

bool tch_json_tree_key_is(const struct tch_json_node *node, const char *key)
{
    struct tch_json_value value;

    if (!node || !node->key)
        return false;
    if (!node->key_escaped) { /* as nearly all keys are */
        size_t len = strlen(key);

        return node->key_len == len && memcmp(node->key, key, len) == 0;
    }
    value = key_of(node);
    return tch_json_is(&value, key);
}

const struct tch_json_node *tch_json_tree_get(const struct tch_json_node *of, const char *key)
{
    if (!tch_json_tree_is(of, TCH_JSON_OBJECT))
        return NULL;
    for (const struct tch_json_node *c = tch_json_tree_first(of); c; c = tch_json_tree_next(of, c))
        if (tch_json_tree_key_is(c, key))
            return c;
    return NULL;
}

bool tch_json_tree_is(const struct tch_json_node *node, enum tch_json_type type)
{
    return node && node->type == type;
}

bool tch_json_tree_text_is(const struct tch_json_node *node, const char *text)
{
    struct tch_json_value value;

    if (!tch_json_tree_is(node, TCH_JSON_STRING))
        return false;
    value = value_of(node);
    return tch_json_is(&value, text);
}

double tch_json_tree_number(const struct tch_json_node *node)
{
    struct tch_json_value value;
    double number = NAN;

    if (tch_json_tree_is(node, TCH_JSON_STRING) && !node->escaped)
        return tch_parse_f64_n(node->text, node->len, &number) == 0 && isfinite(number) ? number
                                                                                        : NAN;
    if (!tch_json_tree_is(node, TCH_JSON_NUMBER))
        return NAN;
    value = value_of(node);
    number = tch_json_to_f64(&value);
    return isfinite(number) ? number : NAN;
}

void tch_json_tree_add(struct tch_buf *b, const struct tch_json_node *node)
{
    static const char *const words[] = {"null", "false", "true"};
    struct tch_json_value value;

    if (!node)
        return;
    value = value_of(node);
    if (node->type == TCH_JSON_STRING)
        tch_json_unescape(&value, b);
    else if (node->type == TCH_JSON_NUMBER)
        tch_buf_add(b, node->text, node->len);
    else if (node->type <= TCH_JSON_TRUE)
        tch_buf_adds(b, words[node->type]);
}

void tch_json_tree_add_key(struct tch_buf *b, const struct tch_json_node *node)
{
    struct tch_json_value value = key_of(node);

    if (node->key) /* an element of an array has no key */
        tch_json_unescape(&value, b);
}

char *tch_json_tree_copy(const struct tch_json_node *node)
{
    struct tch_buf b;

    if (!tch_json_tree_is(node, TCH_JSON_STRING))
        return NULL;
    tch_buf_init(&b, 1 << 20);
    tch_json_tree_add(&b, node);
    return tch_buf_take(&b);
}
