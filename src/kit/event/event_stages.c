/* Stages of events: finds them by name, adds up their values and keeps them. */
#include "event_stages.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/json_read.h"
#include "lib/event/event_parse.h"

enum { PATH_LIMIT = 1 << 20 };

#define SUM_MOST 1e24 /* limit of a single value, so that sums cannot overflow */

/* A value of the current event. It is added when the event is done, because a later one with the
   same name may replace it. */
struct tch_waiting {
    size_t stage;
    double value;
};

void tch_stages_init(struct tch_stages *s, const char *only, const char *by)
{
    *s = (struct tch_stages){.only = only, .by = by};
}

void tch_stages_release(struct tch_stages *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct tch_stage_group *g = &s->groups[i];

        for (size_t k = 0; k < g->count; k++) {
            free(g->stages[k].name);
            free(g->stages[k].values);
            tacho_histogram_free(g->stages[k].histogram);
        }
        free(g->stages);
        free(g->event);
        free(g->by);
    }
    free(s->groups);
    free(s->waiting);
    *s = (struct tch_stages){0};
}

static bool same_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
    return a_len == b_len && memcmp(a, b, a_len) == 0;
}

/* --- groups --- */

static bool is_group(const struct tch_stage_group *g, const struct tch_stage_group *like)
{
    return same_text(g->event, g->event_len, like->event, like->event_len) &&
           same_text(g->by, g->by_len, like->by, like->by_len);
}

struct tch_stage_group *tch_stages_find(const struct tch_stages *s,
                                        const struct tch_stage_group *like)
{
    for (size_t i = 0; i < s->count; i++)
        if (is_group(&s->groups[i], like))
            return &s->groups[i];
    return NULL;
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

/* Finds or makes the group. Returns NULL with *ret_status 0 if there are too many already. */
static struct tch_stage_group *get_group(struct tch_stages *s, const struct tch_stage_group *like,
                                         int *ret_status, tacho_error *err)
{
    struct tch_stage_group *g;

    *ret_status = 0;
    if (s->last_group < s->count && is_group(&s->groups[s->last_group], like))
        return &s->groups[s->last_group];
    g = tch_stages_find(s, like);
    if (!g && s->count == TCH_STAGES_MOST)
        return NULL;
    if (!g) {
        if (tch_array_reserve(&s->groups, &s->size, s->count + 1) < 0) {
            *ret_status = tch_fail_memory(err);
            return NULL;
        }
        g = &s->groups[s->count];
        *g = (struct tch_stage_group){.event_len = like->event_len, .by_len = like->by_len};
        g->event = copy(like->event, like->event_len);
        g->by = copy(like->by, like->by_len);
        s->count++;
        if (!g->event || !g->by) {
            *ret_status = tch_fail_memory(err);
            return NULL;
        }
    }
    s->last_group = (size_t)(g - s->groups);
    return g;
}

/* --- stages --- */

static bool ends_with(const char *name, size_t len, const char *end)
{
    size_t n = strlen(end);

    return len >= n && memcmp(name + len - n, end, n) == 0;
}

bool tch_stage_is_count(const char *name, size_t len)
{
    const char *point = memrchr(name, '.', len);
    size_t skip = point ? (size_t)(point + 1 - name) : 0;

    name += skip;
    len -= skip;
    return ends_with(name, len, "_calls") || ends_with(name, len, "_count") ||
           ends_with(name, len, "_bytes") || same_text(name, len, "calls", 5) ||
           same_text(name, len, "count", 5);
}

static size_t find_stage(const struct tch_stage_group *g, const char *name, size_t len,
                         uint64_t hash)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->stages[i].hash == hash &&
            same_text(g->stages[i].name, g->stages[i].name_len, name, len))
            return i;
    return SIZE_MAX;
}

struct tch_stage *tch_stage_find(const struct tch_stage_group *g, const struct tch_stage *like)
{
    size_t i = find_stage(g, like->name, like->name_len, like->hash);

    return i == SIZE_MAX ? NULL : &g->stages[i];
}

/*
 * Finds or makes the stage and returns its index; `hint` is where it probably is. Returns SIZE_MAX
 * with *ret_status 0 if there are too many already.
 */
