/* Statistics that another tool computed. */
#include "result_aggregate.h"

#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/json_write.h"

const struct tch_json_field tch_aggregate_fields[] = {
    {TCH_JSON_TEXT(struct tch_aggregate, statistic, TCH_JSON_OR_NULL)},
    {TCH_JSON_F64(struct tch_aggregate, value, TCH_JSON_LEFT_OUT)},
    {TCH_JSON_U64(struct tch_aggregate, n, TCH_JSON_OR_NULL)},
    {TCH_JSON_F64(struct tch_aggregate, low, TCH_JSON_LEFT_OUT)},
    {TCH_JSON_F64(struct tch_aggregate, high, TCH_JSON_LEFT_OUT)},
    {TCH_JSON_F64(struct tch_aggregate, level, TCH_JSON_LEFT_OUT)},
    {TCH_JSON_F64(struct tch_aggregate, spread, TCH_JSON_LEFT_OUT)},
    {TCH_JSON_TEXT(struct tch_aggregate, spread_is, TCH_JSON_LEFT_OUT)},
    {0},
};

struct tch_aggregate *tch_column_aggregate(struct tch_column *c)
{
    if (c->aggregate)
        return c->aggregate;
    c->aggregate = malloc(sizeof *c->aggregate);
    if (c->aggregate)
        *c->aggregate = (struct tch_aggregate){
            .value = NAN, .low = NAN, .high = NAN, .level = NAN, .spread = NAN};
    return c->aggregate;
}

bool tch_result_has_aggregates(const void *result)
{
    const struct tch_result *r = result;

    for (size_t i = 0; i < r->column_count; i++)
        if (r->columns[i].aggregate)
            return true;
    return false;
}

void tch_result_write_aggregates(struct tch_buf *b, const void *result)
{
    const struct tch_result *r = result;

    tch_json_begin_object(b);
    for (size_t i = 0; i < r->column_count; i++) {
        if (!r->columns[i].aggregate)
            continue;
        tch_json_key(b, r->columns[i].metric.key);
        tch_json_fields_write(b, tch_aggregate_fields, r->columns[i].aggregate);
    }
    tch_json_end_object(b);
}

static struct tch_column *column_of(struct tch_result *r, const struct tch_json_value *key)
{
    for (size_t i = 0; i < r->column_count; i++)
        if (tch_json_is(key, r->columns[i].metric.key))
            return &r->columns[i];
    return NULL;
}

int tch_result_read_aggregates(struct tch_result *r, const char *text, size_t len, tacho_error *err)
{
    struct tch_json_value found;
    struct tch_json_value key;
    struct tch_json_reader j;
    int status;
    int more = 0;

    if (!tch_json_find(text, len, "aggregate", &found) || found.type != TCH_JSON_OBJECT)
        return 0;
    tch_json_open(&j, found.text, found.len, err);
    status = tch_json_read(&j, &key);
    while (status == 0 && (more = tch_json_member(&j, &key)) > 0) {
        struct tch_column *c = column_of(r, &key);

        if (!c)
            status = tch_json_skip(&j);
        else if (!tch_column_aggregate(c))
            status = tch_fail_memory(err);
        else
            status = tch_json_fields_read(&j, tch_aggregate_fields, c->aggregate, NULL, err);
    }
    return status < 0 ? status : more;
}
