/*
 * Turns the kernel's records, one at a time, into distinct stacks. perf_event_open(2) has the
 * layout of each record.
 *
 * Order. Each CPU has a ring. tch_flame_sampler_drain() merges the rings by time, so a record may
 * rely on those before it: a mapping is known before a sample in it. Processes that ran before the
 * capture have no such records; collect_proc.c reads them from /proc first.
 *
 *     record              changes
 *     MMAP2               objects (a new file), maps of its process (new or replaced mapping)
 *     COMM                the name of a thread; after an exec, the process has no maps
 *     FORK                maps: adds a thread, or a process with its parent's maps and name
 *     EXIT                maps: removes the thread, with the last one its process; drops its wait
 *     SAMPLE              samples, places, comms, stacks (collect_stack.c); off-CPU: begins a wait
 *     SWITCH (in)         off-CPU: ends the thread's wait and adds its time to the stack
 *     LOST, LOST_SAMPLES  lost
 *
 * State of a thread, off-CPU only: running, or waiting since a time with a stack (struct tch_wait).
 * A SAMPLE at its switch-out begins the wait. SWITCH (in) or tch_collect_end() counts it.
 *
 * Threads. One thread calls all functions of this file. The symbol worker runs in parallel and
 * reads only copies of places, and objects, which never move. An object's ELF file, kind and
 * .eh_frame do not change after its first place exists. Its .debug_frame is used by the calling
 * thread only.
 */
#include "collect_records.h"

#include <linux/perf_event.h>

#include "base/array.h"
#include "base/fail.h"
#include "collect_stack.h"

enum {
    MMAP2_NAME = 72,   /* offset of the file name */
    OBJECT_PATH = 128, /* bytes of an object's path, about */
};

/* A thread that left its CPU and has not run since. */
struct tch_wait {
    uint32_t tid;
    uint32_t stack;
    uint64_t since;
};

int tch_collect_init(struct tch_collect *c, const struct tch_collect_options *options,
                     tacho_error *err)
{
    *c = (struct tch_collect){.options = *options, .most = TCH_COLLECT_MAX};
    c->frames = malloc(TCH_STACK_DEEPEST * sizeof *c->frames);
    if (!c->frames || !tch_code_objects_init(&c->objects) || !tch_code_places_init(&c->places) ||
        tch_programs_add(&c->programs, "[unknown]") != 0)
        return tch_fail_memory(err);
    return 0;
}