static size_t get_stage(struct tch_stages *s, struct tch_stage_group *g, size_t hint,
                        const char *name, size_t len, bool top, int *ret_status, tacho_error *err)
{
    struct tch_stage *stage;
    uint64_t hash;
    size_t i;

    *ret_status = 0;
    if (hint < g->count && same_text(g->stages[hint].name, g->stages[hint].name_len, name, len))
        return hint;
    hash = tch_hash(name, len);
    i = find_stage(g, name, len, hash);
    if (i != SIZE_MAX || s->stage_count == TCH_STAGES_MOST)
        return i;
    if (tch_array_reserve(&g->stages, &g->size, g->count + 1) < 0) {
        *ret_status = tch_fail_memory(err);
        return SIZE_MAX;
    }
    stage = &g->stages[g->count];
    *stage = (struct tch_stage){
        .name = copy(name, len),
        .name_len = len,
        .is_count = tch_stage_is_count(name, len),
        .is_top = top,
        .max = -INFINITY,
        .hash = hash,
    };
    if (!stage->name) {
        *ret_status = tch_fail_memory(err);
        return SIZE_MAX;
    }
    s->stage_count++;
    return g->count++;
}

static uint64_t thousandths(double value)
{
    return value > 0 ? (uint64_t)fmin(value * 1000 + 0.5, 9e18) : 0;
}

static int make_histogram(struct tch_stage *stage, tacho_error *err)
{
    if (stage->histogram)
        return 0;
    if (tacho_histogram_new(&stage->histogram, NULL) < 0)
        return tch_fail_memory(err);
    for (size_t i = 0; i < stage->value_count; i++)
        tacho_histogram_record(stage->histogram, thousandths(stage->values[i]));
    return 0;
}

static tch_stage_sum to_parts(double value)
{
    double bounded = fmax(fmin(value, SUM_MOST), -SUM_MOST) * TCH_SUM_PARTS;

    return (tch_stage_sum)(bounded < 0 ? bounded - 0.5 : bounded + 0.5);
}

static int keep_value(struct tch_stage *stage, double value, tacho_error *err)
{
    if (stage->value_count == TCH_STAGE_EXACT)
        return 0;
    if (tch_array_reserve(&stage->values, &stage->value_size, stage->value_count + 1) < 0)
        return tch_fail_memory(err);
    stage->values[stage->value_count++] = value;
    return 0;
}

static int add_value(struct tch_stage *stage, double value, tacho_error *err)
{
    int status = 0;

    if (stage->count >= TCH_STAGE_EXACT) {
        status = make_histogram(stage, err);
        if (status == 0)
            tacho_histogram_record(stage->histogram, thousandths(value));
    } else {
        status = keep_value(stage, value, err);
    }
    if (status < 0)
        return status;
    stage->count++;
    stage->sum += to_parts(value);
    if (value > stage->max)
        stage->max = value;
    return 0;
}

/* --- events --- */

/* Adds the values of an event to their stages. */
static int add_held_values(struct tch_stages *s, struct tch_stage_group *g, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i < s->waiting_count; i++) {
        struct tch_stage *stage = &g->stages[s->waiting[i].stage];

        stage->pending = 0;
        if (status == 0)
            status = add_value(stage, s->waiting[i].value, err);
    }
    s->waiting_count = 0;
    return status;
}

/* The name of a nested stage, and where each part of it ends. */
struct path {
    struct tch_buf text;
    size_t ends[TCH_JSON_DEPTH + 1];
    unsigned depth;
};

/* Sets the full name of the stage of that key. */
static void name_stage(struct path *p, const struct tch_json_value *key)
{
    p->text.len = p->ends[p->depth];
    if (p->depth > 0)
        tch_buf_addc(&p->text, '.');
    tch_json_unescape(key, &p->text);
}

/* Reads the value of the stage that was named last. A number waits until the event is done. */
static int read_value(struct tch_stages *s, struct tch_stage_group *g, struct path *p,
                      struct tch_json_reader *r, size_t *hint, tacho_error *err)
{
    struct tch_json_value value;
    size_t i;
    int status;

    if (p->text.failed || tch_json_read(r, &value) < 0)
        return tch_fail_memory(err);
    if (value.type == TCH_JSON_OBJECT) {
        p->ends[++p->depth] = p->text.len;
        return 0;
    }
    if (value.type != TCH_JSON_NUMBER) {
        g->passed_over++;
        if (value.type == TCH_JSON_ARRAY)
            tch_json_leave(r);
        return 0;
    }
    i = get_stage(s, g, *hint, p->text.data, p->text.len, p->depth == 0, &status, err);
    if (i == SIZE_MAX) {
        s->left_out += status == 0;
        return status;
    }
    *hint = i + 1;
    if (g->stages[i].pending == 0) {
        if (tch_array_reserve(&s->waiting, &s->waiting_size, s->waiting_count + 1) < 0)
            return tch_fail_memory(err);
        s->waiting[s->waiting_count++].stage = i;
        g->stages[i].pending = s->waiting_count;
    }
    s->waiting[g->stages[i].pending - 1].value = tch_json_to_f64(&value);
    return 0;
}

