/* json-c: the tokener is kept from line to line, as its documentation advises. */
#include "peers.h"

#include <json-c/json.h>

static void *open_parser(void)
{
    return json_tokener_new();
}

static bool parse(void *parser, const char *line, size_t len)
{
    struct json_object *value;
    bool sound;

    json_tokener_reset(parser);
    value = json_tokener_parse_ex(parser, line, (int)len);
    sound = json_tokener_get_error(parser) == json_tokener_success;
    json_object_put(value);
    return sound;
}

static void close_parser(void *parser)
{
    json_tokener_free(parser);
}

const struct json_peer peer_jsonc = {
    .name = "json-c",
    .open = open_parser,
    .parse = parse,
    .close = close_parser,
};
