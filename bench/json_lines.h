/*
 * A JSON parser, one of ours or a peer, as a contender: every line of a json_input through it.
 */
#ifndef BENCH_JSON_LINES_H
#define BENCH_JSON_LINES_H

#include "bench.h"
#include "json_input.h"
#include "peers.h"

/** Its work is a json_input; it fails where a line is not sound. */
struct bench_contender json_contender(enum bench_role role, const struct json_peer *parser);

#endif
