/* Collects the settings of the process from all events of a file, and finds those that differ. */
#include "event_settings.h"

#include <stdlib.h>

#include <tacho/fingerprint.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/json_canon.h"
#include "base/json_read.h"
#include "lib/event/event_parse.h"

const char *const tch_setting_names[TCH_SETTINGS] = {
    "commit_sha", "env_hash", "model", "concurrency", "graph_enabled", "runtime_flags",
};

void tch_event_side_init(struct tch_event_side *side, const char *only, const char *by)
{
    *side = (struct tch_event_side){0};
    tch_stages_init(&side->stages, only, by);
}

void tch_event_side_release(struct tch_event_side *side)
{
    tch_stages_release(&side->stages);
    for (size_t i = 0; i < TCH_SETTINGS; i++) {
        for (size_t k = 0; k < side->settings[i].count; k++)
            free(side->settings[i].values[k]);
        free(side->settings[i].raw);
    }
}

static int keep_raw(struct tch_event_kinds *kinds, tacho_raw raw, tacho_error *err)
{
    if (tch_array_reserve(&kinds->raw, &kinds->raw_room, raw.len + 1) < 0)
        return tch_fail_memory(err);
    memcpy(kinds->raw, raw.text, raw.len);
    kinds->raw_len = raw.len;
    return 0;
}

/* Adds the value of a setting to those that were found, in canonical form. */
static int add_kind(struct tch_event_kinds *kinds, tacho_raw raw, tacho_error *err)
{
    struct tch_buf b;
    char *value;

    if (kinds->raw && kinds->raw_len == raw.len && memcmp(kinds->raw, raw.text, raw.len) == 0)
        return 0;
    tch_buf_init(&b, (size_t)10 * TCH_EVENT_MAX);
    if (tch_json_canon(&b, raw.text, raw.len, TCH_CANON_FINITE, NULL) < 0)
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

int tch_event_side_add(void *worker, const tacho_event_view *event, tacho_error *err)
{
    struct tch_event_side *side = worker;
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

typedef void report_fn(void *ctx, const char *name, const char *a, const char *b);

/* The receiver of differences of runtime_flags. */
struct flags_report {
    report_fn *report;
    void *ctx;
    struct tch_buf name;
};

/* Reports a difference that tacho_json_diff() found. */
static int report_flag(const char *path, const char *a, const char *b, void *arg)
{
    struct flags_report *f = arg;

    if (!path[0])
        return 0; /* one of the two is an empty object */
    tch_buf_clear(&f->name);
    tch_buf_addf(&f->name, "%s.%s", tch_setting_names[TCH_SETTING_RUNTIME_FLAGS], path);
    if (f->name.failed)
        return TACHO_ENOMEM;
    f->report(f->ctx, f->name.data, a, b);
    return 0;
}

static int compare_flags(const struct tch_event_kinds *a, const struct tch_event_kinds *b,
                         report_fn *report, void *ctx, tacho_error *err)
{
    const char *x = a->count > 0 ? a->values[0] : "{}";
    const char *y = b->count > 0 ? b->values[0] : "{}";
    struct flags_report f = {.report = report, .ctx = ctx};
    int status;

    tch_buf_init(&f.name, TCH_EVENT_MAX);
    status = tacho_json_diff(x, strlen(x), y, strlen(y), report_flag, &f, err);
    if (f.name.failed)
        status = tch_fail_memory(err);
    tch_buf_release(&f.name);
    return status;
}

/* Adds all kinds, separated by commas. */
static int join(struct tch_buf *b, const struct tch_event_kinds *kinds, tacho_error *err)
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

static int compare_setting(const struct tch_event_kinds *a, const struct tch_event_kinds *b,
                           const char *name, report_fn *report, void *ctx, tacho_error *err)
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
        report(ctx, name, a->count > 0 ? x.data : NULL, b->count > 0 ? y.data : NULL);
    tch_buf_release(&x);
    tch_buf_release(&y);
    return status;
}

int tch_compare_settings(const struct tch_event_side *a, const struct tch_event_side *b,
                         void (*report)(void *ctx, const char *name, const char *a, const char *b),
                         void *ctx, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i < TCH_SETTING_RUNTIME_FLAGS && status == 0; i++)
        status = compare_setting(&a->settings[i], &b->settings[i], tch_setting_names[i], report,
                                 ctx, err);
    if (status < 0)
        return status;
    return compare_flags(&a->settings[TCH_SETTING_RUNTIME_FLAGS],
                         &b->settings[TCH_SETTING_RUNTIME_FLAGS], report, ctx, err);
}
