/*
 * JSON parsers as small tables of functions. Each third-party header is included in one file only.
 * For a peer that is not installed, the build makes a table that only says so.
 */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Number of readable bytes after every parsed text; their values do not matter. */
enum { PEER_PADDING = 64 };

struct json_peer {
    const char *name;
    const char *missing; /* why the functions are not here; NULL: they are */
    void *(*open)(void); /* returns NULL on failure */
    bool (*parse)(void *parser, const char *line,
                  size_t len); /* returns whether it is valid JSON */
    void (*close)(void *parser);
};

extern const struct json_peer peer_jansson;
extern const struct json_peer peer_jsonc;
extern const struct json_peer peer_simdjson;

#ifdef __cplusplus
}
#endif

#endif
