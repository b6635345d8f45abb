/* Numbers the texts, processes and tracks of a trace. */
#include "trace_model.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/utf8.h"

void tch_model_init(struct tch_model *m)
{
    *m = (struct tch_model){0};
}

void tch_model_release(struct tch_model *m)
{
    tch_intern_release(&m->texts);
    tch_intern_release(&m->process_keys);
    tch_intern_release(&m->track_keys);
    free(m->processes);
    free(m->tracks);
    tch_model_init(m);
}

uint32_t tch_model_text(struct tch_model *m, const char *text, size_t len)
{
    struct tch_buf clean;
    uint32_t number = TCH_INTERN_NONE;

    if (m->texts.count == 0 && tch_intern_add(&m->texts, "", 0) == TCH_INTERN_NONE)
        return TCH_INTERN_NONE;
    if (tch_utf8_valid(text, len) == len)
        return tch_intern_add(&m->texts, text, len);
    tch_buf_init(&clean, 3 * len);
    tch_utf8_add(&clean, text, len);
    if (!clean.failed)
        number = tch_intern_add(&m->texts, clean.data, clean.len);
    tch_buf_release(&clean);
    return number;
}

uint32_t tch_model_process(struct tch_model *m, uint64_t pid)
{
    uint32_t count = m->process_keys.count, number;

    if (tch_array_reserve(&m->processes, &m->process_room, (size_t)count + 1) < 0)
        return TCH_INTERN_NONE;
    number = tch_intern_add(&m->process_keys, (const char *)&pid, sizeof pid);
    if (number == count)
        m->processes[number] = (struct tch_trace_process){.pid = pid};
    return number;
}

uint32_t tch_model_track(struct tch_model *m, uint64_t pid, uint64_t tid)
{
    uint64_t key[2] = {pid, tid};
    uint32_t number, process;

    number = tch_intern_find(&m->track_keys, (const char *)key, sizeof key);
    if (number != TCH_INTERN_NONE)
        return number;
    process = tch_model_process(m, pid);
    if (process == TCH_INTERN_NONE ||
        tch_array_reserve(&m->tracks, &m->track_room, (size_t)m->track_keys.count + 1) < 0)
        return TCH_INTERN_NONE;
    number = tch_intern_add(&m->track_keys, (const char *)key, sizeof key);
    if (number != TCH_INTERN_NONE)
        m->tracks[number] = (struct tch_trace_track){.process = process, .tid = tid};
    return number;
}

void tch_model_add_track_name(const struct tch_model *m, uint32_t track, struct tch_buf *b)
{
    const struct tch_trace_track *t = &m->tracks[track];
    const struct tch_trace_process *p = &m->processes[t->process];

    if (p->name)
        tch_buf_add(b, tch_intern_text(&m->texts, p->name), tch_intern_len(&m->texts, p->name));
    else
        tch_buf_addf(b, "pid %llu", (unsigned long long)p->pid);
    tch_buf_adds(b, " / ");
    if (t->name)
        tch_buf_add(b, tch_intern_text(&m->texts, t->name), tch_intern_len(&m->texts, t->name));
    else
        tch_buf_addf(b, "tid %llu", (unsigned long long)t->tid);
    if (t->nth > 0)
        tch_buf_addf(b, " (%u)", t->nth);
}
