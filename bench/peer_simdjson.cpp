/* simdjson: the DOM parser, kept from line to line, in place: the padding it needs is there. */
#include "peers.h"

#include <new>
#include <simdjson.h>

static_assert(PEER_PADDING >= simdjson::SIMDJSON_PADDING, "simdjson reads past the padding");

static void *open_parser()
{
    return new (std::nothrow) simdjson::dom::parser;
}

static bool parse(void *parser, const char *line, size_t len)
{
    const bool realloc_if_needed = false;

    return static_cast<simdjson::dom::parser *>(parser)
               ->parse(line, len, realloc_if_needed)
               .error() == simdjson::SUCCESS;
}

static void close_parser(void *parser)
{
    delete static_cast<simdjson::dom::parser *>(parser);
}

const struct json_peer peer_simdjson = {"simdjson DOM", nullptr, open_parser, parse, close_parser};
