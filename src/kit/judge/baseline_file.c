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
#include "base/json_read.h"
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

/* Adds a string by the JSON writer. The writer cannot indent, so this file adds blanks and commas
   itself. */
static void put_text(struct tch_buf *out, const char *text)
{
    struct tch_buf b;

    tch_buf_init(&b, TCH_BASELINE_MAX);
    tch_json_text(&b, text);
    out->failed |= b.failed;
    tch_buf_adds(out, b.data);
    tch_buf_release(&b);
}

/* Begins a new line, with a comma before it unless it is the first; key may be NULL. */
static void begin_line(struct tch_buf *out, const char *indent, const char *key)
{
    char last = out->data[out->len > 0 ? out->len - 1 : 0];

    tch_buf_addf(out, "%s\n%s", last == '{' || last == '[' ? "" : ",", indent);
    if (!key)
        return;
    put_text(out, key);
    tch_buf_adds(out, ": ");
}

static void line_text(struct tch_buf *out, const char *indent, const char *key, const char *text)
{
    begin_line(out, indent, key);
    put_text(out, text);
}

static void put_occasion(struct tch_buf *out, const struct tch_occasion *o)
{
    begin_line(out, "    ", NULL);
    tch_buf_addc(out, '{');
    line_text(out, "      ", "id", o->id);
    line_text(out, "      ", "at", o->at);
    line_text(out, "      ", "commit", o->commit);
    if (o->dirty) {
        begin_line(out, "      ", "dirty");
        tch_buf_adds(out, "true");
    }
    line_text(out, "      ", "command", o->command);
    if (o->settings) {
        begin_line(out, "      ", "settings");
        tch_buf_adds(out, o->settings);
    }
    begin_line(out, "      ", "environment");
    tch_buf_adds(out, o->environment);
    if (o->counts) {
        begin_line(out, "      ", "counts");
        tch_buf_adds(out, o->counts);
    }
    begin_line(out, "      ", "metrics");
    tch_buf_addc(out, '{');
    for (size_t i = 0; i < o->count; i++) {
        begin_line(out, "        ", o->kept[i].name);
        tch_json_part(out, "[", 1, false);
        for (size_t k = 0; k < o->kept[i].count; k++)
            tch_json_f64(out, o->kept[i].value[k]);
        tch_buf_addc(out, ']');
    }
    tch_buf_adds(out, "\n      }\n    }");
}

void tch_baseline_format(struct tch_buf *out, const struct tch_baseline *b)
{
    tch_buf_addc(out, '{');
    line_text(out, "  ", "schema", TCH_BASELINE_SCHEMA);
    line_text(out, "  ", "bench", b->bench);
    line_text(out, "  ", "machine_class", b->machine_class);
    line_text(out, "  ", "reference", b->reference);
    begin_line(out, "  ", "occasions");
    tch_buf_addc(out, '[');
    for (size_t i = 0; i < b->count; i++)
        put_occasion(out, &b->occasions[i]);
    tch_buf_adds(out, "\n  ]\n}\n");
}

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

/* --- Reading --- */

struct reading {
    struct tch_json_reader r;
    struct tch_baseline *b;
    tacho_error *err;
};

static int fail(struct reading *f, const char *why)
{
    return tch_fail(f->err, TACHO_EPARSE, 0, "%s", why);
}

static int take_text(struct reading *f, char **slot)
{
    struct tch_json_value value;
    struct tch_buf text;

    if (tch_json_read(&f->r, &value) < 0)
        return f->r.status;
    if (value.type != TCH_JSON_STRING)
        return fail(f, "expected a string");
    tch_buf_init(&text, TCH_BASELINE_MAX);
    tch_json_unescape(&value, &text);
    free(*slot);
    *slot = tch_buf_take(&text);
    return *slot ? 0 : tch_fail_memory(f->err);
}

