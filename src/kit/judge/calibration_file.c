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
#include "base/json_fields.h"
#include "base/json_write.h"
#include "calibration.h"

/* Enters a list. */
static int enter_list(struct tch_json_reader *r, const char *key, tacho_error *err)
{
    struct tch_json_value list;

    if (tch_json_read(r, &list) < 0)
        return r->status;
    return list.type == TCH_JSON_ARRAY ? 0
                                       : tch_fail(err, TACHO_EPARSE, 0, "'%s' must be a list", key);
}

/* --- A metric --- */

struct change {
    uint64_t runs;
    double change;
    double seconds; /* that these runs take; computed again when it is written */
};

static const struct tch_json_field change_fields[] = {
    {TCH_JSON_U64(struct change, runs, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct change, change, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct change, seconds, TCH_JSON_ALWAYS)},
    {0},
};

/* Reads the changes of the known sizes. A later version may have others. */
static int read_changes(struct tch_json_reader *r, void *calibrated, tacho_error *err)
{
    struct tch_calibrated *m = calibrated;
    int status = enter_list(r, "detectable_changes", err);
    int more = 0;

    while (status == 0 && (more = tch_json_element(r)) > 0) {
        struct change c = {.change = NAN};

        status = tch_json_fields_read(r, change_fields, &c, NULL, err);
        for (size_t i = 0; i < TCH_CALIBRATION_SIZES && status == 0; i++)
            if (c.runs == tch_calibration_sizes[i])
                m->sees[i] = c.change;
    }
    return status < 0 ? status : more;
}

static void write_changes(struct tch_buf *b, const struct tch_calibrated *m, double pair_seconds)
{
    tch_json_key(b, "detectable_changes");
    tch_json_begin_array(b);
    for (size_t i = 0; i < TCH_CALIBRATION_SIZES; i++) {
        size_t runs = tch_calibration_sizes[i];

        tch_json_fields_write(b, change_fields,
                              &(struct change){runs, m->sees[i], (double)runs * pair_seconds});
    }
    tch_json_end_array(b);
}

static const struct tch_json_field metric_fields[] = {
    {TCH_JSON_CHARS(struct tch_calibrated, name, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_calibrated, median, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_calibrated, noise, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_calibrated, lag1, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_calibrated, drift, TCH_JSON_ALWAYS)},
    {TCH_JSON_F64(struct tch_calibrated, session_spread, TCH_JSON_ALWAYS)},
    {.key = "detectable_changes", .kind = TCH_JSON_AS_OWN, .read = read_changes},
    {0},
};

/* --- An occasion --- */

static void write_metrics(struct tch_buf *b, const void *occasion)
{
    const struct tch_calibration_occasion *o = occasion;

    tch_json_begin_array(b);
    for (size_t i = 0; i < o->count; i++) {
        tch_json_begin_object(b);
        tch_json_fields_write_members(b, metric_fields, &o->metrics[i]);
        write_changes(b, &o->metrics[i], o->pair_seconds);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
}

static int read_metrics(struct tch_json_reader *r, void *occasion, tacho_error *err)
{
    struct tch_calibration_occasion *o = occasion;
    int status = enter_list(r, "metrics", err);
    int more = 0;

    while (status == 0 && (more = tch_json_element(r)) > 0) {
        struct tch_calibrated *m;

        if (o->count == TCH_CALIBRATION_METRICS)
            return tch_fail(err, TACHO_EPARSE, 0, "an occasion has more than %d metrics",
                            TCH_CALIBRATION_METRICS);
        if (tch_array_extend(&o->metrics, o->count) < 0)
            return tch_fail_memory(err);
        m = &o->metrics[o->count++];
        *m = (struct tch_calibrated){.median = NAN,
                                     .noise = NAN,
                                     .lag1 = NAN,
                                     .drift = NAN,
                                     .session_spread = NAN,
                                     .sees = {NAN, NAN, NAN, NAN}};
        status = tch_json_fields_read(r, metric_fields, m, NULL, err);
        if (status == 0 && !m->name[0])
            return tch_fail(err, TACHO_EPARSE, 0, "a metric has no name, or its name is too long");
    }
    return status < 0 ? status : more;
}

static void write_power(struct tch_buf *b, const void *occasion)
{
    (void)occasion;
    tch_json_f64(b, TCH_CALIBRATION_POWER);
}

static void write_reports(struct tch_buf *b, const void *occasion)
{
    (void)occasion;
    tch_json_u64(b, TCH_CALIBRATION_REPORTS);
}

#define OCCASION(kind, member) \
    TCH_JSON_##kind(struct tch_calibration_occasion, member, TCH_JSON_ALWAYS)

static const struct tch_json_field occasion_fields[] = {
    {OCCASION(TEXT, id)},
    {OCCASION(TEXT, at)},
    {OCCASION(TEXT, commit)},
    {OCCASION(TEXT, command)},
    {OCCASION(RAW, environment)},
    {OCCASION(U64, pairs)},
    {OCCASION(F64, pair_seconds)},
    {OCCASION(F64, alpha)},
    {.key = "power", .kind = TCH_JSON_AS_OWN, .write = write_power},
    {.key = "reports", .kind = TCH_JSON_AS_OWN, .write = write_reports},
    {OCCASION(F64, false_fails)},
    {OCCASION(U64, occasions)},
    {.key = "metrics", .kind = TCH_JSON_AS_OWN, .write = write_metrics, .read = read_metrics},
    {0},
};

/* Writes an occasion without its seal, which covers this text. Leaves the object open. */
static void put_occasion(struct tch_buf *b, const struct tch_calibration_occasion *o)
{
    tch_json_begin_object(b);
    tch_json_fields_write_members(b, occasion_fields, o);
}

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
    tch_buf_add(out, b.data, b.len);
    tch_buf_release(&b);
}

