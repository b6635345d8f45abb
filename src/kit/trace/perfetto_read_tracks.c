/* Reads Perfetto's format: processes, threads and tracks, from their descriptors. */
#include "perfetto_read_tracks.h"

#include "base/array.h"
#include "base/fail.h"

struct tch_pf_track *tch_pf_track_of(struct tch_pf_reader *p, uint64_t uuid)
{
    uint32_t number = tch_intern_add(&p->track_keys, (const char *)&uuid, sizeof uuid);

    if (number == TCH_INTERN_NONE ||
        tch_array_reserve_zero(&p->tracks, &p->track_room, (size_t)number + 1) < 0)
        return NULL;
    p->tracks[number].uuid = uuid;
    return &p->tracks[number];
}

static int set_text(struct tch_pf_reader *p, const struct tch_pb_field *f, uint32_t *ret)
{
    *ret = tch_intern_add(&p->r->m->texts, (const char *)f->data, f->len);
    return *ret == TCH_INTERN_NONE ? tch_fail_memory(p->r->err) : 0;
}

/* Adds a label. Several labels are joined in p->args and become one text when all are read. */
static void add_label(struct tch_pf_reader *p, const struct tch_pb_field *f)
{
    if (p->args.len > 0)
        tch_buf_adds(&p->args, ", ");
    tch_buf_add(&p->args, (const char *)f->data, f->len);
}

static int set_labels(struct tch_pf_reader *p, uint32_t *ret)
{
    if (p->args.failed)
        return tch_fail_memory(p->r->err);
    if (p->args.len == 0)
        return 0;
    *ret = tch_intern_add(&p->r->m->texts, p->args.data, p->args.len);
    return *ret == TCH_INTERN_NONE ? tch_fail_memory(p->r->err) : 0;
}

static void set_sort(struct tch_pf_track *t, uint64_t value)
{
    t->sort = (int64_t)value;
    t->sorted = true;
}

static int read_process(struct tch_pf_reader *p, struct tch_pf_track *t, struct tch_pb_reader *r)
{
    struct tch_pb_field f;
    int status = 0;

    t->kind = TCH_PF_KIND_PROCESS;
    while (status == 0 && tch_pb_next(r, &f) > 0) {
        if (f.number == TCH_PF_PROCESS_PID && f.type == TCH_PB_VARINT)
            t->pid = f.value;
        else if (f.number == TCH_PF_PROCESS_SORT && f.type == TCH_PB_VARINT)
            set_sort(t, f.value);
        else if (f.number == TCH_PF_PROCESS_NAME && f.type == TCH_PB_BYTES)
            status = set_text(p, &f, &t->name);
        else if (f.number == TCH_PF_PROCESS_LABELS && f.type == TCH_PB_BYTES)
            add_label(p, &f);
    }
    return status;
}

static int read_thread(struct tch_pf_reader *p, struct tch_pf_track *t, struct tch_pb_reader *r)
{
    struct tch_pb_field f;
    int status = 0;

    t->kind = TCH_PF_KIND_THREAD;
    while (status == 0 && tch_pb_next(r, &f) > 0) {
        if (f.number == TCH_PF_THREAD_PID && f.type == TCH_PB_VARINT)
            t->pid = f.value;
        else if (f.number == TCH_PF_THREAD_TID && f.type == TCH_PB_VARINT)
            t->tid = f.value;
        else if (f.number == TCH_PF_THREAD_SORT && f.type == TCH_PB_VARINT)
            set_sort(t, f.value);
        else if (f.number == TCH_PF_THREAD_NAME && f.type == TCH_PB_BYTES)
            status = set_text(p, &f, &t->name);
    }
    return status;
}

static int read_counter(struct tch_pf_reader *p, struct tch_pf_track *t, struct tch_pb_reader *r)
{
    struct tch_pb_field f;
    int status = 0;

    t->counter = true;
    while (status == 0 && tch_pb_next(r, &f) > 0)
        if (f.number == TCH_PF_COUNTER_UNIT_NAME && f.type == TCH_PB_BYTES)
            status = set_text(p, &f, &t->unit);
    return status;
}

/* Reads the process, thread or counter part of a track descriptor. */
static int read_part(struct tch_pf_reader *p, struct tch_pf_track *t,
                     const struct tch_pb_field *part)
{
    struct tch_pb_reader r;

    tch_pb_open(&r, part->data, part->len);
    return part->number == TCH_PF_TRACK_PROCESS  ? read_process(p, t, &r)
           : part->number == TCH_PF_TRACK_THREAD ? read_thread(p, t, &r)
                                                 : read_counter(p, t, &r);
}

/* Names a process or a thread in the model. */
static int name_in_model(struct tch_pf_reader *p, const struct tch_pf_track *t)
{
    struct tch_model *m = p->r->m;
    uint32_t number;

    if (t->kind == TCH_PF_KIND_PROCESS) {
        number = tch_model_process(m, t->pid);
        if (number == TCH_INTERN_NONE)
            return tch_fail_memory(p->r->err);
        if (t->name)
            m->processes[number].name = t->name;
        if (t->labels)
            m->processes[number].labels = t->labels;
        if (t->sorted) {
            m->processes[number].sort = t->sort;
            m->processes[number].sorted = true;
        }
    } else if (t->kind == TCH_PF_KIND_THREAD) {
        number = tch_model_track(m, t->pid, t->tid);
        if (number == TCH_INTERN_NONE)
            return tch_fail_memory(p->r->err);
        if (t->name)
            m->tracks[number].name = t->name;
        if (t->sorted) {
            m->tracks[number].sort = t->sort;
            m->tracks[number].sorted = true;
        }
    }
    return 0;
}

int tch_pf_read_track(struct tch_pf_reader *p, const struct tch_pb_field *descriptor)
{
    struct tch_pf_track got = {0}, *t;
    struct tch_pb_reader r;
    struct tch_pb_field f;
    int status = 0;

    tch_buf_clear(&p->args);
    tch_pb_open(&r, descriptor->data, descriptor->len);
    while (status == 0 && tch_pb_next(&r, &f) > 0) {
        if (f.number == TCH_PF_TRACK_UUID && f.type == TCH_PB_VARINT)
            got.uuid = f.value;
        else if (f.number == TCH_PF_TRACK_PARENT && f.type == TCH_PB_VARINT)
            got.parent = f.value;
        else if (f.number == TCH_PF_TRACK_SORT && f.type == TCH_PB_VARINT)
            set_sort(&got, f.value);
        else if ((f.number == TCH_PF_TRACK_NAME || f.number == TCH_PF_TRACK_STATIC_NAME) &&
                 f.type == TCH_PB_BYTES)
            status = set_text(p, &f, &got.name);
        else if (f.type == TCH_PB_BYTES &&
                 (f.number == TCH_PF_TRACK_PROCESS || f.number == TCH_PF_TRACK_THREAD ||
                  f.number == TCH_PF_TRACK_COUNTER))
            status = read_part(p, &got, &f);
    }
    if (status == 0)
        status = set_labels(p, &got.labels);
    if (status < 0)
        return status;
    t = tch_pf_track_of(p, got.uuid);
    if (!t)
        return tch_fail_memory(p->r->err);
    got.model = t->model;
    got.told = true;
    *t = got;
    return name_in_model(p, t);
}
