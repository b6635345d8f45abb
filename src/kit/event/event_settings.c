/* Collects the settings of the process from all events of a file, and finds those that differ. */
#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "event_compare.h"
#include "lib/event/event_canon.h"
#include "lib/event/event_parse.h"

const char *const tch_setting_names[TCH_SETTINGS] = {
    "commit_sha", "env_hash", "model", "concurrency", "graph_enabled", "runtime_flags",
};

void tch_side_init(struct tch_side *side, const char *only, const char *by)
{
    *side = (struct tch_side){0};
    tch_stages_init(&side->stages, only, by);
}

void tch_side_release(struct tch_side *side)
{
    tch_stages_release(&side->stages);
    for (size_t i = 0; i < TCH_SETTINGS; i++) {
        for (size_t k = 0; k < side->settings[i].count; k++)
            free(side->settings[i].values[k]);
        free(side->settings[i].raw);
    }
}

static int keep_raw(struct tch_kinds *kinds, tacho_raw raw, tacho_error *err)
{
    if (tch_array_reserve(&kinds->raw, &kinds->raw_room, raw.len + 1) < 0)
        return tch_fail_memory(err);
    memcpy(kinds->raw, raw.text, raw.len);
    kinds->raw_len = raw.len;
    return 0;
}

/* Adds the value of a setting to those that were found, in canonical form. */
static int add_kind(struct tch_kinds *kinds, tacho_raw raw, tacho_error *err)
{
    struct tch_buf b;
    char *value;

    if (kinds->raw && kinds->raw_len == raw.len && memcmp(kinds->raw, raw.text, raw.len) == 0)
        return 0;
    tch_buf_init(&b, (size_t)10 * TCH_EVENT_MAX);
    if (tch_json_canon(&b, raw.text, raw.len, false, NULL) < 0)
        b.failed = true;
    value = tch_buf_take(&b);
    if (!value)
        return tch_fail_memory(err);
    for (size_t i = 0; i < kinds->count; i++) {
        if (strcmp(kinds->values[i], value) == 0) {
            free(value);
            return keep_raw(kinds, raw, err);
        }
    }
    if (kinds->count == TCH_KINDS) {
        kinds->more = true;
        free(value);
        return 0;
    }
    kinds->values[kinds->count++] = value;
    return keep_raw(kinds, raw, err);
}

int tch_side_add(void *worker, const tacho_event *event, tacho_error *err)
{
    struct tch_side *side = worker;
    struct tch_json_value name = tch_raw_string(event->event);
    char number[16];
    int digits = snprintf(number, sizeof number, "%u", (unsigned)event->concurrency);
    tacho_raw graph = event->graph_enabled ? (tacho_raw){"true", 4} : (tacho_raw){"false", 5};
    const tacho_raw raws[TCH_SETTINGS] = {
        event->commit_sha,        event->env_hash, event->model,
        {number, (size_t)digits}, graph,           event->runtime_flags,
    };
    int status = 0;

    if (side->stages.only && !tch_json_is(&name, side->stages.only))
        return 0;
    side->events++;
    for (size_t i = 0; i < TCH_SETTINGS && status == 0; i++)
        status = add_kind(&side->settings[i], raws[i], err);
    return status == 0 ? tch_stages_add(&side->stages, event, err) : status;
}

/* --- the members of runtime_flags, nested ones by their path --- */

struct flag {
    char *path;
    char *value;
};

struct flags {
    struct flag *items;
    size_t count;
    size_t room;
    bool failed;
};

static void release_flags(struct flags *f)
{
    for (size_t i = 0; i < f->count; i++) {
        free(f->items[i].path);
        free(f->items[i].value);
    }
    free(f->items);
}

static char *copy(const char *text, size_t len)
{
    char *mine = malloc(len + 1);

    if (mine) {
        memcpy(mine, text, len);
        mine[len] = '\0';
    }
    return mine;
}

static void add_flag(struct flags *f, const char *path, const char *value, size_t len)
{
    struct flag flag = {.path = copy(path, strlen(path)), .value = copy(value, len)};

    if (!flag.path || !flag.value || tch_array_reserve(&f->items, &f->room, f->count + 1) < 0) {
        free(flag.path);
        free(flag.value);
        f->failed = true;
        return;
    }
    f->items[f->count++] = flag;
}

static void flatten(struct flags *f, struct tch_buf *path, const struct tch_json_value *value);