/* Checks the seal: writing the occasion again gives the text that was sealed. */
static int check_seal(const struct tch_calibration_occasion *o, const char *sealed,
                      tacho_error *err)
{
    char sha256[TACHO_SHA256_TEXT];
    struct tch_buf b;
    int status = 0;

    tch_buf_init(&b, TCH_CALIBRATION_MAX);
    put_occasion(&b, o);
    tacho_sha256(b.data, b.len, sha256);
    if (b.failed)
        status = tch_fail_memory(err);
    else if (strcmp(sealed, sha256) != 0)
        status = tch_fail(err, TACHO_EPARSE, 0,
                          "the occasion '%.40s' does not match its seal: it was changed after it "
                          "was written",
                          o->id);
    tch_buf_release(&b);
    return status;
}

/* Reads the seal of an occasion, which is not a part of the struct. */
static int read_seal(const struct tch_json_value *item, char sha256[TACHO_SHA256_TEXT],
                     tacho_error *err)
{
    const struct tch_json_field fields[] = {
        {.key = "sha256", .kind = TCH_JSON_AS_CHARS, .size = TACHO_SHA256_TEXT},
        {0},
    };
    struct tch_json_reader r;

    sha256[0] = '\0';
    tch_json_open(&r, item->text, item->len, err);
    return tch_json_fields_read(&r, fields, sha256, NULL, err);
}

static int read_occasion(struct tch_json_reader *list, struct tch_calibration *c, tacho_error *err)
{
    struct tch_calibration_occasion *o;
    char sha256[TACHO_SHA256_TEXT];
    struct tch_json_value item;
    struct tch_json_reader r;
    int status;

    if (tch_json_read_raw(list, &item) < 0)
        return list->status;
    if (tch_array_extend(&c->occasions, c->count) < 0)
        return tch_fail_memory(err);
    o = &c->occasions[c->count++];
    *o = (struct tch_calibration_occasion){.pair_seconds = NAN, .alpha = NAN, .false_fails = NAN};
    tch_json_open(&r, item.text, item.len, err);
    status = tch_json_fields_read(&r, occasion_fields, o, NULL, err);
    if (status == 0 && !o->environment && !(o->environment = strdup("null")))
        status = tch_fail_memory(err);
    if (status == 0 && (!o->id || !o->at || !o->commit || !o->command))
        status = tch_fail(err, TACHO_EPARSE, 0,
                          "an occasion needs id, at, commit, command and environment");
    if (status == 0)
        status = read_seal(&item, sha256, err);
    return status < 0 ? status : check_seal(o, sha256, err);
}

/* --- The file --- */

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

/* A file that is read. */
struct document {
    char *schema;
    char *bench;
    char *machine_class;
    struct tch_calibration *c; /* receives the occasions */
    bool listed;               /* there is a list of them */
};

static int read_occasions(struct tch_json_reader *r, void *document, tacho_error *err)
{
    struct document *d = document;
    int status;
    int more = 0;

    d->listed = true;
    if (d->schema && strcmp(d->schema, TCH_CALIBRATION_SCHEMA) != 0)
        return tch_json_skip(r); /* the occasions of another version may look otherwise */
    status = enter_list(r, "occasions", err);
    while (status == 0 && (more = tch_json_element(r)) > 0)
        status = read_occasion(r, d->c, err);
    return status < 0 ? status : more;
}

static const struct tch_json_field document_fields[] = {
    {TCH_JSON_TEXT(struct document, schema, TCH_JSON_ALWAYS)},
    {TCH_JSON_TEXT(struct document, bench, TCH_JSON_ALWAYS)},
    {TCH_JSON_TEXT(struct document, machine_class, TCH_JSON_ALWAYS)},
    {.key = "occasions", .kind = TCH_JSON_AS_OWN, .read = read_occasions},
    {0},
};

int tch_calibration_parse(struct tch_calibration *c, const char *text, size_t len, tacho_error *err)
{
    struct document d = {.c = c};
    struct tch_json_reader r;
    int status;

    *c = (struct tch_calibration){0};
    tch_json_open(&r, text, len, err);
    status = tch_json_fields_read(&r, document_fields, &d, NULL, err);
    if (status == 0)
        status = tch_json_finish(&r);
    if (status == 0 && (!d.schema || strcmp(d.schema, TCH_CALIBRATION_SCHEMA) != 0))
        status =
            tch_fail(err, TACHO_EPARSE, 0, "its schema is '%.40s', not " TCH_CALIBRATION_SCHEMA,
                     d.schema ? d.schema : "");
    else if (status == 0 && (!d.bench || !d.machine_class || !d.listed))
        status = tch_fail(err, TACHO_EPARSE, 0, "it needs bench, machine_class and occasions");
    c->bench = d.bench;
    c->machine_class = d.machine_class;
    free(d.schema);
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