void tch_collect_release(struct tch_collect *c)
{
    tch_maps_release(&c->maps);
    tch_code_objects_release(&c->objects);
    tch_code_places_release(&c->places);
    tch_programs_release(&c->programs);
    tch_intern_release(&c->comms);
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

/* Returns the name at an offset; empty if the name does not end inside the record. */
static const char *name_at(const struct perf_event_header *record, size_t at)
{
    const char *name = (const char *)record + at;

    return at < record->size && memchr(name, '\0', record->size - at) ? name : "";
}

/* Adds a mapping. The first file that a process maps is its program. */
int tch_collect_map(struct tch_collect *c, struct tch_flame_process *process, struct tch_map map,
                    tacho_error *err)
{
    struct tch_code_object *object = c->objects.list[map.object];
    const char *slash = strrchr(object->path, '/');

    if (!tch_maps_mmap(process, map))
        return tch_fail_memory(err);
    if (object->kind == TCH_OBJECT_FILE) {
        const char *file = slash ? slash + 1 : object->path;
        enum tch_runtime runtime = tch_runtime_of(file);

        if (process->program == 0)
            process->program = tch_programs_add(&c->programs, file);
        if (process->program == TCH_INTERN_NONE) {
            process->program = 0;
            return tch_fail_memory(err);
        }
        if (runtime != TCH_RUNTIME_NATIVE)
            c->programs.list[process->program].runtime = runtime;
    }
    object->program = process->program;
    return 0;
}

static int add_mapping(struct tch_collect *c, const struct perf_event_header *record,
                       tacho_error *err)
{
    uint32_t pid = word32(record, 8);
    uint64_t start = word64(record, 16);
    struct tch_map map = {.start = start, .offset = word64(record, 32)};
    struct tch_flame_thread *thread;

    if ((record->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL)
        return 0; /* a kernel module */
    if (__builtin_add_overflow(start, word64(record, 24), &map.end))
        return 0;
    thread = tch_maps_thread(&c->maps, pid, word32(record, 12));
    map.object =
        tch_code_objects_add(&c->objects, name_at(record, MMAP2_NAME), word64(record, 48), pid);
    if (!thread || map.object == TCH_INTERN_NONE)
        return tch_fail_memory(err);
    return tch_collect_map(c, thread->process, map, err);
}

static int begin_wait(struct tch_collect *c, uint32_t tid, uint64_t time, int64_t stack,
                      tacho_error *err)
{
    size_t i = 0;

    while (i < c->wait_count && c->waits[i].tid != tid)
        i++;
    if (tch_array_reserve(&c->waits, &c->wait_cap, i + 1) < 0)
        return tch_fail_memory(err);
    c->waits[i] = (struct tch_wait){tid, (uint32_t)stack, time};
    if (i == c->wait_count)
        c->wait_count++;
    return 0;
}

/* Notes that a thread did not begin to wait, but lost its CPU to another one: its stack gets a
   frame that says so. */
static int mark_preempted(struct tch_collect *c, uint32_t tid, tacho_error *err)
{
    int64_t stack;
    size_t len;

    for (size_t i = 0; i < c->wait_count; i++) {
        if (c->waits[i].tid != tid)
            continue;
        len = tch_stacks_frames(&c->stacks, c->waits[i].stack, c->frames);
        c->frames[len++] = TCH_PLACE_PREEMPTED;
        stack = tch_stacks_add(&c->stacks, c->frames, len, 0, err);
        if (stack < 0)
            return (int)stack;
        c->waits[i].stack = (uint32_t)stack;
        break;
    }
    return 0;
}

static void end_wait(struct tch_collect *c, uint32_t tid, uint64_t time)
{
    for (size_t i = 0; i < c->wait_count; i++) {
        if (c->waits[i].tid != tid)
            continue;
        if (time > c->waits[i].since) {
            uint64_t waited = (time - c->waits[i].since + 500) / 1000;

            c->stacks.list[c->waits[i].stack].count += waited;
            c->stacks.squares += (double)waited * (double)waited;
        }
        c->waits[i] = c->waits[--c->wait_count];
        return;
    }
}

/* Handles a thread that leaves or gets a CPU. The sample where it leaves precedes this record. */
static int add_switch(struct tch_collect *c, const struct perf_event_header *record,
                      tacho_error *err)
{
    uint32_t tid = word32(record, record->size - 12u);

    if (!c->options.off_cpu)
        return 0;
    if (record->misc & PERF_RECORD_MISC_SWITCH_OUT)
        return record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? mark_preempted(c, tid, err) : 0;
    end_wait(c, tid, word64(record, record->size - 8u));
    return 0;
}

void tch_collect_end(struct tch_collect *c, uint64_t time)
{
    while (c->wait_count > 0)
        end_wait(c, c->waits[c->wait_count - 1].tid, time);
}

static size_t intern_bytes(const struct tch_intern *t)
{
    return (t->slots ? (size_t)t->mask + 1 : 0) * sizeof *t->slots +
           t->list_room * sizeof *t->list + t->bytes_room;
}

bool tch_collect_refuses(struct tch_collect *c)
{
    size_t used = intern_bytes(&c->places.keys) + intern_bytes(&c->places.rows) +
                  intern_bytes(&c->comms) + intern_bytes(&c->stacks.units) +
                  intern_bytes(&c->objects.keys) + intern_bytes(&c->programs.names) +
                  c->places.cap * sizeof *c->places.list +
                  c->stacks.list_cap * sizeof *c->stacks.list +
                  c->objects.count * (sizeof **c->objects.list + OBJECT_PATH) +
                  c->programs.cap * sizeof *c->programs.list;

    if (used < c->most)
        return false;
    c->refused++;
    return true;
}

static int add_sample(struct tch_collect *c, const struct perf_event_header *record,
                      tacho_error *err)
{
    uint32_t pid = word32(record, 16);
    uint32_t tid = word32(record, 20);
    uint64_t time = word64(record, 24);
    uint64_t period = word64(record, 32);
    uint64_t weight = c->options.off_cpu ? 0 : c->options.weigh ? period : 1;
    int64_t stack;

    if (tch_collect_refuses(c))
        return 0;
    c->samples++;
    stack = tch_collect_stack(c, record, pid, tid, weight, err);
    if (stack < 0)
        return (int)stack;
    return c->options.off_cpu ? begin_wait(c, tid, time, stack, err) : 0;
}

int tch_collect_record(void *ctx, const struct perf_event_header *record, tacho_error *err)
{
    struct tch_collect *c = ctx;

    switch (record->type) {
    case PERF_RECORD_SAMPLE:
        return add_sample(c, record, err);
    case PERF_RECORD_MMAP2:
        return add_mapping(c, record, err);
    case PERF_RECORD_COMM:
        return tch_maps_comm(&c->maps, word32(record, 8), word32(record, 12), name_at(record, 16),
                             record->misc & PERF_RECORD_MISC_COMM_EXEC)
                   ? 0
                   : tch_fail_memory(err);
    case PERF_RECORD_FORK: /* pid, parent's pid, tid, parent's tid */
        return tch_maps_fork(&c->maps, word32(record, 8), word32(record, 16), word32(record, 12),
                             word32(record, 20))
                   ? 0
                   : tch_fail_memory(err);
    case PERF_RECORD_EXIT:
        tch_maps_exit(&c->maps, word32(record, 16));
        end_wait(c, word32(record, 16), 0);
        return 0;
    case PERF_RECORD_SWITCH:
        return add_switch(c, record, err);
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
