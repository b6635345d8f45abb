/* Reads and writes the files of calibrations: tacho.calibration.v1, one line per occasion. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "calibration.h"

/* --- Writing --- */

static void put_metric(struct tch_buf *b, const struct tch_calibrated *m, double pair_seconds)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "name", m->name);
    tch_json_put_f64(b, "median", m->median);
    tch_json_put_f64(b, "noise", m->noise);
    tch_json_put_f64(b, "lag1", m->lag1);
    tch_json_put_f64(b, "drift", m->drift);
    tch_json_put_f64(b, "session_spread", m->session_spread);
    tch_json_key(b, "detectable_changes");
    tch_json_begin_array(b);
    for (size_t i = 0; i < TCH_CALIBRATION_SIZES; i++) {
        tch_json_begin_object(b);
        tch_json_put_u64(b, "runs", tch_calibration_sizes[i]);
        tch_json_put_f64(b, "change", m->sees[i]);
        tch_json_put_f64(b, "seconds", (double)tch_calibration_sizes[i] * pair_seconds);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
    tch_json_end_object(b);
}

/* Writes an occasion. Leaves the object open for the seal. */
static void put_occasion(struct tch_buf *b, const struct tch_calibration_occasion *o)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "id", o->id);
    tch_json_put_text(b, "at", o->at);
    tch_json_put_text(b, "commit", o->commit);
    tch_json_put_text(b, "command", o->command);
    tch_json_key(b, "environment");
    tch_json_raw(b, o->environment, strlen(o->environment));
    tch_json_put_u64(b, "pairs", o->pairs);
    tch_json_put_f64(b, "pair_seconds", o->pair_seconds);
    tch_json_put_f64(b, "alpha", o->alpha);
    tch_json_put_f64(b, "power", TCH_CALIBRATION_POWER);
    tch_json_put_u64(b, "reports", TCH_CALIBRATION_REPORTS);
    tch_json_put_f64(b, "false_fails", o->false_fails);
    tch_json_put_u64(b, "occasions", o->occasions);
    tch_json_key(b, "metrics");
    tch_json_begin_array(b);
    for (size_t i = 0; i < o->count; i++)
        put_metric(b, &o->metrics[i], o->pair_seconds);
    tch_json_end_array(b);
}

/* Writes an occasion with its seal, which covers the text of all other members. */
static void put_sealed(struct tch_buf *out, const struct tch_calibration_occasion *o, bool first)
{
    char sha256[TACHO_SHA256_TEXT];
    struct tch_buf b;

    tch_buf_init(&b, TCH_CALIBRATION_MAX);
    put_occasion(&b, o);
    tacho_sha256(b.data, b.len, sha256);
    tch_json_put_text(&b, "sha256", sha256);
    tch_json_end_object(&b);
    out->failed |= b.failed;
    tch_buf_adds(out, first ? "\n" : ",\n");
    tch_json_raw(out, b.data, b.len);
    tch_buf_release(&b);
}

void tch_calibration_format(struct tch_buf *out, const struct tch_calibration *c, size_t from)
{
    tch_json_begin_object(out);
    tch_json_put_text(out, "schema", TCH_CALIBRATION_SCHEMA);
    tch_json_put_text(out, "bench", c->bench);
    tch_json_put_text(out, "machine_class", c->machine_class);
    tch_json_key(out, "occasions");
    tch_json_begin_array(out);
    for (size_t i = from; i < c->count; i++)
        put_sealed(out, &c->occasions[i], i == from);
    tch_buf_adds(out, "\n]}\n");
}

/* --- Reading: the text is valid JSON, so members are looked up by name --- */

/* Copies a member's text; leaves *slot NULL if there is no text. Returns 0 or TACHO_ENOMEM. */
static int take_text(const struct tch_json_value *object, const char *key, char **slot,
                     tacho_error *err)
{
    struct tch_json_value v;
    struct tch_buf b;

    if (!tch_json_find(object->text, object->len, key, &v) || v.type != TCH_JSON_STRING)
        return 0;
    v.text++; /* the text between the quotes */
    v.len -= 2;
    v.escaped = true;
    tch_buf_init(&b, TCH_CALIBRATION_MAX);
    tch_json_unescape(&v, &b);
    *slot = tch_buf_take(&b);
    return *slot ? 0 : tch_fail_memory(err);
}

/* Returns a member's number; NAN if there is no number. */
static double take_number(const struct tch_json_value *object, const char *key)
{
    struct tch_json_value v;

    return tch_json_find(object->text, object->len, key, &v) && v.type == TCH_JSON_NUMBER
               ? tch_json_to_f64(&v)
               : NAN;
}

static uint64_t take_count(const struct tch_json_value *object, const char *key)
{
    double value = take_number(object, key);

    return value >= 0 && value < 1e15 ? (uint64_t)value : 0;
}

