/* Chrome JSON from the model: an array, or an object that has one. */
#include <stdio.h>
#include <string.h>

#include "base/float_text.h"
#include "base/json_write.h"
#include "trace_write.h"

enum { LANE_TID = 0x50000000 }; /* the first tid of lanes that overlaps needed */

static int end_event(struct tch_writer *w)
{
    tch_json_end_object(&w->text);
    if (w->text.failed)
        return tch_writer_no_memory(w);
    if (w->any)
        tch_writer_put(w, ",\n", 2);
    w->any = true;
    return tch_writer_put(w, w->text.data, w->text.len);
}

static void add_text(struct tch_writer *w, const char *key, uint32_t text)
{
    tch_json_key(&w->text, key);
    tch_json_string(&w->text, tch_intern_text(&w->m->texts, text),
                    tch_intern_len(&w->m->texts, text));
}

static void add_u64(struct tch_writer *w, const char *key, uint64_t value)
{
    tch_json_key(&w->text, key);
    tch_json_u64(&w->text, value);
}

/* Microseconds, with three decimals where there are any. */
static void add_us(struct tch_writer *w, const char *key, int64_t ns)
{
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    char text[TCH_U64_TEXT + 8];
    size_t len = 0;

    if (ns < 0)
        text[len++] = '-';
    len += tch_u64_text(text + len, size / 1000);
    if (size % 1000 > 0)
        len += (size_t)snprintf(text + len, 5, ".%03u", (unsigned)(size % 1000));
    tch_json_key(&w->text, key);
    tch_json_raw(&w->text, text, len);
}

static void begin_metadata(struct tch_writer *w, const char *what, uint64_t pid)
{
    tch_buf_clear(&w->text);
    tch_json_begin_object(&w->text);
    tch_json_key(&w->text, "name");
    tch_json_text(&w->text, what);
    tch_json_key(&w->text, "ph");
    tch_json_text(&w->text, "M");
    add_u64(w, "pid", pid);
}

static int end_metadata(struct tch_writer *w, const char *key, uint32_t text, int64_t number)
{
    tch_json_key(&w->text, "args");
    tch_json_begin_object(&w->text);
    if (text != TCH_INTERN_NONE) {
        add_text(w, key, text);
    } else {
        tch_json_key(&w->text, key);
        tch_json_i64(&w->text, number);
    }
    tch_json_end_object(&w->text);
    return end_event(w);
}

static void tell_process(struct tch_writer *w, const struct tch_process *p)
{
    if (p->name) {
        begin_metadata(w, "process_name", p->pid);
        end_metadata(w, "name", p->name, 0);
    }
    if (p->labels) {
        begin_metadata(w, "process_labels", p->pid);
        end_metadata(w, "labels", p->labels, 0);
    }
    if (p->sorted) {
        begin_metadata(w, "process_sort_index", p->pid);
        end_metadata(w, "sort_index", TCH_INTERN_NONE, p->sort);
    }
}

static void tell_track(struct tch_writer *w, const struct tch_track *t)
{
    uint64_t pid = w->m->processes[t->process].pid;

    if (t->name) {
        begin_metadata(w, "thread_name", pid);
        add_u64(w, "tid", t->tid);
        end_metadata(w, "name", t->name, 0);
    }
    if (t->sorted) {
        begin_metadata(w, "thread_sort_index", pid);
        add_u64(w, "tid", t->tid);
        end_metadata(w, "sort_index", TCH_INTERN_NONE, t->sort);
    }
}

static int begin(struct tch_writer *w)
{
    static const char object[] = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";

    if (w->options.object)
        tch_writer_put(w, object, sizeof object - 1);
    else
        tch_writer_put(w, "[", 1);
    for (uint32_t i = 0; i < tch_model_process_count(w->m); i++)
        tell_process(w, &w->m->processes[i]);
    for (uint32_t i = 0; i < tch_model_track_count(w->m); i++)
        tell_track(w, &w->m->tracks[i]);
    return w->out.status;
}

