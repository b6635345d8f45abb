/* Reads run.json, and the samples of samples.jsonl if the run was killed. */
#include "receipt.h"

#include <errno.h>
#include <math.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/found_file.h"
#include "base/json_read.h"
#include "base/lines.h"

const char *tch_receipt_raw(const struct tch_receipt *r, const char *key, size_t *len)
{
    for (size_t i = 0; i < r->member_count; i++)
        if (strlen(key) == r->member[i].key_len &&
            memcmp(key, r->text.data + r->member[i].key_at, r->member[i].key_len) == 0) {
            *len = r->member[i].raw_len;
            return r->text.data + r->member[i].raw_at;
        }
    return NULL;
}

/* Returns the text of a JSON string, "" for any other value, NULL if memory runs out. */
static char *text_of(const char *json, size_t len)
{
    struct tch_json_reader r;
    struct tch_json_value value;
    struct tch_buf b;

    tch_buf_init(&b, TCH_RECEIPT_MAX);
    tch_json_open(&r, json, len, NULL);
    if (tch_json_read(&r, &value) == 0 && value.type == TCH_JSON_STRING)
        tch_json_unescape(&value, &b);
    return tch_buf_take(&b);
}

void tch_receipt_text(const struct tch_receipt *r, const char *key, char *out, size_t size)
{
    size_t len = 0;
    const char *raw = tch_receipt_raw(r, key, &len);
    struct tch_json_reader j;
    struct tch_json_value value;
    struct tch_buf b;

    tch_buf_init_on(&b, out, size, size - 1);
    tch_json_open(&j, raw ? raw : "", len, NULL);
    if (tch_json_read(&j, &value) == 0 && value.type == TCH_JSON_STRING)
        tch_json_unescape(&value, &b);
    tch_buf_release(&b);
}

/* Copies the text of a member, or of its member `sub`. Copies "" if there is none. */
static int read_text(const struct tch_receipt *r, const char *key, const char *sub, char **ret,
                     tacho_error *err)
{
    size_t len = 0;
    const char *raw = tch_receipt_raw(r, key, &len);
    struct tch_json_value value = {.text = "", .len = 0};

    if (raw && sub)
        (void)tch_json_find(raw, len, sub, &value);
    else if (raw)
        value = (struct tch_json_value){.text = raw, .len = len};
    *ret = text_of(value.text, value.len);
    return *ret ? 0 : tch_fail_memory(err);
}

double tch_receipt_number(const struct tch_receipt *r, const char *key, const char *sub,
                          double otherwise)
{
    size_t len = 0;
    const char *raw = tch_receipt_raw(r, key, &len);
    struct tch_json_value value;
    struct tch_json_reader j;
    bool found;

    if (!raw)
        return otherwise;
    tch_json_open(&j, raw, len, NULL);
    found = sub ? tch_json_find(raw, len, sub, &value) : tch_json_read(&j, &value) == 0;
    return found && value.type == TCH_JSON_NUMBER ? tch_json_to_f64(&value) : otherwise;
}

static bool dirty_is(const struct tch_receipt *r, enum tch_json_type type)
{
    size_t len = 0;
    const char *raw = tch_receipt_raw(r, "vcs", &len);
    struct tch_json_value value;

    return raw && tch_json_find(raw, len, "dirty", &value) && value.type == type;
}

bool tch_receipt_dirty(const struct tch_receipt *r)
{
    return dirty_is(r, TCH_JSON_TRUE);
}

bool tch_receipt_dirty_unknown(const struct tch_receipt *r)
{
    return dirty_is(r, TCH_JSON_NULL);
}

void tch_receipt_commit(const struct tch_receipt *r, char *out, size_t size)
{
    char sha[TCH_VCS_HASH];

    tch_receipt_text(r, "commit", sha, sizeof sha);
    snprintf(out, size, "%.12s%s", sha, sha[0] && tch_receipt_dirty(r) ? "-dirty" : "");
}

