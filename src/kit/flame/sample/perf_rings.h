/*
 * Samples from the kernel: perf events of a command, of a process or of the whole machine, one
 * ring buffer per CPU, handed on in the order of time.
 *
 *     tch_flame_sampler_open(&s, &options, &err);       of what this thread starts from now on
 *     tch_spawn(...);                             sampling begins with its exec
 *     while (running) {
 *         poll(s.polls, s.poll_count, s.drain_ms);
 *         tch_flame_sampler_drain(&s, now - TCH_FLAME_SAMPLER_SLACK, on_record, ctx, &err);
 *     }
 *     tch_flame_sampler_stop(&s);
 *     tch_flame_sampler_drain(&s, UINT64_MAX, on_record, ctx, &err);
 *     tch_flame_sampler_close(&s);
 */
#ifndef TCH_PERF_RINGS_H
#define TCH_PERF_RINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <tacho/error.h>

enum {
    TCH_FLAME_SAMPLER_SLACK =
        1000 * 1000, /**< ns: younger records may still be overtaken by others */
    TCH_STACK_COPY = 16 * 1024,
    TCH_STACK_COPY_MAX = 63 * 1024, /* a record's length is 16 bits */
};

enum tch_space { TCH_SPACE_BOTH, TCH_SPACE_USER, TCH_SPACE_KERNEL };

enum tch_flame_target { TCH_FLAME_TARGET_CHILD, TCH_FLAME_TARGET_PROCESS, TCH_FLAME_TARGET_ALL };

struct tch_flame_sampler_options {
    enum tch_flame_target target;
    pid_t pid;            /**< for TCH_FLAME_TARGET_PROCESS */
    bool tree;            /**< and the children that it has already */
    const char *event;    /**< or NULL: cycles where there are any, else cpu-clock */
    uint64_t rate;        /**< samples per second and CPU */
    uint32_t stack_bytes; /**< of the user stack to copy; 0: frame pointers */
    enum tch_space space; /**< BOTH falls back to USER where that is all that is allowed */
    bool off_cpu;         /**< where threads wait, instead of where they run */
};

struct tch_ring;

/** Read the fields; all zero is closed. */
struct tch_flame_sampler {
    const char *event; /**< the one in use */
    bool clock;        /**< it counts time: every sample weighs the same */
    bool kernel;       /**< kernel frames are allowed and wanted */
    bool user;
    bool off_cpu;
    uint32_t stack_bytes;
    size_t ring_bytes;    /**< of each ring */
    int drain_ms;         /**< after which a quarter of a ring may be full: time to drain it */
    struct pollfd *polls; /**< one per ring */
    size_t poll_count;

    struct tch_ring *rings; /* one per CPU */
    int *fds;               /* all events */
    size_t fd_count;
    size_t fd_cap;
    uint8_t *whole; /* room for a record that wraps around the end of its ring */
};

struct perf_event_header;

/** Processes one record. @return 0, or a negative code that ends the drain */
typedef int tch_flame_on_record(void *ctx, const struct perf_event_header *record,
                                tacho_error *err);

/**
 * Opens the events; nothing is sampled before the command's exec, or tch_flame_sampler_start().
 *
 * @return 0, TACHO_EUNSUPPORTED: no permission or no such event, with what to do about it;
 *         TACHO_EINVAL: no event of that name; TACHO_EIO, TACHO_ENOMEM
 */
int tch_flame_sampler_open(struct tch_flame_sampler *s,
                           const struct tch_flame_sampler_options *options, tacho_error *err);
void tch_flame_sampler_close(struct tch_flame_sampler *s);

/** Starts sampling processes that run already. */
void tch_flame_sampler_start(struct tch_flame_sampler *s);
void tch_flame_sampler_stop(struct tch_flame_sampler *s);

/** Passes the records older than `until` (CLOCK_MONOTONIC) to on_record, in the order of time. */
int tch_flame_sampler_drain(struct tch_flame_sampler *s, uint64_t until,
                            tch_flame_on_record *on_record, void *ctx, tacho_error *err);

/** Returns how many samples found no room, by the kernel's count; 0 where it keeps none. */
uint64_t tch_flame_sampler_lost(const struct tch_flame_sampler *s);

/** The names of the events that can be asked for; NULL-ended. */
extern const char *const tch_flame_sampler_events[];

/** An event as perf_event_open() takes it; the order is that of tch_flame_sampler_events.
 */
struct tch_flame_event {
    uint32_t type;
    uint64_t config;
    bool clock;
};

/** Finds an event by its name, or returns NULL. */
const struct tch_flame_event *tch_flame_event_find(const char *name);

/** Explains why the kernel refused to open an event: sets err, with what to do, and returns the
    code. `number` is the errno. */
int tch_flame_event_refused(int number, const struct tch_flame_sampler_options *options,
                            const char *event, tacho_error *err);

/** Explains a lack of permission, where kernel.perf_event_paranoid is `level`; 99: not known. */
int tch_flame_event_no_permission(int64_t level, const struct tch_flame_sampler_options *options,
                                  tacho_error *err);

#endif
