/* Reads and writes the files of baselines. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/json_fields.h"
#include "base/json_write.h"
#include "baseline.h"
#include "kit/file/found_file.h"
#include "kit/result/run_folder.h"

enum { VALUES_MOST = 100000, LOCK_SECONDS = 60 };

/* Returns whether a name can be part of a path. "../x" would lead out of the folder. */
static bool is_plain(const char *name)
{
    char plain[NAME_MAX + 1];

    tch_folder_name(plain, sizeof plain, name);
    return strcmp(plain, name) == 0;
}

int tch_baseline_path(char path[PATH_MAX], const char *dir, const char *bench,
                      const char *machine_class, tacho_error *err)
{
    int n = snprintf(path, PATH_MAX, "%s/%s/%s.json", dir, bench, machine_class);

    if (strcmp(machine_class, "unknown") == 0)
        return tch_fail(err, TACHO_EINVAL, 0,
                        "the class of this machine is not known, because parts of /proc cannot be "
                        "read; see tacho fingerprint env");
    if (!is_plain(bench) || !is_plain(machine_class))
        return tch_fail(
            err, TACHO_EINVAL, 0, "'%.60s' is not a valid name of a %s; use " TCH_FOLDER_NAMES,
            is_plain(bench) ? machine_class : bench, is_plain(bench) ? "machine class" : "bench");
    return n > 0 && n < PATH_MAX
               ? 0
               : tch_fail(err, TACHO_ELIMIT, 0, "the path '%.80s...' is too long", path);
}

/* Sets `folder` to DIR of DIR/BENCH/CLASS.json and returns the rest. The user chose DIR. The rest
   comes with a checkout and may contain foreign links, which are not followed. */
static const char *split_path(const char *path, char folder[PATH_MAX])
{
    const char *name = tch_base_name(path);

    while (name > path && name[-1] == '/')
        name--;
    while (name > path && name[-1] != '/')
        name--;
    tch_folder_before(folder, path, name);
    return name;
}

/* --- Writing: JSON with line breaks for human readers --- */

/* Begins a new line, with a comma before it unless it is the first; key may be NULL. */
static void begin_line(struct tch_buf *out, const char *indent, const char *key)
{
    tch_buf_addf(out, "%s\n%s", out->comma ? "," : "", indent);
    out->comma = false; /* the next value begins the line */
    if (!key)
        return;
    tch_json_text(out, key);
    tch_json_part(out, ": ", 2, false);
}

/* Writes an object with one member per line. `end` is the indentation of its end. */
static void put_lines(struct tch_buf *out, const char *indent, const char *end,
                      const struct tch_json_field *fields, const void *of)
{
    tch_json_begin_object(out);
    for (const struct tch_json_field *f = fields; f->key; f++) {
        if (!tch_json_field_is_written(f, of))
            continue;
        begin_line(out, indent, f->key);
        tch_json_field_write_value(out, f, of);
    }
    tch_buf_addf(out, "\n%s", end);
    tch_json_end_object(out);
}

static void write_metrics(struct tch_buf *out, const void *occasion)
{
    const struct tch_occasion *o = occasion;

    tch_json_begin_object(out);
    for (size_t i = 0; i < o->count; i++) {
        begin_line(out, "        ", o->kept[i].name);
        tch_json_begin_array(out);
        for (size_t k = 0; k < o->kept[i].count; k++)
            tch_json_f64(out, o->kept[i].value[k]);
        tch_json_end_array(out);
    }
    tch_buf_adds(out, "\n      ");
    tch_json_end_object(out);
}

/* --- Reading --- */

static int fail(tacho_error *err, const char *why)
{
    return tch_fail(err, TACHO_EPARSE, 0, "%s", why);
}

