/* The parts of an extended sweep. */
#include "sweep_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/number.h"

/* --- Stages and their numbers --- */

/* Numbers the order of a new part, and adds its runs to the totals. */
static void number_part(struct tch_parts *s, struct tch_part *part, const struct tch_order *base)
{
    struct tch_order *order = &part->order;

    *order = *base;
    order->in = part->in;
    order->before = part->before;
    order->blocks_before = s->blocks;
    order->pairs_before = s->pairs;
    tch_order_init(order);
    for (size_t i = 0; i < base->cells; i++)
        s->total[i] += part->in[i] ? (uint32_t)part->blocks : 0;
    for (size_t b = 0; b < base->baselines; b++)
        s->total[base->cells + b] += (uint32_t)(part->blocks * tch_order_rounds(order, b));
    s->blocks += part->blocks;
    s->pairs += part->blocks * order->rounds;
}

/* Adds a part of the cells with in[cell], or of those of them that no earlier part has. */
static int add_part(struct tch_parts *s, const struct tch_order *base, const bool *in,
                    bool only_new, uint64_t blocks, tacho_error *err)
{
    size_t units = base->cells + base->baselines;
    struct tch_part *part;
    bool any = false;

    for (size_t i = 0; i < base->cells; i++)
        any |= in[i] && !(only_new && s->in[i]);
    if (!any || blocks == 0)
        return 0;
    if (tch_array_extend(&s->part, s->count) < 0)
        return tch_fail_memory(err);
    part = &s->part[s->count++];
    *part = (struct tch_part){.blocks = blocks,
                              .in = calloc(base->cells, sizeof *part->in),
                              .before = calloc(units, sizeof *part->before)};
    if (!part->in || !part->before)
        return tch_fail_memory(err);
    for (size_t i = 0; i < base->cells; i++)
        part->in[i] = in[i] && !(only_new && s->in[i]);
    memcpy(part->before, s->total, units * sizeof *part->before);
    number_part(s, part, base);
    return 0;
}

int tch_parts_add(struct tch_parts *s, const struct tch_order *base, const bool *in,
                  uint64_t repeat, tacho_error *err)
{
    int status;

    if (!s->total)
        s->total = calloc(base->cells + base->baselines, sizeof *s->total);
    if (!s->in)
        s->in = calloc(base->cells, sizeof *s->in);
    if (!s->total || !s->in)
        return tch_fail_memory(err);
    status = add_part(s, base, in, true, s->repeat, err);
    if (status == 0)
        status = add_part(s, base, in, false, repeat - s->repeat, err);
    memcpy(s->in, in, base->cells * sizeof *in);
    s->repeat = repeat;
    return status;
}

void tch_parts_release(struct tch_parts *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free(s->part[i].in);
        free(s->part[i].before);
    }
    free(s->part);
    free(s->total);
    free(s->in);
    *s = (struct tch_parts){0};
}

uint64_t tch_parts_block_of(const struct tch_parts *s, uint64_t pair)
{
    for (size_t i = s->count; i-- > 0;) {
        const struct tch_order *order = &s->part[i].order;

        if (pair > order->pairs_before)
            return order->blocks_before + (pair - order->pairs_before - 1) / order->rounds;
    }
    return pair - 1;
}

uint64_t tch_parts_shared(const struct tch_parts *s)
{
    uint64_t shared = 0;

    for (size_t i = 0; i < s->count; i++) {
        const struct tch_order *order = &s->part[i].order;
        bool all = true;

        for (size_t k = 0; k < order->cells && all; k++)
            all = order->in[k];
        shared += all ? s->part[i].blocks : 0;
    }
    return shared;
}

size_t tch_parts_steps(const struct tch_parts *s)
{
    size_t most = 0;

    for (size_t i = 0; i < s->count; i++)
        most = s->part[i].order.steps > most ? s->part[i].order.steps : most;
    return most;
}

/* --- What the command lines asked for, in sweep.json --- */

