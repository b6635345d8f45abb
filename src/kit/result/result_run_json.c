/* The JSON object of a run: an element of "samples" in run.json, a line of samples.jsonl. */
#include <math.h>
#include <stddef.h>
#include <sys/wait.h>

#include "base/fail.h"
#include "base/json_write.h"
#include "result.h"

/* Writes a value of a column that every run has. Times and sizes are whole numbers unless another
   tool measured them. */
static void write_field(struct tch_buf *b, const struct tch_column *c, double value)
{
    if (isnan(value))
        return;
    if (c->metric.unit != TCH_JOULES && value == floor(value) && value < 0x1p63)
        tch_json_put_u64(b, c->metric.key, (uint64_t)value);
    else
        tch_json_put_f64(b, c->metric.key, value);
}

/* Writes the values that the value of a column that every run has is the median of. */
static void write_values(struct tch_buf *b, const struct tch_result *r, size_t run)
{
    bool any = false;

    for (size_t i = 0; i < TCH_FIELDS; i++) {
        const struct tch_column *c = &r->columns[i];

        if (!c->all || c->all[run].n == 0)
            continue;
        if (!any) {
            tch_json_key(b, "values");
            tch_json_begin_object(b);
        }
        any = true;
        tch_json_key(b, c->metric.key);
        tch_json_begin_array(b);
        for (size_t k = 0; k < c->all[run].n; k++)
            tch_json_f64(b, c->all[run].v[k]);
        tch_json_end_array(b);
    }
    if (any)
        tch_json_end_object(b);
}

static void write_asked(struct tch_buf *b, const struct tch_result *r, size_t run)
{
    tch_json_key(b, "metrics");
    tch_json_begin_object(b);
    for (size_t i = TCH_FIELDS; i < r->column_count; i++) {
        const struct tch_column *c = &r->columns[i];

        if (!c->metric.asked)
            continue;
        tch_json_key(b, c->metric.key);
        if (!c->all) {
            tch_json_f64(b, c->value[run]); /* null if it is missing */
            continue;
        }
        tch_json_begin_array(b);
        for (size_t k = 0; k < c->all[run].n; k++)
            tch_json_f64(b, c->all[run].v[k]);
        tch_json_end_array(b);
    }
    tch_json_end_object(b);
}

/* Writes what the program recorded: a number when all quantiles are equal, as those of a peak. */
static void write_recorded(struct tch_buf *b, const struct tch_result *r, size_t run)
{
    bool any = false;

    for (size_t i = TCH_FIELDS; i < r->column_count; i++) {
        const struct tch_column *c = &r->columns[i];

        if (c->metric.asked || isnan(c->value[run]))
            continue;
        if (!any) {
            tch_json_key(b, "recorded");
            tch_json_begin_object(b);
        }
        any = true;
        if (c->value[run] == c->p95[run] && c->value[run] == c->p99[run]) {
            tch_json_put_f64(b, c->metric.key, c->value[run]);
            continue;
        }
        tch_json_key(b, c->metric.key);
        tch_json_begin_object(b);
        tch_json_put_f64(b, "p50", c->value[run]);
        tch_json_put_f64(b, "p95", c->p95[run]);
        tch_json_put_f64(b, "p99", c->p99[run]);
        tch_json_end_object(b);
    }
    if (any)
        tch_json_end_object(b);
}

void tch_result_write_run(struct tch_buf *b, const struct tch_result *r, size_t run)
{
    const struct tch_result_run *it = &r->runs[run];

    tch_json_begin_object(b);
    tch_json_put_u64(b, "run", it->run);
    tch_json_put_u64(b, "pair", it->pair);
    tch_json_put_u64(b, "start_ns", it->start_ns);
    for (size_t i = 0; i < TCH_FIELDS; i++)
        write_field(b, &r->columns[i], r->columns[i].value[run]);
    tch_json_put_u64(b, "exit_status", (uint64_t)tch_result_run_exit(it));
    if (WIFSIGNALED(it->status))
        tch_json_put_u64(b, "signal", (uint64_t)WTERMSIG(it->status));
    if (it->timed_out)
        tch_json_put_bool(b, "timed_out", true);
    if (it->left_running)
        tch_json_put_bool(b, "left_running", true);
    if (it->layout > 0)
        tch_json_put_u64(b, "layout", it->layout);
    if (r->column_count > TCH_FIELDS && r->columns[TCH_FIELDS].metric.asked)
        write_asked(b, r, run);
    write_values(b, r, run);
    write_recorded(b, r, run);
    tch_json_end_object(b);
}

/* A run that is being read. It is added first, so that its values have a place. */
struct run_read {
    struct tch_result *r;
    uint64_t exit_status;
    uint64_t signal;
    struct tch_result_run it;
};