static int read_values(struct tch_json_reader *r, struct tch_kept *kept, tacho_error *err)
{
    struct tch_values list = {0};
    struct tch_json_value value;
    int more = 0;
    int status = tch_json_read(r, &value);

    if (status == 0 && value.type != TCH_JSON_ARRAY)
        status = fail(err, "the values of a metric must be a list of numbers");
    while (status == 0 && (more = tch_json_element(r)) > 0) {
        status = tch_json_read(r, &value);
        if (status == 0 && (value.type != TCH_JSON_NUMBER || list.n == VALUES_MOST))
            status = fail(err, "the values of a metric must be numbers, and not too many");
        if (status == 0)
            status = tch_values_add(&list, tch_json_to_f64(&value), err);
    }
    kept->value = list.v;
    kept->count = list.n;
    return status < 0 ? status : more;
}

static int read_metric(struct tch_json_reader *r, const struct tch_json_value *key,
                       struct tch_occasion *o, tacho_error *err)
{
    struct tch_buf name;

    if (o->count == TCH_BASELINE_KEPT)
        return fail(err, "there are too many metrics");
    if (tch_array_extend(&o->kept, o->count) < 0)
        return tch_fail_memory(err);
    tch_buf_init(&name, 4096);
    tch_json_unescape(key, &name);
    o->kept[o->count] = (struct tch_kept){.name = tch_buf_take(&name)};
    if (!o->kept[o->count].name)
        return fail(err, "the name of a metric is too long");
    return read_values(r, &o->kept[o->count++], err);
}

static int read_metrics(struct tch_json_reader *r, void *occasion, tacho_error *err)
{
    struct tch_occasion *o = occasion;
    struct tch_json_value key;
    int more;

    if (o->count > 0)
        return tch_json_skip(r);
    if (tch_json_read(r, &key) < 0)
        return r->status;
    if (key.type != TCH_JSON_OBJECT)
        return fail(err, "'metrics' must be an object");
    while ((more = tch_json_member(r, &key)) > 0) {
        int status = read_metric(r, &key, o, err);

        if (status < 0)
            return status;
    }
    return more;
}

/* --- The tables --- */

#define OCCASION(kind, member, when) TCH_JSON_##kind(struct tch_occasion, member, when)

static const struct tch_json_field occasion_fields[] = {
    {OCCASION(TEXT, id, TCH_JSON_ALWAYS), .strict = true, .required = true},
    {OCCASION(TEXT, at, TCH_JSON_ALWAYS), .strict = true, .required = true},
    {OCCASION(TEXT, commit, TCH_JSON_ALWAYS), .strict = true, .required = true},
    {OCCASION(BOOL, dirty, TCH_JSON_LEFT_OUT), .strict = true},
    {OCCASION(TEXT, command, TCH_JSON_ALWAYS), .strict = true, .required = true},
    {OCCASION(RAW, settings, TCH_JSON_LEFT_OUT)},
    {OCCASION(RAW, environment, TCH_JSON_OR_NULL), .required = true},
    {OCCASION(RAW, counts, TCH_JSON_LEFT_OUT)},
    {.key = "metrics",
     .kind = TCH_JSON_AS_OWN,
     .required = true,
     .write = write_metrics,
     .read = read_metrics},
    {0},
};

static void write_occasions(struct tch_buf *out, const void *baseline)
{
    const struct tch_baseline *b = baseline;

    tch_json_begin_array(out);
    for (size_t i = 0; i < b->count; i++) {
        begin_line(out, "    ", NULL);
        put_lines(out, "      ", "    ", occasion_fields, &b->occasions[i]);
    }
    tch_buf_adds(out, "\n  ");
    tch_json_end_array(out);
}

static int read_occasion(struct tch_json_reader *r, struct tch_baseline *b, tacho_error *err)
{
    struct tch_occasion *o;
    int status;

    if (b->count == TCH_BASELINE_OCCASIONS)
        return fail(err, "there are too many occasions");
    if (tch_array_extend(&b->occasions, b->count) < 0)
        return tch_fail_memory(err);
    o = &b->occasions[b->count++];
    *o = (struct tch_occasion){0};
    status = tch_json_fields_read(r, occasion_fields, o, NULL, err);
    if (status < 0)
        return status;
    if (tch_occasion_time(o->at) < 0)
        return fail(err, "'at' of an occasion must be a time such as 2026-01-31T12:00:00Z");
    return 0;
}