static int take_bool(struct reading *f, bool *slot)
{
    struct tch_json_value value;

    if (tch_json_read(&f->r, &value) < 0)
        return f->r.status;
    if (value.type != TCH_JSON_TRUE && value.type != TCH_JSON_FALSE)
        return fail(f, "expected true or false");
    *slot = value.type == TCH_JSON_TRUE;
    return 0;
}

static int take_raw(struct reading *f, char **slot)
{
    struct tch_json_value value;

    if (tch_json_read_raw(&f->r, &value) < 0)
        return f->r.status;
    free(*slot);
    *slot = malloc(value.len + 1);
    if (!*slot)
        return tch_fail_memory(f->err);
    memcpy(*slot, value.text, value.len);
    (*slot)[value.len] = '\0';
    return 0;
}

static int take_values(struct reading *f, struct tch_kept *kept)
{
    struct tch_values list = {0};
    struct tch_json_value value;
    int more = 0;
    int status = tch_json_read(&f->r, &value);

    if (status == 0 && value.type != TCH_JSON_ARRAY)
        status = fail(f, "the values of a metric must be a list of numbers");
    while (status == 0 && (more = tch_json_element(&f->r)) > 0) {
        status = tch_json_read(&f->r, &value);
        if (status == 0 && (value.type != TCH_JSON_NUMBER || list.n == VALUES_MOST))
            status = fail(f, "the values of a metric must be numbers, and not too many");
        if (status == 0)
            status = tch_values_add(&list, tch_json_to_f64(&value), f->err);
    }
    kept->value = list.v;
    kept->count = list.n;
    return status < 0 ? status : more;
}

static int take_metrics(struct reading *f, struct tch_occasion *o)
{
    struct tch_json_value key;
    int more = 0;
    int status = tch_json_read(&f->r, &key);

    if (status == 0 && key.type != TCH_JSON_OBJECT)
        return fail(f, "'metrics' must be an object");
    while (status == 0 && (more = tch_json_member(&f->r, &key)) > 0) {
        struct tch_buf name;

        if (o->count == TCH_BASELINE_KEPT)
            return fail(f, "there are too many metrics");
        if (tch_array_extend(&o->kept, o->count) < 0)
            return tch_fail_memory(f->err);
        tch_buf_init(&name, 4096);
        tch_json_unescape(&key, &name);
        o->kept[o->count] = (struct tch_kept){.name = tch_buf_take(&name)};
        if (!o->kept[o->count].name)
            return fail(f, "the name of a metric is too long");
        status = take_values(f, &o->kept[o->count++]);
    }
    return status < 0 ? status : more;
}

static int take_occasion(struct reading *f)
{
    struct tch_occasion *o;
    struct tch_json_value key;
    int more = 0;
    int status;

    if (f->b->count == TCH_BASELINE_OCCASIONS)
        return fail(f, "there are too many occasions");
    if (tch_array_extend(&f->b->occasions, f->b->count) < 0)
        return tch_fail_memory(f->err);
    o = &f->b->occasions[f->b->count++];
    *o = (struct tch_occasion){0};
    status = tch_json_read(&f->r, &key);
    if (status == 0 && key.type != TCH_JSON_OBJECT)
        return fail(f, "an occasion must be an object");
    while (status == 0 && (more = tch_json_member(&f->r, &key)) > 0) {
        if (tch_json_is(&key, "id"))
            status = take_text(f, &o->id);
        else if (tch_json_is(&key, "at"))
            status = take_text(f, &o->at);
        else if (tch_json_is(&key, "commit"))
            status = take_text(f, &o->commit);
        else if (tch_json_is(&key, "dirty"))
            status = take_bool(f, &o->dirty);
        else if (tch_json_is(&key, "command"))
            status = take_text(f, &o->command);
        else if (tch_json_is(&key, "settings"))
            status = take_raw(f, &o->settings);
        else if (tch_json_is(&key, "environment"))
            status = take_raw(f, &o->environment);
        else if (tch_json_is(&key, "counts"))
            status = take_raw(f, &o->counts);
        else if (tch_json_is(&key, "metrics") && o->count == 0)
            status = take_metrics(f, o);
        else
            status = tch_json_skip(&f->r);
    }
    if (status == 0 && more == 0 &&
        (!o->id || !o->at || !o->commit || !o->command || !o->environment))
        return fail(f, "an occasion needs id, at, commit, command, environment and metrics");
    if (status == 0 && more == 0 && tch_occasion_time(o->at) < 0)
        return fail(f, "'at' of an occasion must be a time such as 2026-01-31T12:00:00Z");
    return status < 0 ? status : more;
}