/* The tid of a lane; the first span in it brings its name. */
static int lane_tid(struct tch_writer *w, const struct tch_ev *ev, uint32_t lane, uint64_t *ret)
{
    const struct tch_track *t = &w->m->tracks[ev->track];
    uint64_t pid = w->m->processes[t->process].pid;
    uint64_t tid = LANE_TID + (uint64_t)ev->track * 64 + (lane < 63 ? lane : 63);
    uint32_t count = tch_model_track_count(w->m), name = t->name, track;
    struct tch_buf text;

    *ret = tid;
    track = tch_model_track(w->m, pid, tid);
    if (track == TCH_INTERN_NONE)
        return tch_writer_no_memory(w);
    if (track < count)
        return 0;
    tch_buf_init(&text, 1 << 20);
    if (name)
        tch_buf_adds(&text, tch_intern_text(&w->m->texts, name));
    else
        tch_buf_addf(&text, "%llu", (unsigned long long)w->m->tracks[ev->track].tid);
    tch_buf_addf(&text, " (overlaps %u)", (unsigned)lane);
    name = tch_intern_add(&w->m->texts, text.data, text.len);
    tch_buf_release(&text);
    if (name == TCH_INTERN_NONE)
        return tch_writer_no_memory(w);
    w->m->tracks[track].name = name;
    tell_track(w, &w->m->tracks[track]);
    return w->out.status;
}

static void add_special(struct tch_writer *w, const struct tch_ev *ev)
{
    char text[24];

    switch (ev->kind) {
    case TCH_EV_SPAN:
        add_us(w, "dur", ev->dur);
        break;
    case TCH_EV_INSTANT:
        snprintf(text, sizeof text, "%c", ev->scope);
        tch_json_key(&w->text, "s");
        tch_json_text(&w->text, text);
        break;
    case TCH_EV_FLOW:
    case TCH_EV_ASYNC:
        snprintf(text, sizeof text, "0x%llx", (unsigned long long)ev->id);
        tch_json_key(&w->text, "id");
        tch_json_text(&w->text, text);
        if (ev->flags & TCH_EV_ENCLOSING) {
            tch_json_key(&w->text, "bp");
            tch_json_text(&w->text, "e");
        }
        break;
    default:
        break;
    }
}

static int add(struct tch_writer *w, const struct tch_ev *ev, uint32_t lane)
{
    uint64_t tid = w->m->tracks[ev->track].tid;
    char phase[2] = {ev->phase, '\0'};

    if (lane > 0 && lane_tid(w, ev, lane, &tid) < 0)
        return w->out.status;
    tch_buf_clear(&w->text);
    tch_json_begin_object(&w->text);
    add_text(w, "name", ev->name);
    add_text(w, "cat", ev->category);
    tch_json_key(&w->text, "ph");
    tch_json_text(&w->text, phase);
    add_us(w, "ts", ev->ts);
    add_special(w, ev);
    add_u64(w, "pid", w->m->processes[w->m->tracks[ev->track].process].pid);
    add_u64(w, "tid", tid);
    if (ev->args_len > 0) {
        tch_json_key(&w->text, "args");
        tch_json_raw(&w->text, ev->args, ev->args_len);
    }
    return end_event(w);
}

static int finish(struct tch_writer *w)
{
    return w->options.object ? tch_writer_put(w, "\n]}\n", 4) : tch_writer_put(w, "\n]\n", 3);
}

const struct tch_write_format tch_trace_as_chrome = {.extension = ".json",
                                                     .name = "Chrome JSON",
                                                     .labels = true,
                                                     .begin = begin,
                                                     .add = add,
                                                     .finish = finish};

const struct tch_write_format tch_trace_as_chrome_gz = {.extension = ".json.gz",
                                                        .name = "Chrome JSON, gzip",
                                                        .labels = true,
                                                        .begin = begin,
                                                        .add = add,
                                                        .finish = finish};