static const struct tch_json_field run_fields[] = {
    {.key = "run", .kind = TCH_JSON_AS_U64, .offset = offsetof(struct run_read, it.run)},
    {.key = "pair", .kind = TCH_JSON_AS_U64, .offset = offsetof(struct run_read, it.pair)},
    {.key = "layout", .kind = TCH_JSON_AS_U64, .offset = offsetof(struct run_read, it.layout)},
    {.key = "start_ns", .kind = TCH_JSON_AS_U64, .offset = offsetof(struct run_read, it.start_ns)},
    {.key = "timed_out",
     .kind = TCH_JSON_AS_BOOL,
     .offset = offsetof(struct run_read, it.timed_out)},
    {.key = "left_running",
     .kind = TCH_JSON_AS_BOOL,
     .offset = offsetof(struct run_read, it.left_running)},
    {TCH_JSON_U64(struct run_read, exit_status, TCH_JSON_ALWAYS)},
    {TCH_JSON_U64(struct run_read, signal, TCH_JSON_ALWAYS)},
    {0},
};

/* Reads the value of a metric that was asked for: a number, null, or a list of numbers. */
static int read_asked_value(struct tch_json_reader *j, struct tch_column *c, size_t run,
                            tacho_error *err)
{
    struct tch_json_value value;
    int more = tch_json_read(j, &value);

    if (more < 0 || value.type == TCH_JSON_NULL)
        return more;
    if (value.type == TCH_JSON_NUMBER)
        return tch_column_add(c, run, tch_json_to_f64(&value), err);
    if (value.type != TCH_JSON_ARRAY)
        return tch_fail(err, TACHO_EPARSE, 0, "a metric must be a number or a list of them");
    while ((more = tch_json_element(j)) > 0) {
        if (tch_json_read(j, &value) < 0)
            return j->status;
        if (value.type != TCH_JSON_NUMBER)
            return tch_fail(err, TACHO_EPARSE, 0, "a metric's list must hold numbers only");
        if (tch_column_add(c, run, tch_json_to_f64(&value), err) < 0)
            return TACHO_ENOMEM;
    }
    return more;
}

static int read_asked(struct tch_json_reader *j, struct tch_result *r, size_t run, tacho_error *err)
{
    struct tch_json_value key;
    int status = tch_json_read(j, &key);
    int more = 0;

    if (status == 0 && key.type != TCH_JSON_OBJECT)
        return tch_fail(err, TACHO_EPARSE, 0, "'metrics' must be an object");
    while (status == 0 && (more = tch_json_member(j, &key)) > 0) {
        size_t i = TCH_FIELDS;

        while (i < r->column_count &&
               !(r->columns[i].metric.asked && tch_json_is(&key, r->columns[i].metric.key)))
            i++;
        if (i == r->column_count) {
            status = tch_json_skip(j);
        } else {
            if (r->columns[i].all) /* the last of two members with one name counts */
                r->columns[i].all[run].n = 0;
            status = read_asked_value(j, &r->columns[i], run, err);
        }
    }
    return status < 0 ? status : more;
}

static int read_values(struct tch_json_reader *j, struct tch_result *r, size_t run,
                       tacho_error *err)
{
    struct tch_json_value key;
    int status = tch_json_read(j, &key);
    int more = 0;

    if (status == 0 && key.type != TCH_JSON_OBJECT)
        return tch_fail(err, TACHO_EPARSE, 0, "'values' must be an object");
    while (status == 0 && (more = tch_json_member(j, &key)) > 0) {
        size_t i = 0;

        while (i < TCH_FIELDS && !tch_json_is(&key, r->columns[i].metric.key))
            i++;
        if (i == TCH_FIELDS) {
            status = tch_json_skip(j);
            continue;
        }
        status = tch_result_keep_values(r, i, err);
        if (status == 0) {
            r->columns[i].all[run].n = 0;
            status = read_asked_value(j, &r->columns[i], run, err);
        }
    }
    return status < 0 ? status : more;
}

/* The quantiles of what was recorded under one name. */
struct quantiles {
    double p50;
    double p95;
    double p99;
};

static const struct tch_json_field quantile_fields[] = {
    {TCH_JSON_F64(struct quantiles, p50, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct quantiles, p95, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct quantiles, p99, TCH_JSON_ALWAYS)},
    {0},
};

/* Reads a number, or an object with p50, p95 and p99. */
static int read_quantiles(struct tch_json_reader *j, struct quantiles *ret, tacho_error *err)
{
    struct tch_json_reader inner;
    struct tch_json_value value;

    *ret = (struct quantiles){NAN, NAN, NAN};
    if (tch_json_read_raw(j, &value) < 0)
        return j->status;
    tch_json_open(&inner, value.text, value.len, err);
    if (value.type == TCH_JSON_OBJECT)
        return tch_json_fields_read(&inner, quantile_fields, ret, NULL, err);
    if (value.type != TCH_JSON_NUMBER)
        return tch_fail(err, TACHO_EPARSE, 0, "what a run recorded must be numbers");
    ret->p50 = ret->p95 = ret->p99 = tch_json_to_f64(&value);
    return 0;
}