void tch_parts_write(struct tch_buf *b, const struct tch_grid *grid, uint64_t repeat)
{
    tch_json_begin_object(b);
    tch_json_put_u64(b, "repeat", repeat);
    tch_json_key(b, "values");
    tch_json_begin_object(b);
    for (size_t i = 0; i < grid->count; i++) {
        tch_json_key(b, grid->param[i].name);
        tch_json_begin_array(b);
        for (size_t k = 0; k < grid->param[i].count; k++)
            tch_json_text(b, grid->param[i].text[k]);
        tch_json_end_array(b);
    }
    tch_json_end_object(b);
    tch_json_end_object(b);
}

/* Reads the values that a parameter had. Clears in[cell] of all cells with another value. */
static int read_values(const struct tch_grid *grid, size_t param, const struct tch_json_value *list,
                       bool *in, struct tch_buf *why, tacho_error *err)
{
    const struct tch_param *p = &grid->param[param];
    bool *had = calloc(p->count, sizeof *had);
    struct tch_json_reader j;
    struct tch_json_value value;
    int status = 0;
    int more = 0;

    if (!had)
        return tch_fail_memory(err);
    tch_json_open(&j, list->text, list->len, err);
    if (tch_json_read(&j, &value) < 0 || value.type != TCH_JSON_ARRAY)
        status = tch_fail(err, TACHO_EPARSE, 0, "the values of '%s' must be an array", p->name);
    while (status == 0 && (more = tch_json_element(&j)) > 0) {
        size_t k = 0;

        if (tch_json_read(&j, &value) < 0) {
            status = j.status;
            break;
        }
        while (k < p->count && !tch_json_is(&value, p->text[k]))
            k++;
        if (k < p->count) {
            had[k] = true;
            continue;
        }
        tch_buf_addf(why, "%s=%.*s", p->name, (int)value.len, value.text);
        status = TACHO_EINVAL;
    }
    for (size_t cell = 0; status == 0 && cell < tch_grid_cells(grid); cell++)
        in[cell] = in[cell] && had[tch_grid_index(grid, cell, param)];
    free(had);
    return status < 0 ? status : more;
}

static int read_part(struct tch_parts *s, const struct tch_order *base, const struct tch_grid *grid,
                     const struct tch_json_value *part, struct tch_buf *why, tacho_error *err)
{
    struct tch_json_value values = {0};
    struct tch_json_value list;
    struct tch_json_value v;
    uint64_t repeat = 0;
    int status = 0;
    bool *in;

    if (!tch_json_find(part->text, part->len, "repeat", &v) ||
        tch_parse_u64_n(v.text, v.len, UINT32_MAX, &repeat) < 0 || repeat < s->repeat ||
        !tch_json_find(part->text, part->len, "values", &values))
        return tch_fail(err, TACHO_EPARSE, 0, "'parts' is damaged");
    in = malloc(base->cells * sizeof *in);
    if (!in)
        return tch_fail_memory(err);
    for (size_t i = 0; i < base->cells; i++)
        in[i] = true;
    for (size_t i = 0; i < grid->count && status == 0; i++)
        status = tch_json_find(values.text, values.len, grid->param[i].name, &list)
                     ? read_values(grid, i, &list, in, why, err)
                     : tch_fail(err, TACHO_EPARSE, 0, "'parts' lacks '%s'", grid->param[i].name);
    if (status == 0)
        status = tch_parts_add(s, base, in, repeat, err);
    free(in);
    return status;
}

int tch_parts_read(struct tch_parts *s, const struct tch_order *base, const struct tch_grid *grid,
                   const char *json, size_t len, struct tch_buf *why, tacho_error *err)
{
    struct tch_json_reader j;
    struct tch_json_value value;
    int status = 0;
    int more = 0;

    tch_json_open(&j, json, len, err);
    if (tch_json_read(&j, &value) < 0 || value.type != TCH_JSON_ARRAY)
        return tch_fail(err, TACHO_EPARSE, 0, "'parts' must be an array");
    while (status == 0 && (more = tch_json_element(&j)) > 0) {
        status = tch_json_read_raw(&j, &value);
        if (status == 0)
            status = read_part(s, base, grid, &value, why, err);
    }
    return status < 0 ? status : more;
}