static int read_stages(struct tch_stages *s, struct tch_stage_group *g, tacho_raw stage_us,
                       tacho_error *err)
{
    struct tch_json_reader r;
    struct tch_json_value key;
    struct path p = {.depth = 0};
    char mem[256];
    size_t hint = 0;
    int status = 0;

    tch_buf_init_on(&p.text, mem, sizeof mem, PATH_LIMIT);
    tch_json_open(&r, stage_us.text, stage_us.len, NULL);
    tch_json_read(&r, &key);
    while (status == 0) {
        int more = tch_json_member(&r, &key);

        if (more > 0) {
            name_stage(&p, &key);
            status = read_value(s, g, &p, &r, &hint, err);
        } else if (p.depth > 0) {
            p.depth--;
        } else {
            break;
        }
    }
    tch_buf_release(&p.text);
    return status;
}

/* Gets the last value that shape has for the key, as text. */
static void get_shape_value(tacho_raw shape, const char *by, struct tch_buf *ret)
{
    struct tch_json_reader r;
    struct tch_json_value key;
    struct tch_json_value value;

    tch_json_open(&r, shape.text, shape.len, NULL);
    tch_json_read(&r, &key);
    while (tch_json_member(&r, &key) > 0) {
        bool is_by = tch_json_is(&key, by);

        if (tch_json_read_raw(&r, &value) < 0 || !is_by)
            continue;
        tch_buf_clear(ret);
        if (value.type == TCH_JSON_STRING) {
            struct tch_json_value text = tch_raw_string((tacho_raw){value.text, value.len});

            tch_json_unescape(&text, ret);
        } else {
            tch_buf_add(ret, value.text, value.len);
        }
    }
}

int tch_stages_add(void *stages, const tacho_event_view *event, tacho_error *err)
{
    struct tch_stages *s = stages;
    struct tch_json_value name = tch_raw_string(event->event);
    char name_mem[128];
    char by_mem[128];
    struct tch_buf name_text;
    struct tch_buf by;
    struct tch_stage_group *g = NULL;
    int status = 0;

    if (s->only && !tch_json_is(&name, s->only))
        return 0;
    tch_buf_init_on(&name_text, name_mem, sizeof name_mem, event->event.len);
    tch_buf_init_on(&by, by_mem, sizeof by_mem, event->shape.len);
    tch_json_unescape(&name, &name_text);
    if (s->by)
        get_shape_value(event->shape, s->by, &by);
    if (name_text.failed || by.failed)
        status = tch_fail_memory(err);
    else
        g = get_group(s,
                      &(struct tch_stage_group){.event = name_text.data,
                                                .event_len = name_text.len,
                                                .by = by.data,
                                                .by_len = by.len},
                      &status, err);
    if (g) {
        g->events++;
        status = read_stages(s, g, event->stage_us, err);
        if (status == 0)
            status = add_held_values(s, g, err);
    } else if (status == 0) {
        s->left_out++;
    }
    tch_buf_release(&name_text);
    tch_buf_release(&by);
    return status;
}

/* --- merging --- */

static int merge_stage(struct tch_stage *to, const struct tch_stage *from, tacho_error *err)
{
    int status = 0;

    if (to->count + from->count > TCH_STAGE_EXACT) {
        status = make_histogram(to, err);
        if (status == 0 && from->histogram)
            tacho_histogram_merge(to->histogram, from->histogram);
        for (size_t i = 0; status == 0 && !from->histogram && i < from->value_count; i++)
            tacho_histogram_record(to->histogram, thousandths(from->values[i]));
    }
    for (size_t i = 0; status == 0 && i < from->value_count; i++)
        status = keep_value(to, from->values[i], err);
    to->count += from->count;
    to->sum += from->sum;
    to->max = fmax(to->max, from->max);
    return status;
}

int tch_stages_merge(struct tch_stages *s, const struct tch_stages *from, tacho_error *err)
{
    int status = 0;

    s->left_out += from->left_out;
    for (size_t i = 0; i < from->count && status == 0; i++) {
        const struct tch_stage_group *f = &from->groups[i];
        struct tch_stage_group *g = get_group(s, f, &status, err);

        s->left_out += !g && status == 0 ? f->events : 0;
        if (!g)
            continue;
        g->events += f->events;
        g->passed_over += f->passed_over;
        for (size_t k = 0; k < f->count && status == 0; k++) {
            const struct tch_stage *stage = &f->stages[k];
            size_t at =
                get_stage(s, g, k, stage->name, stage->name_len, stage->is_top, &status, err);

            if (at != SIZE_MAX)
                status = merge_stage(&g->stages[at], stage, err);
            else
                s->left_out += status == 0 ? stage->count : 0;
        }
    }
    return status;
}
