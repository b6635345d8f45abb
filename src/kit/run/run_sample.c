/* Samples: the table of fields, growing lists, and their JSON. */
#include "run_sample.h"

#include <math.h>
#include <sys/wait.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "recorded.h"

enum { VALUES_MAX = 1 << 24 }; /* limit of values of one metric in one run */

const struct tch_field_info tch_fields[TCH_FIELDS] = {
    [TCH_WALL] = {"wall_ns", "wall time", TCH_NS},
    [TCH_USER] = {"user_ns", "user CPU", TCH_NS},
    [TCH_SYSTEM] = {"system_ns", "system CPU", TCH_NS},
    [TCH_MAX_RSS] = {"max_rss_bytes", "peak memory", TCH_BYTES},
    [TCH_MINOR_FAULTS] = {"minor_faults", "minor page faults", TCH_COUNT},
    [TCH_MAJOR_FAULTS] = {"major_faults", "major page faults", TCH_COUNT},
    [TCH_VOLUNTARY] = {"voluntary_switches", "waits (context switches)", TCH_COUNT},
    [TCH_INVOLUNTARY] = {"involuntary_switches", "preemptions", TCH_COUNT},
    [TCH_BLOCK_READS] = {"block_reads", "blocks read", TCH_COUNT},
    [TCH_BLOCK_WRITES] = {"block_writes", "blocks written", TCH_COUNT},
    [TCH_CYCLES] = {"cycles", "CPU cycles", TCH_COUNT},
    [TCH_INSTRUCTIONS] = {"instructions", "instructions", TCH_COUNT},
    [TCH_BRANCHES] = {"branches", "branches", TCH_COUNT},
    [TCH_BRANCH_MISSES] = {"branch_misses", "branch misses", TCH_COUNT},
    [TCH_CACHE_REFERENCES] = {"cache_references", "cache references", TCH_COUNT},
    [TCH_CACHE_MISSES] = {"cache_misses", "cache misses", TCH_COUNT},
    [TCH_TREE_RSS] = {"tree_rss_bytes", "peak memory of the tree", TCH_BYTES},
    [TCH_ENERGY] = {"energy_j", "energy", TCH_JOULES},
};

int tch_values_add(struct tch_values *values, double value, tacho_error *err)
{
    if (values->n == VALUES_MAX)
        return tch_fail(err, TACHO_ENOMEM, 0, "no memory for more than %zu values", values->n);
    if (tch_array_reserve(&values->v, &values->room, values->n + 1) < 0)
        return tch_fail_memory(err);
    values->v[values->n++] = value;
    return 0;
}

void tch_values_release(struct tch_values *values)
{
    free(values->v);
    *values = (struct tch_values){0};
}

void tch_run_sample_init(struct tch_run_sample *sample)
{
    *sample = (struct tch_run_sample){0};
    for (int i = 0; i < TCH_FIELDS; i++)
        sample->field[i] = NAN;
}

/* The slot after the last sample may have the lists of a sample that was not counted. They are
   reused. */
struct tch_run_sample *tch_run_samples_next(struct tch_run_samples *samples)
{
    struct tch_run_sample *sample;
    struct tch_values *metrics;

    if (tch_array_reserve_zero(&samples->items, &samples->room, samples->count + 1) < 0)
        return NULL;
    sample = &samples->items[samples->count];
    metrics = sample->metrics;
    if (!metrics && samples->metric_count > 0) {
        metrics = calloc(samples->metric_count, sizeof *metrics);
        if (!metrics)
            return NULL;
    }
    free(sample->recorded);
    tch_run_sample_init(sample);
    sample->metrics = metrics;
    for (size_t i = 0; i < samples->metric_count; i++)
        metrics[i].n = 0;
    return sample;
}

void tch_run_samples_release(struct tch_run_samples *samples)
{
    for (size_t i = 0; i < samples->room; i++) {
        struct tch_run_sample *sample = &samples->items[i];

        for (size_t k = 0; sample->metrics && k < samples->metric_count; k++)
            tch_values_release(&sample->metrics[k]);
        free(sample->metrics);
        free(sample->recorded);
    }
    free(samples->items);
    for (size_t i = 0; i < samples->recorded_count; i++)
        free(samples->recorded_names[i]);
    free(samples->recorded_names);
    samples->items = NULL;
    samples->recorded_names = NULL;
    samples->count = samples->room = samples->recorded_count = 0;
}

bool tch_run_sample_ok(const struct tch_run_sample *sample)
{
    return WIFEXITED(sample->status) && WEXITSTATUS(sample->status) == 0 && !sample->timed_out;
}

int tch_run_sample_exit(const struct tch_run_sample *sample)
{
    return WIFSIGNALED(sample->status) ? 128 + WTERMSIG(sample->status)
                                       : WEXITSTATUS(sample->status);
}

/* Writing. */

static void write_metrics(struct tch_buf *b, const struct tch_run_sample *sample,
                          const struct tch_run_samples *of)
{
    tch_json_key(b, "metrics");
    tch_json_begin_object(b);
    for (size_t i = 0; i < of->metric_count; i++) {
        const struct tch_values *values = &sample->metrics[i];

        tch_json_key(b, of->metrics[i].name);
        if (of->metrics[i].all)
            tch_json_begin_array(b);
        else if (values->n == 0)
            tch_json_null(b);
        for (size_t j = 0; j < values->n; j++)
            tch_json_f64(b, values->v[j]);
        if (of->metrics[i].all)
            tch_json_end_array(b);
    }
    tch_json_end_object(b);
}

