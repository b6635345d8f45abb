/* Writes the canonical form of an event. */
#include "event_canon.h"

#include "base/fail.h"
#include "base/json_canon.h"
#include "base/json_write.h"
#include "base/sized.h"
#include "event_parse.h"

static void put_raw(struct tch_buf *b, const char *key, tacho_raw raw, unsigned flags)
{
    if (raw.len == 0)
        return;
    tch_json_key(b, key);
    /* The parser has checked the value, so this fails only without memory, and then b has
       failed. */
    (void)tch_json_canon(b, raw.text, raw.len, TCH_CANON_FINITE | flags, NULL);
}

void tch_event_canon(struct tch_buf *b, const tacho_event_view *event)
{
    tch_json_begin_object(b);
    put_raw(b, "event", event->event, 0);
    put_raw(b, "commit_sha", event->commit_sha, 0);
    put_raw(b, "env_hash", event->env_hash, 0);
    put_raw(b, "model", event->model, 0);
    tch_json_put_u64(b, "concurrency", event->concurrency);
    put_raw(b, "shape", event->shape, TCH_CANON_SORTED);
    put_raw(b, "stage_us", event->stage_us, TCH_CANON_SORTED);
    tch_json_put_bool(b, "graph_enabled", event->graph_enabled);
    put_raw(b, "runtime_flags", event->runtime_flags, 0);
    put_raw(b, "source", event->source, 0);
    put_raw(b, "source_line", event->source_line, 0);
    tch_json_end_object(b);
}

int tch_event_give(struct tch_buf *b, char **ret, size_t *ret_len, tacho_error *err)
{
    size_t limit = b->limit;
    size_t len = b->len;
    char *text = tch_buf_take(b);

    if (!text)
        return tch_fail(err, len > limit / 2 ? TACHO_ELIMIT : TACHO_ENOMEM, 0,
                        "out of memory, or the event has more than %zu bytes", limit);
    *ret = text;
    if (ret_len)
        *ret_len = len;
    return 0;
}

int tacho_event_canon(const tacho_event_view *given, char **ret, size_t *ret_len, tacho_error *err)
{
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    struct tch_buf b;

    if (tch_sized_read(&event, sizeof event, given, "TACHO_EVENT_VIEW_INIT", err) < 0)
        return TACHO_EINVAL;
    /* The canonical text of a number may be longer than the number (1e15), but never ten times
       as long. */
    tch_buf_init(&b, (size_t)10 * TCH_EVENT_MAX);
    tch_event_canon(&b, &event);
    return tch_event_give(&b, ret, ret_len, err);
}
