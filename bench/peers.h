/*
 * JSON parsers behind one small table each. A third-party header appears in one file only; for a
 * peer that is not installed the build makes a table that says so and nothing else.
 */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bytes that may be read, and mean nothing, behind every text that is parsed. */
enum { PEER_PADDING = 64 };

struct json_peer {
    const char *name;
    const char *missing; /* why the functions are not here; NULL: they are */
    void *(*open)(void); /* returns NULL on failure */
    bool (*parse)(void *parser, const char *line, size_t len); /* is it sound JSON? */
    void (*close)(void *parser);
};

extern const struct json_peer peer_jansson;
extern const struct json_peer peer_jsonc;
extern const struct json_peer peer_simdjson;

#ifdef __cplusplus
}
#endif

#endif