static int read_recorded(struct tch_json_reader *j, struct tch_result *r, size_t run,
                         tacho_error *err)
{
    char mem[TCH_METRIC_TEXT];
    struct tch_json_value key;
    struct quantiles q;
    struct tch_buf name;
    int status = tch_json_read(j, &key);
    int more = 0;

    if (status == 0 && key.type != TCH_JSON_OBJECT)
        return tch_fail(err, TACHO_EPARSE, 0, "'recorded' must be an object");
    while (status == 0 && (more = tch_json_member(j, &key)) > 0) {
        tch_buf_init_on(&name, mem, sizeof mem, sizeof mem - 1);
        tch_json_unescape(&key, &name); /* fails if the name is too long, which is then left out */
        status = read_quantiles(j, &q, err);
        if (status == 0 && !name.failed)
            status = tch_result_set_recorded(r, run, name.data, q.p50, q.p95, q.p99, err);
        tch_buf_release(&name);
    }
    return status < 0 ? status : more;
}

/* Reads a member that is not one of the metrics. Ignores a value that is not possible. */
static int read_number(struct tch_json_reader *j, const struct tch_json_value *key,
                       struct run_read *to, tacho_error *err)
{
    struct tch_result *r = to->r;
    struct tch_json_value value;
    double number;

    for (const struct tch_json_field *f = run_fields; f->key; f++)
        if (tch_json_is(key, f->key))
            return tch_json_field_read(j, f, to, err);
    for (size_t i = 0; i < TCH_FIELDS; i++) {
        if (!tch_json_is(key, r->columns[i].metric.key))
            continue;
        if (tch_json_read_raw(j, &value) < 0)
            return j->status;
        number = value.type == TCH_JSON_NUMBER ? tch_json_to_f64(&value) : NAN;
        if (number >= 0 && number < 9e18)
            r->columns[i].value[r->run_count - 1] = number;
        return 0;
    }
    return tch_json_skip(j);
}

static int read_run(struct tch_json_reader *j, struct run_read *to, tacho_error *err)
{
    struct tch_result *r = to->r;
    struct tch_json_value key;
    int status = tch_json_read(j, &key);
    int more = 0;

    if (status == 0 && key.type != TCH_JSON_OBJECT)
        return tch_fail(err, TACHO_EPARSE, 0, "a sample must be an object");
    while (status == 0 && (more = tch_json_member(j, &key)) > 0)
        status = tch_json_is(&key, "metrics")    ? read_asked(j, r, r->run_count - 1, err)
                 : tch_json_is(&key, "values")   ? read_values(j, r, r->run_count - 1, err)
                 : tch_json_is(&key, "recorded") ? read_recorded(j, r, r->run_count - 1, err)
                                                 : read_number(j, &key, to, err);
    if (status < 0 || more < 0)
        return status < 0 ? status : more;
    if (isnan(tch_result_value(r, TCH_WALL, r->run_count - 1)) && !r->imported.format)
        return tch_fail(err, TACHO_EPARSE, 0, "a sample must have wall_ns");
    to->it.status =
        to->signal > 0 && to->signal < 65 ? (int)to->signal : (int)(to->exit_status & 0xFF) << 8;
    r->runs[r->run_count - 1] = to->it;
    return 0;
}

/* Every run has a place in every column, so a short line of a hostile file could need much
   memory. */
int tch_result_read_run(struct tch_json_reader *j, struct tch_result *r, tacho_error *err)
{
    struct run_read to = {.r = r};
    size_t recorded = 0;
    int status;

    for (size_t i = TCH_FIELDS; i < r->column_count; i++)
        recorded += !r->columns[i].metric.asked;
    if (recorded * (r->run_count + 1) > TCH_RECORDED_ENTRIES)
        return tch_fail(err, TACHO_ELIMIT, 0, "its runs recorded more than %d values",
                        TCH_RECORDED_ENTRIES);
    status = tch_result_add_run(r, &to.it, err);
    if (status < 0)
        return status;
    status = read_run(j, &to, err);
    if (status < 0)
        tch_result_drop_run(r);
    return status;
}

int tch_result_parse_run(struct tch_result *r, const char *text, size_t len, tacho_error *err)
{
    struct tch_json_reader j;
    int status;

    tch_json_open(&j, text, len, err);
    status = tch_result_read_run(&j, r, err);
    if (status < 0)
        return status;
    status = tch_json_finish(&j);
    if (status < 0)
        tch_result_drop_run(r);
    return status;
}
