/* An event as a C struct: checks it, writes it as JSON and reads it from JSON. Also lists of
   events. */
#include <stdlib.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/json_write.h"
#include "base/sized.h"
#include "base/utf8.h"
#include "event_block.h"
#include "event_canon.h"
#include "event_config.h"
#include "event_fields.h"
#include "event_parse.h"

/* Returns why the event is not valid, or NULL. Reports the first broken rule in the order of the
   parser. */
static const char *find_fault(const tacho_event *event, const tacho_event_config *config)
{
    if (!event->event || tch_utf8_is_blank(event->event, strlen(event->event)))
        return TCH_BAD_EVENT;
    return tch_event_config_check(config);
}

static void put_text_or_nothing(struct tch_buf *b, const char *key, const char *text)
{
    if (text)
        tch_json_put_text(b, key, text);
}

int tch_event_put(struct tch_buf *b, const tacho_event *given, tacho_error *err)
{
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    tacho_event event;
    const char *fault;
    int status = tch_sized_read(&event, sizeof event, given, "TACHO_EVENT_INIT", err);

    if (status < 0)
        return status;
    config.commit_sha = event.commit_sha;
    config.env_hash = event.env_hash;
    config.model = event.model;
    config.runtime_flags = event.runtime_flags;
    config.concurrency = event.concurrency;
    fault = find_fault(&event, &config);
    if (fault)
        return tch_fail(err, TACHO_EINVAL, 0, "%s", fault);
    tch_json_begin_object(b);
    tch_json_put_text(b, "event", event.event);
    tch_event_config_head(b, &config);
    tch_json_key(b, "shape");
    status = tch_fields_put(b, event.shape, err);
    if (status < 0)
        return status;
    tch_json_key(b, "stage_us");
    status = tch_fields_put(b, event.stage_us, err);
    tch_json_put_bool(b, "graph_enabled", event.graph_enabled);
    tch_event_config_flags(b, &config);
    put_text_or_nothing(b, "source", event.source);
    put_text_or_nothing(b, "source_line", event.source_line);
    tch_json_end_object(b);
    return status;
}

int tacho_event_to_json(const tacho_event *event, char **ret, size_t *ret_len, tacho_error *err)
{
    struct tch_buf b;
    int status;

    tch_buf_init(&b, TCH_EVENT_MAX);
    status = tch_event_put(&b, event, err);
    if (status == 0)
        status = tch_event_give(&b, ret, ret_len, err);
    tch_buf_release(&b);
    return status;
}

int tacho_event_validate(const tacho_event *event, tacho_error *err)
{
    char *json = NULL;
    size_t len;
    int status = tacho_event_to_json(event, &json, &len, err);

    free(json);
    return status;
}

static int read_texts(struct tch_event_block *block, const tacho_event_view *view,
                      tacho_event *event, tacho_error *err)
{
    const struct {
        const char *name;
        tacho_raw text;
        const char **to;
    } texts[] = {
        {"event", view->event, &event->event},
        {"commit_sha", view->commit_sha, &event->commit_sha},
        {"env_hash", view->env_hash, &event->env_hash},
        {"model", view->model, &event->model},
        {"source", view->source, &event->source},
        {"source_line", view->source_line, &event->source_line},
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        int status = tch_event_block_text(block, texts[i].text, texts[i].name, texts[i].to, err);

        if (status < 0)
            return status;
    }
    return 0;
}

/* Makes the struct of an event from its canonical form of `len` bytes. */
static int make_event(const tacho_event_view *view, size_t len, tacho_event **ret, tacho_error *err)
{
    size_t shape = tch_fields_count(view->shape);
    size_t stages = tch_fields_count(view->stage_us);
    struct tch_event_block block;
    tacho_event *event =
        tch_event_block_new(&block, sizeof *event + (shape + stages) * sizeof(tacho_field), len);
    tacho_field *fields = (tacho_field *)(event + 1);
    int status;

    if (!event)
        return tch_fail_memory(err);
    event->size = sizeof *event;
    event->concurrency = view->concurrency;
    event->graph_enabled = view->graph_enabled;
    event->shape = (tacho_fields){fields, shape};
    event->stage_us = (tacho_fields){fields + shape, stages};
    event->runtime_flags = tch_event_block_raw(&block, view->runtime_flags);
    status = read_texts(&block, view, event, err);
    if (status < 0)
        goto out;
    status = tch_fields_read(&block, view->shape, fields, err);
    if (status < 0)
        goto out;
    status = tch_fields_read(&block, view->stage_us, fields + shape, err);
    if (status < 0)
        goto out;
    *ret = event;
    return 0;
out:
    free(event);
    return status;
}

int tacho_event_from_json(const char *json, size_t len, tacho_event **ret, tacho_error *err)
{
    tacho_event_view view = TACHO_EVENT_VIEW_INIT;
    char *canon = NULL;
    int status = tacho_event_parse(json, len, &view, err);

    if (status == 0)
        status = tacho_event_canon(&view, &canon, &len, err);
    if (status < 0)
        return status;
    status = tacho_event_parse(canon, len, &view, err);
    if (status == 0)
        status = make_event(&view, len, ret, err);
    free(canon);
    return status;
}

/* Lists of events. */

struct tacho_event_list {
    tacho_event **events;
    size_t room;
    size_t count;
};

/* Parses a line and adds its event to the list. */
static int add_line(tacho_event_list *list, const struct tch_line *line, tacho_error *err)
{
    int status = tch_event_check_length(line, err);

    if (status < 0)
        return status;
    if (tch_array_reserve(&list->events, &list->room, list->count + 1) < 0)
        return tch_fail_memory(err);
    status = tacho_event_from_json(line->text, line->len, &list->events[list->count], err);
    if (status == 0)
        list->count++;
    else if (err)
        err->line = line->number;
    return status;
}

int tacho_event_list_from_jsonl(const char *text, size_t len, tacho_event_list **ret,
                                tacho_error *err)
{
    tacho_event_list *list = calloc(1, sizeof *list);
    struct tch_lines lines;
    struct tch_line line;
    int status = 0;

    if (!list)
        return tch_fail_memory(err);
    tch_lines_init_mem(&lines, text, len, TCH_EVENT_MAX);
    while (status == 0 && tch_lines_next(&lines, &line, NULL) > 0)
        if (line.too_long || !tch_utf8_is_blank(line.text, line.len))
            status = add_line(list, &line, err);
    tch_lines_release(&lines);
    if (status == 0)
        *ret = list;
    else
        tacho_event_list_free(list);
    return status;
}

void tacho_event_list_free(tacho_event_list *list)
{
    if (!list)
        return;
    for (size_t i = 0; i < list->count; i++)
        free(list->events[i]);
    free(list->events);
    free(list);
}

size_t tacho_event_list_count(const tacho_event_list *list)
{
    return list->count;
}

tacho_event *tacho_event_list_at(tacho_event_list *list, size_t i)
{
    return i < list->count ? list->events[i] : NULL;
}

int tacho_event_list_require(const tacho_event_list *list, const char *const *names, size_t count,
                             tacho_error *err)
{
    tacho_event_groups *groups;
    int status = tacho_event_groups_new(names, count, &groups, err);

    if (status < 0)
        return status;
    for (size_t i = 0; i < list->count; i++)
        tacho_event_groups_see_name(groups, list->events[i]->event);
    status = tacho_event_groups_check(groups, err);
    tacho_event_groups_free(groups);
    return status;
}