/* Finds the members of the document. */
static int read_members(struct tch_receipt *r, tacho_error *err)
{
    struct tch_json_reader j;
    struct tch_json_value value;
    struct tch_json_value key;
    int more;

    tch_json_open(&j, r->text.data, r->text.len, err);
    if (tch_json_read(&j, &value) < 0)
        return j.status;
    if (value.type != TCH_JSON_OBJECT)
        return tch_fail(err, TACHO_EPARSE, 1, "a receipt must be a JSON object");
    while ((more = tch_json_member(&j, &key)) > 0) {
        if (tch_json_read_raw(&j, &value) < 0)
            return j.status;
        if (r->member_count == TCH_RECEIPT_MEMBERS || key.escaped)
            continue; /* a member of a later version */
        r->member[r->member_count++] =
            (struct tch_receipt_member){.key_at = (size_t)(key.text - r->text.data),
                                        .key_len = key.len,
                                        .raw_at = (size_t)(value.text - r->text.data),
                                        .raw_len = value.len};
    }
    return more < 0 ? more : tch_json_finish(&j);
}

static int read_metric(struct tch_receipt *r, const struct tch_json_value *object, tacho_error *err)
{
    struct tch_json_value value = {.text = "", .len = 0};
    struct tch_metric_name *metric;

    if (r->samples.metric_count == TCH_METRICS_MOST)
        return tch_fail(err, TACHO_ELIMIT, 0, "run.json has more than %d metrics",
                        TCH_METRICS_MOST);
    if (tch_array_extend(&r->metrics, r->samples.metric_count) < 0)
        return tch_fail_memory(err);
    r->samples.metrics = r->metrics;
    metric = &r->metrics[r->samples.metric_count];
    metric->all =
        tch_json_find(object->text, object->len, "all", &value) && value.type == TCH_JSON_TRUE;
    value = (struct tch_json_value){.text = "", .len = 0};
    (void)tch_json_find(object->text, object->len, "name", &value);
    metric->name = text_of(value.text, value.len);
    if (!metric->name)
        return tch_fail_memory(err);
    r->samples.metric_count++;
    return 0;
}

/* Calls `each` for every element of a member that is an array. */
static int each_element(struct tch_receipt *r, const char *key,
                        int (*each)(struct tch_receipt *r, const struct tch_json_value *value,
                                    tacho_error *err),
                        tacho_error *err)
{
    size_t len;
    const char *raw = tch_receipt_raw(r, key, &len);
    struct tch_json_reader j;
    struct tch_json_value value;
    int more;

    if (!raw)
        return 0;
    tch_json_open(&j, raw, len, err);
    if (tch_json_read(&j, &value) < 0)
        return j.status;
    if (value.type != TCH_JSON_ARRAY)
        return tch_fail(err, TACHO_EPARSE, 0, "'%s' must be an array", key);
    while ((more = tch_json_element(&j)) > 0) {
        int status = tch_json_read_raw(&j, &value);

        if (status == 0)
            status = each(r, &value, err);
        if (status < 0)
            return status;
    }
    return more;
}

static int read_sample(struct tch_receipt *r, const struct tch_json_value *value, tacho_error *err)
{
    return tch_run_sample_parse(value->text, value->len, &r->samples, err);
}

int tch_receipt_parse(struct tch_receipt *r, struct tch_buf *b, tacho_error *err)
{
    char schema[48];
    size_t len = 0;
    const char *warnings;
    const char *latency;
    int status;

    *r = (struct tch_receipt){.text = *b};
    tch_buf_init(b, b->limit);
    status = r->text.failed ? tch_fail_memory(err) : read_members(r, err);
    if (status < 0)
        return status;
    tch_receipt_text(r, "schema", schema, sizeof schema);
    if (strcmp(schema, TCH_RUN_SCHEMA) != 0)
        return tch_fail(err, TACHO_EPARSE, 0, "its schema is '%.40s', not " TCH_RUN_SCHEMA, schema);
    tch_receipt_text(r, "id", r->id, sizeof r->id);
    tch_receipt_text(r, "group", r->group, sizeof r->group);
    tch_receipt_text(r, "state", r->state, sizeof r->state);
    tch_receipt_text(r, "started_at", r->started_at, sizeof r->started_at);
    status = read_text(r, "name", NULL, &r->name, err);
    if (status == 0)
        status = read_text(r, "command", "line", &r->command, err);
    if (status == 0)
        status = read_text(r, "work", "unit", &r->work_unit, err);
    if (status < 0)
        return status;
    r->work = tch_receipt_number(r, "work", "amount", 0);
    r->alpha = tch_receipt_number(r, "plan", "alpha", TCH_RUN_ALPHA);
    r->alpha = tch_receipt_number(r, "precision", "alpha", r->alpha);
    r->precision = tch_receipt_number(r, "plan", "precision", 0);
    for (int i = 0; i < TCH_RECORDINGS; i++) {
        r->recording.records[i] = tch_receipt_number(r, "costs", tch_recording_keys[i][0], 0);
        r->recording.each_ns[i] = tch_receipt_number(r, "costs", tch_recording_keys[i][1], NAN);
    }
    latency = tch_receipt_raw(r, "latency", &len);
    tch_latency_summary_parse(&r->latency, latency, len);
    warnings = tch_receipt_raw(r, "warnings", &len);
    if (warnings)
        status = tch_warnings_parse(warnings, len, &r->warnings, err);
    if (status == 0) {
        const char *counts = tch_receipt_raw(r, "counts", &len);

        status = tch_counts_parse(counts, len, &r->counts, err);
    }
    if (status == 0)
        status = each_element(r, "metrics", read_metric, err);
    if (status == 0)
        status = each_element(r, "samples", read_sample, err);
    return status;
}

