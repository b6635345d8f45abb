/* Reads values from the tree of a YAML file by tables of fields. */
#include "yaml_fields.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/fail.h"
#include "base/number.h"

static const char *kind_name(const struct tch_yaml_node *node)
{
    if (node->kind == TCH_YAML_SCALAR)
        return node->text[0] ? "a single value" : node->quoted ? "an empty text" : "nothing";
    return node->kind == TCH_YAML_LIST ? "a list" : "a map";
}

/* Fails with "'runs' needs a whole number, not '1.5'". */
static int wrong_type(const struct tch_yaml_node *node, const char *wants, tacho_error *err)
{
    const char *key = node->key ? node->key : "this";
    const char *quote = node->key ? "'" : "";

    if (node->kind == TCH_YAML_SCALAR && node->text[0])
        return tch_yaml_fail(err, node, "%s%.60s%s needs %s, not '%.60s'", quote, key, quote, wants,
                             node->text);
    return tch_yaml_fail(err, node, "%s%.60s%s needs %s, not %s", quote, key, quote, wants,
                         kind_name(node));
}

/* Returns the name of a field, or NULL after the last one. */
static const char *name_of(const struct tch_yaml_field *field)
{
    return field->setting ? field->setting->name : field->name;
}

static int unknown_key(const struct tch_yaml_node *node, const char *what,
                       const struct tch_yaml_field *fields, tacho_error *err)
{
    char known[200];
    struct tch_buf b;

    tch_buf_init_on(&b, known, sizeof known, sizeof known - 1);
    for (const struct tch_yaml_field *f = fields; name_of(f); f++)
        tch_buf_addf(&b, "%s%s", f == fields ? "" : ",", name_of(f)); /* a message is short */
    return tch_yaml_fail(err, node, "'%.40s' is not a key of %s; use %s", node->key, what, b.data);
}

/* Stores a value by its setting. The limits of the setting are not checked here: the reader of a
   file checks its own and can say more about a value that is out of range. */
static int set_field(const struct tch_yaml_field *field, const struct tch_yaml_node *node,
                     void *into, tacho_error *err)
{
    static tch_yaml_taker *const takers[] = {
        [TCH_SET_TEXT] = tch_yaml_text,         [TCH_SET_FLAG] = tch_yaml_bool,
        [TCH_SET_U64] = tch_yaml_count,         [TCH_SET_SHARE] = tch_yaml_share,
        [TCH_SET_DURATION] = tch_yaml_duration,
    };
    char *at = (char *)into + field->offset;

    if (field->take)
        return field->take(node, at, err);
    return field->setting ? takers[field->setting->kind](node, at + field->setting->offset, err)
                          : 0;
}

int tch_yaml_take(const struct tch_yaml_node *map, const char *what,
                  const struct tch_yaml_field *fields, void *into, tacho_error *err)
{
    if (map->kind != TCH_YAML_MAP)
        return tch_yaml_fail(err, map, "%s must be a map of keys and values, not %s", what,
                             kind_name(map));
    for (const struct tch_yaml_node *node = map->first; node; node = node->next) {
        const struct tch_yaml_field *field = fields;
        int status;

        while (name_of(field) && strcmp(name_of(field), node->key) != 0)
            field++;
        if (!name_of(field))
            return unknown_key(node, what, fields, err);
        status = set_field(field, node, into, err);
        if (status < 0)
            return status;
    }
    return 0;
}

int tch_yaml_text(const struct tch_yaml_node *node, void *at, tacho_error *err)
{
    if (node->kind != TCH_YAML_SCALAR || !node->text[0])
        return wrong_type(node, "a text", err);
    *(const char **)at = node->text;
    return 0;
}

int tch_yaml_bool(const struct tch_yaml_node *node, void *at, tacho_error *err)
{
    bool yes = strcmp(node->text, "true") == 0;

    if (node->quoted || (!yes && strcmp(node->text, "false") != 0))
        return wrong_type(node, "true or false", err);
    *(bool *)at = yes;
    return 0;
}

int tch_yaml_count(const struct tch_yaml_node *node, void *at, tacho_error *err)
{
    if (node->quoted || tch_parse_u64(node->text, 1000000000, at) < 0)
        return wrong_type(node, "a whole number", err);
    return 0;
}

int tch_yaml_share(const struct tch_yaml_node *node, void *at, tacho_error *err)
{
    size_t len = strlen(node->text);
    bool percent = len > 0 && node->text[len - 1] == '%';
    double value;

    if (tch_parse_f64_n(node->text, len - percent, &value) < 0 || !isfinite(value) || value < 0)
        return wrong_type(node, "a share such as 5% or 0.05", err);
    if (!percent && value > 1) /* 500 % is probably a typing error */
        return wrong_type(node, "a share such as 5%; 500% is written with its sign", err);
    *(double *)at = percent ? value / 100 : value;
    return 0;
}

int tch_yaml_duration(const struct tch_yaml_node *node, void *at, tacho_error *err)
{
    if (tch_parse_duration(node->text, at) < 0)
        return wrong_type(node, "a duration such as 250ms or 5s", err);
    return 0;
}

int tch_yaml_list(const struct tch_yaml_node *node, void *at, tacho_error *err)
{
    if (node->kind != TCH_YAML_LIST)
        return wrong_type(node, "a list", err);
    *(const struct tch_yaml_node **)at = node;
    return 0;
}

int tch_yaml_map(const struct tch_yaml_node *node, void *at, tacho_error *err)
{
    if (node->kind != TCH_YAML_MAP)
        return wrong_type(node, "a map of keys and values", err);
    *(const struct tch_yaml_node **)at = node;
    return 0;
}

int tch_yaml_any(const struct tch_yaml_node *node, void *at, tacho_error *err)
{
    (void)err;
    *(const struct tch_yaml_node **)at = node;
    return 0;
}