static int take_occasions(struct reading *f)
{
    struct tch_json_value value;
    int more = 0;
    int status = tch_json_read(&f->r, &value);

    if (status == 0 && (value.type != TCH_JSON_ARRAY || f->b->count > 0))
        return fail(f, "'occasions' must be one list");
    while (status == 0 && (more = tch_json_element(&f->r)) > 0)
        status = take_occasion(f);
    return status < 0 ? status : more;
}

static int take_all(struct reading *f, char **schema)
{
    struct tch_json_value key;
    int more = 0;
    int status = tch_json_read(&f->r, &key);

    if (status == 0 && key.type != TCH_JSON_OBJECT)
        return fail(f, "a baseline must be a JSON object");
    while (status == 0 && (more = tch_json_member(&f->r, &key)) > 0) {
        if (tch_json_is(&key, "schema"))
            status = take_text(f, schema);
        else if (tch_json_is(&key, "bench"))
            status = take_text(f, &f->b->bench);
        else if (tch_json_is(&key, "machine_class"))
            status = take_text(f, &f->b->machine_class);
        else if (tch_json_is(&key, "reference"))
            status = take_text(f, &f->b->reference);
        else if (tch_json_is(&key, "occasions"))
            status = take_occasions(f);
        else
            status = tch_json_skip(&f->r);
    }
    if (status == 0 && more < 0)
        status = more;
    return status < 0 ? status : tch_json_finish(&f->r);
}

int tch_baseline_parse(struct tch_baseline *b, const char *text, size_t len, tacho_error *err)
{
    struct reading f = {.b = b, .err = err};
    char *schema = NULL;
    int status;

    *b = (struct tch_baseline){0};
    tch_json_open(&f.r, text, len, err);
    f.r.finite = true;
    status = take_all(&f, &schema);
    if (status == 0 && (!schema || strcmp(schema, TCH_BASELINE_SCHEMA) != 0))
        status = tch_fail(err, TACHO_EPARSE, 0, "its schema is '%.40s', not " TCH_BASELINE_SCHEMA,
                          schema ? schema : "");
    if (status == 0 && (!b->bench || !b->machine_class || !b->reference))
        status = tch_fail(err, TACHO_EPARSE, 0,
                          "it needs bench, machine_class, reference and occasions");
    if (status == 0 && b->count > 0 && !tch_baseline_find(b, "reference"))
        status = tch_fail(err, TACHO_EPARSE, 0, "its reference is not one of its occasions");
    free(schema);
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
    if (status == 0)
        status = tch_baseline_lock(path, &fd, err);
    if (status == 0 && !how->replace)
        status = tch_baseline_read(b, path, &why);
    if ((status == 0 && how->replace) || (status == TACHO_EIO && why.system_errno == ENOENT))
        status = tch_baseline_init(b, how->bench, how->machine_class, err);
    else if (status == 0)
        status = check(b, r, how, &why);
    if (status < 0 && why.message[0] && why.system_errno != ENOENT)
        status =
            tch_fail(err, status, why.line,
                     "the baseline was not changed: %.130s; to start over: tacho baseline save "
                     "--replace --bench %.40s",
                     why.message, how->bench);
    if (status == 0)
        status = tch_baseline_add(b, r, how->keep, err);
    if (status == 0 && how->promote)
        status = tch_baseline_promote(b, tch_baseline_find(b, "latest"), err);
    if (status == 0)
        status = tch_baseline_write(b, path, err);
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