static int read_occasions(struct tch_json_reader *r, void *baseline, tacho_error *err)
{
    struct tch_baseline *b = baseline;
    struct tch_json_value value;
    int more;

    if (tch_json_read(r, &value) < 0)
        return r->status;
    if (value.type != TCH_JSON_ARRAY || b->count > 0)
        return fail(err, "'occasions' must be one list");
    while ((more = tch_json_element(r)) > 0) {
        int status = read_occasion(r, b, err);

        if (status < 0)
            return status;
    }
    return more;
}

static void write_schema(struct tch_buf *out, const void *baseline)
{
    (void)baseline;
    tch_json_text(out, TCH_BASELINE_SCHEMA);
}

/* Refuses a file of another kind at once: what it lacks of a baseline does not matter then. */
static int read_schema(struct tch_json_reader *r, void *baseline, tacho_error *err)
{
    struct tch_json_value value;

    (void)baseline;
    if (tch_json_read(r, &value) < 0)
        return r->status;
    if (tch_json_is(&value, TCH_BASELINE_SCHEMA))
        return 0;
    return tch_fail(err, TACHO_EPARSE, 0, "its schema is '%.*s', not " TCH_BASELINE_SCHEMA,
                    (int)(value.len < 40 ? value.len : 40), value.text);
}

#define BASELINE(member) \
    TCH_JSON_TEXT(struct tch_baseline, member, TCH_JSON_ALWAYS), .strict = true, .required = true

const struct tch_json_field tch_baseline_fields[] = {
    {.key = "schema",
     .kind = TCH_JSON_AS_OWN,
     .required = true,
     .write = write_schema,
     .read = read_schema},
    {BASELINE(bench)},
    {BASELINE(machine_class)},
    {BASELINE(reference)},
    {.key = "occasions",
     .kind = TCH_JSON_AS_OWN,
     .required = true,
     .fields = occasion_fields,
     .write = write_occasions,
     .read = read_occasions},
    {0},
};

void tch_baseline_format(struct tch_buf *out, const struct tch_baseline *b)
{
    put_lines(out, "  ", "", tch_baseline_fields, b);
    tch_json_line_end(out);
}

int tch_baseline_parse(struct tch_baseline *b, const char *text, size_t len, tacho_error *err)
{
    struct tch_json_reader r;
    int status;

    *b = (struct tch_baseline){0};
    tch_json_open(&r, text, len, err);
    r.finite = true;
    status = tch_json_fields_read(&r, tch_baseline_fields, b, NULL, err);
    if (status < 0)
        return status;
    status = tch_json_finish(&r);
    if (status == 0 && b->count > 0 && !tch_baseline_find(b, "reference"))
        return fail(err, "its reference is not one of its occasions");
    return status;
}

/* --- Files --- */

int tch_baseline_write(const struct tch_baseline *b, const char *path, tacho_error *err)
{
    char folder[PATH_MAX];
    const char *name = split_path(path, folder);
    struct tch_buf out;
    int status = tch_mkdirs_above(path, err);

    tch_buf_init(&out, TCH_BASELINE_MAX);
    tch_baseline_format(&out, b);
    if (status == 0 && out.failed)
        status = tch_fail_memory(err);
    if (status == 0)
        status = tch_found_write(folder, name, out.data, out.len, true, err);
    tch_buf_release(&out);
    return status;
}

int tch_baseline_read(struct tch_baseline *b, const char *path, tacho_error *err)
{
    char folder[PATH_MAX];
    const char *name = split_path(path, folder);
    struct tch_buf text;
    int status;

    *b = (struct tch_baseline){0};
    tch_buf_init(&text, TCH_BASELINE_MAX);
    status = tch_found_read(folder, name, TCH_BASELINE_MAX, &text, err);
    if (status == 0 && text.len == 0)
        status = tch_fail(err, TACHO_EPARSE, 0, "the file is empty");
    else if (status == 0)
        status = tch_baseline_parse(b, text.data, text.len, err);
    tch_buf_release(&text);
    return status;
}