/* Calls `take` for each element of a member that is an array. */
static int take_list(const struct tch_json_value *object, const char *key, void *into,
                     int (*take)(void *into, const struct tch_json_value *item, tacho_error *err),
                     tacho_error *err)
{
    struct tch_json_reader r;
    struct tch_json_value list;
    struct tch_json_value item;
    int status;

    if (!tch_json_find(object->text, object->len, key, &list) || list.type != TCH_JSON_ARRAY)
        return tch_fail(err, TACHO_EPARSE, 0, "'%s' must be a list", key);
    tch_json_open(&r, list.text, list.len, err);
    status = tch_json_read(&r, &item);
    while (status >= 0 && (status = tch_json_element(&r)) > 0) {
        status = tch_json_read_raw(&r, &item);
        if (status >= 0)
            status = take(into, &item, err);
    }
    return status;
}

/* Reads the changes of the known sizes. */
static int take_sight(void *into, const struct tch_json_value *item, tacho_error *err)
{
    struct tch_calibrated *m = into;

    (void)err;
    for (size_t i = 0; i < TCH_CALIBRATION_SIZES; i++)
        if (take_count(item, "runs") == tch_calibration_sizes[i])
            m->sees[i] = take_number(item, "change");
    return 0;
}

static int take_metric(void *into, const struct tch_json_value *item, tacho_error *err)
{
    struct tch_calibration_occasion *o = into;
    struct tch_calibrated *m;
    char *name = NULL;
    bool fits;

    if (o->count == TCH_CALIBRATION_METRICS)
        return tch_fail(err, TACHO_EPARSE, 0, "an occasion has more than %d metrics",
                        TCH_CALIBRATION_METRICS);
    if (tch_array_extend(&o->metrics, o->count) < 0)
        return tch_fail_memory(err);
    m = &o->metrics[o->count++];
    *m = (struct tch_calibrated){.median = take_number(item, "median"),
                                 .noise = take_number(item, "noise"),
                                 .lag1 = take_number(item, "lag1"),
                                 .drift = take_number(item, "drift"),
                                 .session_spread = take_number(item, "session_spread"),
                                 .sees = {NAN, NAN, NAN, NAN}};
    if (take_text(item, "name", &name, err) < 0)
        return TACHO_ENOMEM;
    fits = name && strlen(name) < sizeof m->name;
    if (fits)
        snprintf(m->name, sizeof m->name, "%s", name);
    free(name);
    return fits ? take_list(item, "detectable_changes", m, take_sight, err)
                : tch_fail(err, TACHO_EPARSE, 0, "a metric has no name, or its name is too long");
}

/* Checks the seal: writing the occasion again gives the text that was sealed. */
static int check_seal(const struct tch_calibration_occasion *o, const struct tch_json_value *item,
                      tacho_error *err)
{
    char sha256[TACHO_SHA256_TEXT];
    char *had = NULL;
    struct tch_buf b;
    int status = take_text(item, "sha256", &had, err);

    tch_buf_init(&b, TCH_CALIBRATION_MAX);
    put_occasion(&b, o);
    tacho_sha256(b.data, b.len, sha256);
    if (status == 0 && b.failed)
        status = tch_fail_memory(err);
    else if (status == 0 && (!had || strcmp(had, sha256) != 0))
        status = tch_fail(err, TACHO_EPARSE, 0,
                          "the occasion '%.40s' does not match its seal: it was changed after it "
                          "was written",
                          o->id);
    tch_buf_release(&b);
    free(had);
    return status;
}

static int take_occasion(void *into, const struct tch_json_value *item, tacho_error *err)
{
    struct tch_calibration *c = into;
    struct tch_calibration_occasion *o;
    struct tch_json_value environment;
    int status;

    if (tch_array_extend(&c->occasions, c->count) < 0)
        return tch_fail_memory(err);
    o = &c->occasions[c->count++];
    *o = (struct tch_calibration_occasion){.pairs = take_count(item, "pairs"),
                                           .pair_seconds = take_number(item, "pair_seconds"),
                                           .alpha = take_number(item, "alpha"),
                                           .false_fails = take_number(item, "false_fails"),
                                           .occasions = take_count(item, "occasions")};
    if (take_text(item, "id", &o->id, err) < 0 || take_text(item, "at", &o->at, err) < 0 ||
        take_text(item, "commit", &o->commit, err) < 0 ||
        take_text(item, "command", &o->command, err) < 0)
        return TACHO_ENOMEM;
    if (tch_json_find(item->text, item->len, "environment", &environment)) {
        o->environment = calloc(environment.len + 1, 1);
        if (!o->environment)
            return tch_fail_memory(err);
        memcpy(o->environment, environment.text, environment.len);
    }
    if (!o->id || !o->at || !o->commit || !o->command || !o->environment)
        return tch_fail(err, TACHO_EPARSE, 0,
                        "an occasion needs id, at, commit, command and environment");
    status = take_list(item, "metrics", o, take_metric, err);
    return status < 0 ? status : check_seal(o, item, err);
}

