/*
 * Makes a contender of a JSON parser, tacho's or a peer, which parses every line of a json_input.
 */
#ifndef BENCH_JSON_LINES_H
#define BENCH_JSON_LINES_H

#include "bench.h"
#include "json_input.h"
#include "peers.h"

/** Returns a contender whose work is a json_input. It fails when a line is not valid. */
struct bench_contender json_contender(enum bench_role role, const struct json_peer *parser);

#endif
