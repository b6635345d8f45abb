/* Records, one kind after the other. The layout of each is in perf_event_open(2). */
#include "collect_records.h"

#include <linux/perf_event.h>

#include "base/fail.h"
#include "kit/flame/grow.h"

enum { MMAP2_NAME = 72 }; /* where the file name stands */

/* A thread that left its CPU. */
struct tch_wait {
    uint32_t tid;
    uint32_t stack;
    uint64_t since;
};

static int no_memory(tacho_error *err)
{
    return tch_fail(err, TACHO_ENOMEM, 0, "out of memory");
}

int tch_collect_init(struct tch_collect *c, const struct tch_collect_options *options,
                     tacho_error *err)
{
    *c = (struct tch_collect){.options = *options};
    c->frames = malloc(TCH_STACK_DEEPEST * sizeof *c->frames);
    if (!c->frames || !tch_objects_init(&c->objects) || !tch_places_init(&c->places))
        return no_memory(err);
    return 0;
}

void tch_collect_release(struct tch_collect *c)
{
    tch_maps_release(&c->maps);
    tch_objects_release(&c->objects);
    tch_places_release(&c->places);
    tch_names_release(&c->comms);
    tch_stacks_release(&c->stacks);
    free(c->frames);
    free(c->waits);
    *c = (struct tch_collect){0};
}

static uint32_t word32(const struct perf_event_header *record, size_t at)
{
    uint32_t value = 0;

    if (at + sizeof value <= record->size)
        memcpy(&value, (const uint8_t *)record + at, sizeof value);
    return value;
}

static uint64_t word64(const struct perf_event_header *record, size_t at)
{
    uint64_t value = 0;

    if (at + sizeof value <= record->size)
        memcpy(&value, (const uint8_t *)record + at, sizeof value);
    return value;
}

/* A name inside of a record, which ends before the record does. */
static const char *name_at(const struct perf_event_header *record, size_t at)
{
    const char *name = (const char *)record + at;

    return at < record->size && memchr(name, '\0', record->size - at) ? name : "";
}

static int take_mmap(struct tch_collect *c, const struct perf_event_header *record,
                     tacho_error *err)
{
    uint32_t pid = word32(record, 8);
    uint64_t start = word64(record, 16);
    struct tch_map map = {.start = start, .offset = word64(record, 32)};
    struct tch_thread *thread;
    int64_t object;

    if ((record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
        return 0; /* a module */
    if (__builtin_add_overflow(start, word64(record, 24), &map.end))
        return 0;
    thread = tch_maps_thread(&c->maps, pid, word32(record, 12));
    object = tch_objects_add(&c->objects, name_at(record, MMAP2_NAME), word64(record, 48), pid);
    if (!thread || object < 0)
        return no_memory(err);
    map.object = (uint32_t)object;
    return tch_maps_mmap(thread->process, map) ? 0 : no_memory(err);
}

/* Off the CPU: the sample comes when the thread leaves, the switch record when it is back. */

static int begin_wait(struct tch_collect *c, uint32_t tid, uint64_t time, int64_t stack,
                      tacho_error *err)
{
    size_t i = 0;

    while (i < c->wait_count && c->waits[i].tid != tid)
        i++;
    if (!tch_grow((void **)&c->waits, &c->wait_cap, i + 1, sizeof *c->waits))
        return no_memory(err);
    c->waits[i] = (struct tch_wait){tid, (uint32_t)stack, time};
    if (i == c->wait_count)
        c->wait_count++;
    return 0;
}

static void end_wait(struct tch_collect *c, uint32_t tid, uint64_t time)
{
    for (size_t i = 0; i < c->wait_count; i++) {
        if (c->waits[i].tid != tid)
            continue;
        if (time > c->waits[i].since)
            c->stacks.list[c->waits[i].stack].count += (time - c->waits[i].since + 500) / 1000;
        c->waits[i] = c->waits[--c->wait_count];
        return;
    }
}

void tch_collect_end(struct tch_collect *c, uint64_t time)
{
    while (c->wait_count > 0)
        end_wait(c, c->waits[c->wait_count - 1].tid, time);
}

static void take_switch(struct tch_collect *c, const struct perf_event_header *record)
{
    if (c->options.off_cpu && !(record->misc & PERF_RECORD_MISC_SWITCH_OUT))
        end_wait(c, word32(record, record->size - 12u), word64(record, record->size - 8u));
}

static int take_sample(struct tch_collect *c, const struct perf_event_header *record,
                       tacho_error *err)
{
    uint32_t pid = word32(record, 16);
    uint32_t tid = word32(record, 20);
    uint64_t time = word64(record, 24);
    uint64_t period = word64(record, 32);
    uint64_t weight = c->options.off_cpu ? 0 : c->options.weigh ? period : 1;
    int64_t stack;

    c->samples++;
    stack = tch_collect_stack(c, record, pid, tid, weight, err);
    if (stack < 0)
        return (int)stack;
    return c->options.off_cpu ? begin_wait(c, tid, time, stack, err) : 0;
}

static int take_task(struct tch_collect *c, const struct perf_event_header *record,
                     tacho_error *err)
{
    uint32_t pid = word32(record, 8);
    uint32_t parent = word32(record, 12);
    uint32_t tid = word32(record, 16);
    uint32_t parent_tid = word32(record, 20);

    if (record->type == PERF_RECORD_FORK)
        return tch_maps_fork(&c->maps, pid, tid, parent, parent_tid) ? 0 : no_memory(err);
    tch_maps_exit(&c->maps, tid);
    end_wait(c, tid, 0);
    return 0;
}

int tch_collect_take(void *ctx, const struct perf_event_header *record, tacho_error *err)
{
    struct tch_collect *c = ctx;

    switch (record->type) {
    case PERF_RECORD_SAMPLE:
        return take_sample(c, record, err);
    case PERF_RECORD_MMAP2:
        return take_mmap(c, record, err);
    case PERF_RECORD_COMM:
        return tch_maps_comm(&c->maps, word32(record, 8), word32(record, 12), name_at(record, 16),
                             record->misc & PERF_RECORD_MISC_COMM_EXEC)
                   ? 0
                   : no_memory(err);
    case PERF_RECORD_FORK:
    case PERF_RECORD_EXIT:
        return take_task(c, record, err);
    case PERF_RECORD_SWITCH:
        take_switch(c, record);
        return 0;
    case PERF_RECORD_LOST:
        c->lost += word64(record, 16);
        return 0;
    case PERF_RECORD_LOST_SAMPLES:
        c->lost += word64(record, 8);
        return 0;
    default:
        return 0;
    }
}