int tch_calibration_parse(struct tch_calibration *c, const char *text, size_t len, tacho_error *err)
{
    const struct tch_json_value all = {.type = TCH_JSON_OBJECT, .text = text, .len = len};
    char *schema = NULL;
    int status = tch_json_check(text, len, err);

    *c = (struct tch_calibration){0};
    if (status < 0)
        return status;
    if (take_text(&all, "schema", &schema, err) < 0 ||
        take_text(&all, "bench", &c->bench, err) < 0 ||
        take_text(&all, "machine_class", &c->machine_class, err) < 0)
        status = TACHO_ENOMEM;
    else if (!schema || strcmp(schema, TCH_CALIBRATION_SCHEMA) != 0)
        status =
            tch_fail(err, TACHO_EPARSE, 0, "its schema is '%.40s', not " TCH_CALIBRATION_SCHEMA,
                     schema ? schema : "");
    else if (!c->bench || !c->machine_class)
        status = tch_fail(err, TACHO_EPARSE, 0, "it needs bench, machine_class and occasions");
    else
        status = take_list(&all, "occasions", c, take_occasion, err);
    free(schema);
    return status;
}

int tch_calibration_read(struct tch_calibration *c, const char *path, const char *bench,
                         const char *machine_class, tacho_error *err)
{
    struct tch_buf text;
    int status;

    *c = (struct tch_calibration){0};
    tch_buf_init(&text, TCH_CALIBRATION_MAX);
    status = tch_file_read_regular(path, TCH_CALIBRATION_MAX, &text, err);
    if (status == 0)
        status = tch_calibration_parse(c, text.data, text.len, err);
    tch_buf_release(&text);
    if (status == 0 &&
        (strcmp(c->bench, bench) != 0 || strcmp(c->machine_class, machine_class) != 0))
        status = tch_fail(err, TACHO_EINVAL, 0,
                          "it is the calibration of '%.40s' on %.60s, not of '%.40s' on %.60s",
                          c->bench, c->machine_class, bench, machine_class);
    return status;
}

/* --- Changing --- */

/* Reads the file, or begins a new one if there is none. Never replaces an unreadable file, which
   may come from a later version. */
static int read_or_begin(struct tch_calibration *c, const char *path, const char *bench,
                         const char *machine_class, tacho_error *err)
{
    tacho_error why = {0};
    int status = tch_calibration_read(c, path, bench, machine_class, &why);

    if (status == TACHO_EIO && why.system_errno == ENOENT) {
        *c = (struct tch_calibration){.bench = strdup(bench),
                                      .machine_class = strdup(machine_class)};
        return c->bench && c->machine_class ? 0 : tch_fail_memory(err);
    }
    return status < 0 ? tch_fail(err, status, why.line, "'%.120s' was not changed: %.120s", path,
                                 why.message)
                      : 0;
}

/* Adds an occasion and takes it over. */
static int add_occasion(struct tch_calibration *c, struct tch_calibration_occasion *o,
                        tacho_error *err)
{
    if (tch_array_extend(&c->occasions, c->count) < 0)
        return tch_fail_memory(err);
    c->occasions[c->count++] = *o;
    *o = (struct tch_calibration_occasion){0};
    while (c->count > TCH_CALIBRATION_KEEP) {
        tch_calibration_occasion_release(&c->occasions[0]);
        memmove(c->occasions, c->occasions + 1, --c->count * sizeof *c->occasions);
    }
    return 0;
}

static void set_spreads(struct tch_calibration *c, const struct tch_baseline *baseline)
{
    struct tch_calibration_occasion *o = &c->occasions[c->count - 1];

    for (size_t i = 0; i < o->count; i++) {
        struct tch_calibrated *m = &o->metrics[i];
        size_t occasions;

        m->session_spread = tch_sessions_spread(baseline, c, o->command, m->name, 0.5,
                                                m->session_spread, &occasions);
        o->occasions = occasions;
    }
}

int tch_calibration_save(struct tch_calibration *c, const char *path, const char *bench,
                         const char *machine_class, struct tch_calibration_occasion *o,
                         const struct tch_baseline *baseline, tacho_error *err)
{
    struct tch_buf out;
    int fd = -1;
    int status = tch_mkdirs_above(path, err);

    *c = (struct tch_calibration){0};
    if (status == 0)
        status = tch_baseline_lock(path, &fd, err);
    if (status == 0)
        status = read_or_begin(c, path, bench, machine_class, err);
    if (status == 0)
        status = add_occasion(c, o, err);
    tch_calibration_occasion_release(o);
    if (status == 0) {
        set_spreads(c, baseline);
        tch_buf_init(&out, TCH_CALIBRATION_MAX);
        tch_calibration_format(&out, c, 0);
        status = out.failed ? tch_fail_memory(err)
                            : tch_file_replace(path, out.data, out.len, true, err);
        tch_buf_release(&out);
    }
    if (fd >= 0)
        close(fd);
    return status;
}
