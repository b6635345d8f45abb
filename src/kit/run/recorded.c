/* Recorded values in memory and as JSON. recorded_read.c reads the files of the programs. */
#include "recorded.h"

#include <math.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/json_write.h"

size_t tch_recorded_find(const struct tch_run_samples *samples, const char *name)
{
    for (size_t i = 0; i < samples->recorded_count; i++)
        if (strcmp(samples->recorded_names[i], name) == 0)
            return i;
    return SIZE_MAX;
}

bool tch_recorded_is_category(const char *key, size_t len)
{
    static const char *const kernel[] = {"anon_bytes", "file_bytes", "swap_bytes"};

    for (size_t i = 0; i < sizeof kernel / sizeof kernel[0]; i++)
        if (len == strlen(kernel[i]) && memcmp(key, kernel[i], len) == 0)
            return false;
    return true;
}

static int add_name(struct tch_run_samples *samples, const char *name, tacho_error *err)
{
    size_t size = strlen(name) + 1;
    char *copy = malloc(size);

    if (!copy || tch_array_extend(&samples->recorded_names, samples->recorded_count) < 0) {
        free(copy);
        return tch_fail_memory(err);
    }
    samples->recorded_names[samples->recorded_count++] = memcpy(copy, name, size);
    return 0;
}

int tch_recorded_set(struct tch_run_samples *samples, struct tch_run_sample *sample,
                     const char *name, const struct tch_recorded *value, tacho_error *err)
{
    /* Most runs record the same names in the same order, so the next name is tried first. */
    size_t i = sample->recorded_count;

    if (!isfinite(value->p50) || !isfinite(value->p95) || !isfinite(value->p99))
        return 0; /* JSON has no infinity and no NaN */
    if (i >= samples->recorded_count || strcmp(samples->recorded_names[i], name) != 0)
        i = tch_recorded_find(samples, name);
    if (i == SIZE_MAX) {
        i = samples->recorded_count;
        if (i == TCH_RECORDED_MOST || strlen(name) >= TCH_RECORDED_TEXT)
            return 0;
        if (add_name(samples, name, err) < 0)
            return TACHO_ENOMEM;
    }
    while (sample->recorded_count <= i) { /* earlier entries that are not set are NAN */
        if (tch_array_extend(&sample->recorded, sample->recorded_count) < 0)
            return tch_fail_memory(err);
        sample->recorded[sample->recorded_count++] = (struct tch_recorded){NAN, NAN, NAN};
    }
    sample->recorded[i] = *value;
    return 0;
}

void tch_recorded_write(struct tch_buf *b, const struct tch_run_sample *sample,
                        const struct tch_run_samples *of)
{
    if (sample->recorded_count == 0)
        return;
    tch_json_key(b, "recorded");
    tch_json_begin_object(b);
    for (size_t i = 0; i < sample->recorded_count; i++) {
        const struct tch_recorded *r = &sample->recorded[i];

        if (isnan(r->p50))
            continue;
        if (r->p50 == r->p95 && r->p50 == r->p99) {
            tch_json_put_f64(b, of->recorded_names[i], r->p50);
            continue;
        }
        tch_json_key(b, of->recorded_names[i]);
        tch_json_begin_object(b);
        tch_json_put_f64(b, "p50", r->p50);
        tch_json_put_f64(b, "p95", r->p95);
        tch_json_put_f64(b, "p99", r->p99);
        tch_json_end_object(b);
    }
    tch_json_end_object(b);
}

/* Parses a value: a number, or an object with p50, p95 and p99. */
static int parse_value(struct tch_json_reader *r, struct tch_recorded *ret, tacho_error *err)
{
    const struct {
        const char *key;
        double *at;
    } members[] = {{"p50", &ret->p50}, {"p95", &ret->p95}, {"p99", &ret->p99}};
    struct tch_json_value value;
    struct tch_json_value key;
    int more = tch_json_read(r, &value);

    *ret = (struct tch_recorded){NAN, NAN, NAN};
    if (more < 0)
        return more;
    if (value.type == TCH_JSON_NUMBER) {
        ret->p50 = ret->p95 = ret->p99 = tch_json_to_f64(&value);
        return 0;
    }
    if (value.type != TCH_JSON_OBJECT)
        return tch_fail(err, TACHO_EPARSE, 0, "what a run recorded must be numbers");
    while ((more = tch_json_member(r, &key)) > 0) {
        if (tch_json_read_raw(r, &value) < 0)
            return r->status;
        for (size_t i = 0; i < 3; i++)
            if (value.type == TCH_JSON_NUMBER && tch_json_is(&key, members[i].key))
                *members[i].at = tch_json_to_f64(&value);
    }
    return more;
}

int tch_recorded_parse(struct tch_json_reader *r, struct tch_run_samples *samples,
                       struct tch_run_sample *sample, tacho_error *err)
{
    char mem[TCH_RECORDED_TEXT];
    struct tch_json_value key;
    struct tch_recorded value;
    struct tch_buf name;
    int status = tch_json_read(r, &key);
    int more = 0;

    if (status == 0 && key.type != TCH_JSON_OBJECT)
        return tch_fail(err, TACHO_EPARSE, 0, "'recorded' must be an object");
    while (status == 0 && (more = tch_json_member(r, &key)) > 0) {
        tch_buf_init_on(&name, mem, sizeof mem, sizeof mem - 1);
        tch_json_unescape(&key, &name); /* fails if the name is too long, which is then left out */
        status = parse_value(r, &value, err);
        if (status == 0 && !name.failed)
            status = tch_recorded_set(samples, sample, name.data, &value, err);
        tch_buf_release(&name);
    }
    samples->recorded_parsed += sample->recorded_count;
    if (status == 0 && samples->recorded_parsed > TCH_RECORDED_ENTRIES)
        return tch_fail(err, TACHO_ELIMIT, 0, "its runs recorded more than %d values",
                        TCH_RECORDED_ENTRIES);
    return status < 0 ? status : more;
}