/* --- Changing --- */

int tch_baseline_check(const struct tch_baseline *b, const char *bench, const char *machine_class,
                       tacho_error *err)
{
    if (strcmp(b->bench, bench) == 0 && strcmp(b->machine_class, machine_class) == 0)
        return 0;
    return tch_fail(err, TACHO_EINVAL, 0,
                    "it is the baseline of '%.40s' on %.60s, not of '%.40s' on %.60s", b->bench,
                    b->machine_class, bench, machine_class);
}

int tch_baseline_lock(const char *path, int *fd, tacho_error *err)
{
    char folder[PATH_MAX];

    snprintf(folder, sizeof folder, "%s", path);
    *fd = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (*fd < 0)
        return tch_fail_errno(err, errno, "cannot open the folder of '%s'", path);
    if (tch_file_lock(*fd, LOCK_SECONDS) == 0)
        return 0;
    if (errno == EWOULDBLOCK)
        tch_fail(err, TACHO_EIO, 0, "another process has locked the folder of '%.200s' for %d s",
                 path, LOCK_SECONDS);
    else
        tch_fail_errno(err, errno, "cannot lock the folder of '%s'", path);
    close(*fd);
    *fd = -1;
    return TACHO_EIO;
}

/* Checks that a run can become an occasion of the baseline. */
static int check(const struct tch_baseline *b, const struct tch_result *r,
                 const struct tch_baseline_save *how, tacho_error *err)
{
    int status = tch_baseline_check(b, how->bench, how->machine_class, err);

    return status < 0 ? status : tch_baseline_check_command(b, r->command.line, NULL, err);
}

int tch_baseline_save(struct tch_baseline *b, const char *path, const struct tch_result *r,
                      const struct tch_baseline_save *how, tacho_error *err)
{
    tacho_error why = {0};
    int fd = -1;
    int status = tch_mkdirs_above(path, err);

    tch_baseline_release(b);
    if (status < 0)
        return status;
    status = tch_baseline_lock(path, &fd, err);
    if (status < 0)
        goto out;
    status = how->replace ? 0 : tch_baseline_read(b, path, &why);
    if (how->replace || (status == TACHO_EIO && why.system_errno == ENOENT)) {
        status = tch_baseline_init(b, how->bench, how->machine_class, err);
    } else {
        if (status == 0)
            status = check(b, r, how, &why);
        if (status < 0)
            status = tch_fail(err, status, why.line,
                              "the baseline was not changed: %.130s; to start over: tacho baseline "
                              "save --replace --bench %.40s",
                              why.message, how->bench);
    }
    if (status < 0)
        goto out;
    status = tch_baseline_add(b, r, how->keep, err);
    if (status < 0)
        goto out;
    if (how->promote) {
        status = tch_baseline_promote(b, tch_baseline_find(b, "latest"), err);
        if (status < 0)
            goto out;
    }
    status = tch_baseline_write(b, path, err);
out:
    if (fd >= 0)
        close(fd);
    return status;
}

void tch_baseline_list_json_begin(struct tch_buf *b)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.baseline.list.v1");
    tch_json_key(b, "baselines");
    tch_json_begin_array(b);
}

void tch_baseline_list_json_add(struct tch_buf *b, const struct tch_baseline *baseline,
                                const char *path)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "bench", baseline->bench);
    tch_json_put_text(b, "machine_class", baseline->machine_class);
    tch_json_put_u64(b, "occasions", baseline->count);
    tch_json_put_text(b, "reference", baseline->reference);
    tch_json_put_text(b, "path", path);
    tch_json_end_object(b);
}

void tch_baseline_list_json_end(struct tch_buf *b)
{
    tch_json_end_array(b);
    tch_json_end_object(b);
    tch_json_line_end(b);
}