void tch_receipt_release(struct tch_receipt *r)
{
    for (size_t i = 0; i < r->samples.metric_count; i++)
        free(r->metrics[i].name);
    tch_run_samples_release(&r->samples);
    tch_counts_release(&r->counts);
    free(r->metrics);
    free(r->name);
    free(r->command);
    free(r->work_unit);
    tch_buf_release(&r->text);
}

void tch_receipt_power(const struct tch_receipt *r, struct tch_power_origin *ret)
{
    size_t len = 0;
    const char *raw = tch_receipt_raw(r, "power", &len);

    tch_power_origin_read(ret, raw, len);
}

void tch_receipt_title_energy(struct tch_receipt *r)
{
    struct tch_power_origin o;

    tch_receipt_power(r, &o);
    for (size_t i = 0; i < r->rows.count; i++)
        if (strcmp(r->rows.row[i].name, tch_fields[TCH_ENERGY].name) == 0 && o.status[0])
            r->rows.row[i].title =
                strcmp(o.status, "measured") == 0 ? "energy, measured" : "energy, estimated";
}

int tch_receipt_sum(struct tch_receipt *r, tacho_error *err)
{
    int status = tch_run_rows_of(&r->samples, r->alpha, r->work, &r->rows, err);

    tch_receipt_title_energy(r);
    return status;
}

/* Reads samples.jsonl. Ignores a last line that a kill truncated. */
static int read_log(struct tch_receipt *r, const char *folder, tacho_error *err)
{
    struct tch_buf b;
    struct tch_lines lines;
    struct tch_line line;
    int status;
    int more = 0;

    tch_buf_init(&b, TCH_RECEIPT_MAX);
    status = tch_found_read(folder, "samples.jsonl", TCH_RECEIPT_MAX, &b, err);
    tch_lines_init_mem(&lines, b.data, b.len, 0);
    while (status == 0 && (more = tch_lines_next(&lines, &line, err)) > 0) {
        if (!line.ended || line.too_long)
            continue;
        status = tch_run_sample_parse(line.text, line.len, &r->samples, err);
        if (status < 0 && err)
            err->line = line.number;
    }
    tch_lines_release(&lines);
    tch_buf_release(&b);
    return status < 0 ? status : more;
}

int tch_receipt_load(struct tch_receipt *r, const char *folder, bool *recovered, tacho_error *err)
{
    char path[PATH_MAX];
    struct tch_buf b;
    size_t len;
    int status = tch_folder_at(path, folder, "run.json", err);

    *r = (struct tch_receipt){0};
    tch_buf_init(&b, TCH_RECEIPT_MAX);
    if (status == 0 && access(folder, F_OK) == 0 && access(path, F_OK) < 0 &&
        (errno == ENOENT || errno == ENOTDIR))
        status =
            tch_fail(err, TACHO_EINVAL, 0, "'%s' is not a run folder: it has no run.json", folder);
    if (status == 0)
        status = tch_found_read(folder, "run.json", TCH_RECEIPT_MAX, &b, err);
    if (status == 0)
        status = tch_receipt_parse(r, &b, err);
    tch_buf_release(&b);
    *recovered = status == 0 && !tch_receipt_raw(r, "samples", &len);
    if (*recovered)
        status = read_log(r, folder, err);
    if (*recovered && status == 0)
        status = tch_advise_samples(&r->warnings, &r->samples, err);
    if (status == 0)
        status = tch_receipt_sum(r, err);
    return status;
}