void tch_run_sample_write(struct tch_buf *b, const struct tch_run_sample *sample,
                          const struct tch_run_samples *of)
{
    char members[TCH_RUN_SAMPLE_TEXT];
    char energy[64] = "";
    struct tch_buf text;
    char *end;

    if (!isnan(sample->field[TCH_ENERGY])) {
        tch_buf_init_on(&text, energy, sizeof energy, sizeof energy - 1);
        tch_buf_addf(&text, ",\"%s\":", tch_fields[TCH_ENERGY].name);
        tch_json_f64(&text, sample->field[TCH_ENERGY]);
        tch_buf_release(&text);
    }
    end = tch_run_sample_put(members, sample, energy);
    tch_json_begin_object(b);
    tch_json_raw(b, members, (size_t)(end - members));
    if (sample->layout > 0)
        tch_json_put_u64(b, "layout", sample->layout);
    if (of->metric_count > 0)
        write_metrics(b, sample, of);
    tch_recorded_write(b, sample, of);
    tch_json_end_object(b);
}

/* Reading. */

static int read_values(struct tch_json_reader *r, struct tch_values *to, tacho_error *err)
{
    struct tch_json_value value;
    int more = tch_json_read(r, &value);

    if (more < 0 || value.type == TCH_JSON_NULL)
        return more;
    if (value.type == TCH_JSON_NUMBER)
        return tch_values_add(to, tch_json_to_f64(&value), err);
    if (value.type != TCH_JSON_ARRAY)
        return tch_fail(err, TACHO_EPARSE, 0, "a metric must be a number or a list of them");
    while ((more = tch_json_element(r)) > 0) {
        if (tch_json_read(r, &value) < 0)
            return r->status;
        if (value.type != TCH_JSON_NUMBER)
            return tch_fail(err, TACHO_EPARSE, 0, "a metric's list must hold numbers only");
        if (tch_values_add(to, tch_json_to_f64(&value), err) < 0)
            return TACHO_ENOMEM;
    }
    return more;
}

static int read_metrics(struct tch_json_reader *r, struct tch_run_sample *sample,
                        const struct tch_run_samples *of, tacho_error *err)
{
    struct tch_json_value key;
    int status = tch_json_read(r, &key);
    int more = 0;

    if (status < 0)
        return status;
    if (key.type != TCH_JSON_OBJECT)
        return tch_fail(err, TACHO_EPARSE, 0, "'metrics' must be an object");
    while (status == 0 && (more = tch_json_member(r, &key)) > 0) {
        size_t i = 0;

        while (i < of->metric_count && !tch_json_is(&key, of->metrics[i].name))
            i++;
        if (i == of->metric_count) {
            status = tch_json_skip(r);
        } else {
            sample->metrics[i].n = 0;
            status = read_values(r, &sample->metrics[i], err);
        }
    }
    return status < 0 ? status : more;
}

/* How a run ended. After a signal, exit is 128 + signal. */
struct ending {
    uint64_t exit;
    uint64_t signal;
};

static void set_number(struct tch_run_sample *sample, struct ending *end,
                       const struct tch_json_value *key, double value)
{
    uint64_t whole = value >= 0 && value < 9e18 ? (uint64_t)value : 0;

    if (tch_json_is(key, "run"))
        sample->run = whole;
    else if (tch_json_is(key, "pair"))
        sample->pair = whole;
    else if (tch_json_is(key, "layout"))
        sample->layout = whole;
    else if (tch_json_is(key, "start_ns"))
        sample->start_ns = whole;
    else if (tch_json_is(key, "exit_status"))
        end->exit = whole;
    else if (tch_json_is(key, "signal"))
        end->signal = whole;
    for (int i = 0; i < TCH_FIELDS; i++)
        if (value >= 0 && value < 9e18 && tch_json_is(key, tch_fields[i].name))
            sample->field[i] = value;
}

static int read_member(struct tch_json_reader *r, const struct tch_json_value *key,
                       struct tch_run_sample *sample, struct ending *end)
{
    struct tch_json_value value;
    int status = tch_json_read_raw(r, &value);

    if (status < 0)
        return status;
    if (value.type == TCH_JSON_NUMBER)
        set_number(sample, end, key, tch_json_to_f64(&value));
    else if (tch_json_is(key, "timed_out"))
        sample->timed_out = value.type == TCH_JSON_TRUE;
    else if (tch_json_is(key, "left_running"))
        sample->left_running = value.type == TCH_JSON_TRUE;
    return 0;
}

int tch_run_sample_parse(const char *json, size_t len, struct tch_run_samples *to, tacho_error *err)
{
    struct tch_run_sample *sample = tch_run_samples_next(to);
    struct ending end = {0};
    struct tch_json_reader r;
    struct tch_json_value key;
    int status;
    int more = 0;

    if (!sample)
        return tch_fail_memory(err);
    tch_json_open(&r, json, len, err);
    status = tch_json_read(&r, &key);
    if (status == 0 && key.type != TCH_JSON_OBJECT)
        return tch_fail(err, TACHO_EPARSE, 0, "a sample must be an object");
    while (status == 0 && (more = tch_json_member(&r, &key)) > 0)
        status = tch_json_is(&key, "metrics")    ? read_metrics(&r, sample, to, err)
                 : tch_json_is(&key, "recorded") ? tch_recorded_parse(&r, to, sample, err)
                                                 : read_member(&r, &key, sample, &end);
    if (status == 0 && more < 0)
        status = more;
    if (status == 0)
        status = tch_json_finish(&r);
    if (status < 0)
        return status;
    if (isnan(sample->field[TCH_WALL]))
        return tch_fail(err, TACHO_EPARSE, 0, "a sample must have wall_ns");
    sample->status =
        end.signal > 0 && end.signal < 65 ? (int)end.signal : (int)(end.exit & 0xFF) << 8;
    to->count++;
    return 0;
}
