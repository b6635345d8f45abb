/*
 * Statistics that another tool computed, as the "aggregate" of run.json: an object with one member
 * per metric.
 */
#ifndef TCH_RESULT_AGGREGATE_H
#define TCH_RESULT_AGGREGATE_H

#include <stdbool.h>

#include <tacho/error.h>

#include "base/buf.h"
#include "base/json_fields.h"
#include "result.h"

/** The members of struct tch_aggregate. */
extern const struct tch_json_field tch_aggregate_fields[];

/** Gives a column an aggregate, unless it has one, and returns it. Returns NULL without memory. */
struct tch_aggregate *tch_column_aggregate(struct tch_column *c);

/** Returns whether any column has an aggregate. */
bool tch_result_has_aggregates(const void *result);

/** Writes the aggregates. */
void tch_result_write_aggregates(struct tch_buf *b, const void *result);

/** Reads the aggregates from the text of run.json. The metrics must be known. Returns 0,
    TACHO_EPARSE or TACHO_ENOMEM. */
int tch_result_read_aggregates(struct tch_result *r, const char *text, size_t len,
                               tacho_error *err);

#endif