/* What an object or array holds, each with its name or place behind the path. */
static void flatten_inside(struct flags *f, struct tch_buf *path,
                           const struct tch_json_value *container)
{
    bool object = container->type == TCH_JSON_OBJECT;
    struct tch_json_reader r;
    struct tch_json_value key;
    struct tch_json_value value;
    size_t end = path->len;
    size_t place = 0;

    tch_json_open(&r, container->text, container->len, NULL);
    tch_json_read(&r, &key);
    while (!f->failed && (object ? tch_json_member(&r, &key) : tch_json_element(&r)) > 0 &&
           tch_json_read_raw(&r, &value) == 0) {
        if (object) {
            tch_buf_addc(path, '.');
            tch_json_unescape(&key, path);
        } else {
            tch_buf_addf(path, "[%zu]", place++);
        }
        f->failed |= path->failed;
        if (!f->failed)
            flatten(f, path, &value);
        path->len = end;
        path->data[end] = '\0';
    }
}

static void flatten(struct flags *f, struct tch_buf *path, const struct tch_json_value *value)
{
    bool container = value->type == TCH_JSON_OBJECT || value->type == TCH_JSON_ARRAY;

    if (container && value->len > 2) /* canonical: an empty one is "{}" or "[]" */
        flatten_inside(f, path, value);
    else
        add_flag(f, path->data, value->text, value->len);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct flag *)a)->path, ((const struct flag *)b)->path);
}

static void flatten_first(struct flags *f, const struct tch_kinds *kinds)
{
    struct tch_buf path;

    if (kinds->count == 0)
        return;
    tch_buf_init(&path, TCH_EVENT_MAX);
    tch_buf_adds(&path, tch_setting_names[TCH_SETTING_RUNTIME_FLAGS]);
    f->failed |= path.failed;
    if (!f->failed)
        flatten_inside(f, &path,
                       &(struct tch_json_value){.type = TCH_JSON_OBJECT,
                                                .text = kinds->values[0],
                                                .len = strlen(kinds->values[0])});
    tch_buf_release(&path);
    if (f->count > 1)
        qsort(f->items, f->count, sizeof f->items[0], by_path);
}

typedef void tell_fn(void *ctx, const char *name, const char *a, const char *b);

/* Both are sorted: side by side, as in a merge. */
static void compare_flags(const struct flags *a, const struct flags *b, tell_fn *tell, void *ctx)
{
    size_t i = 0;
    size_t k = 0;

    while (i < a->count || k < b->count) {
        int order = i == a->count   ? 1
                    : k == b->count ? -1
                                    : strcmp(a->items[i].path, b->items[k].path);

        if (order < 0) {
            tell(ctx, a->items[i].path, a->items[i].value, NULL);
        } else if (order > 0) {
            tell(ctx, b->items[k].path, NULL, b->items[k].value);
        } else if (strcmp(a->items[i].value, b->items[k].value) != 0) {
            tell(ctx, a->items[i].path, a->items[i].value, b->items[k].value);
        }
        i += order <= 0;
        k += order >= 0;
    }
}

/* All kinds, with commas between. */
static int join(struct tch_buf *b, const struct tch_kinds *kinds, tacho_error *err)
{
    for (size_t i = 0; i < kinds->count; i++) {
        if (i > 0)
            tch_buf_adds(b, ", ");
        tch_buf_adds(b, kinds->values[i]);
    }
    if (kinds->more)
        tch_buf_adds(b, ", ...");
    return b->failed ? tch_fail_memory(err) : 0;
}

static int compare_setting(const struct tch_kinds *a, const struct tch_kinds *b, const char *name,
                           tell_fn *tell, void *ctx, tacho_error *err)
{
    struct tch_buf x;
    struct tch_buf y;
    int status;

    tch_buf_init(&x, TCH_EVENT_MAX);
    tch_buf_init(&y, TCH_EVENT_MAX);
    status = join(&x, a, err);
    if (status == 0)
        status = join(&y, b, err);
    if (status == 0 && strcmp(x.data, y.data) != 0)
        tell(ctx, name, a->count > 0 ? x.data : NULL, b->count > 0 ? y.data : NULL);
    tch_buf_release(&x);
    tch_buf_release(&y);
    return status;
}

int tch_compare_settings(const struct tch_side *a, const struct tch_side *b,
                         void (*tell)(void *ctx, const char *name, const char *a, const char *b),
                         void *ctx, tacho_error *err)
{
    struct flags x = {0};
    struct flags y = {0};
    int status = 0;

    for (size_t i = 0; i < TCH_SETTING_RUNTIME_FLAGS && status == 0; i++)
        status =
            compare_setting(&a->settings[i], &b->settings[i], tch_setting_names[i], tell, ctx, err);
    if (status < 0)
        return status;
    flatten_first(&x, &a->settings[TCH_SETTING_RUNTIME_FLAGS]);
    flatten_first(&y, &b->settings[TCH_SETTING_RUNTIME_FLAGS]);
    if (x.failed || y.failed)
        status = tch_fail_memory(err);
    else
        compare_flags(&x, &y, tell, ctx);
    release_flags(&x);
    release_flags(&y);
    return status;
}
