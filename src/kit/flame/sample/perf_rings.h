/*
 * Samples a command, a process or the whole machine by perf events of the kernel. Each CPU has a
 * ring buffer; the records of all rings are passed to the caller in the order of time.
 *
 *     tch_flame_sampler_open(&s, &options, &err);       samples what this thread starts from now on
 *     tch_spawn(...);                                   sampling begins with its exec
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
    TCH_FLAME_SAMPLER_SLACK = 1000 * 1000, /**< ns; an older record of another CPU may still arrive
                                              after a record younger than this */
    TCH_STACK_COPY = 16 * 1024,
    TCH_STACK_COPY_MAX = 63 * 1024, /* the length of a record has 16 bits */
};

enum tch_space { TCH_SPACE_BOTH, TCH_SPACE_USER, TCH_SPACE_KERNEL };

enum tch_flame_target { TCH_FLAME_TARGET_CHILD, TCH_FLAME_TARGET_PROCESS, TCH_FLAME_TARGET_ALL };

struct tch_flame_sampler_options {
    enum tch_flame_target target;
    pid_t pid;            /**< the process of TCH_FLAME_TARGET_PROCESS */
    bool tree;            /**< also sample the children that it has already */
    const char *event;    /**< NULL: cycles if the CPU can count them, else cpu-clock */
    uint64_t rate;        /**< samples per second and CPU */
    uint32_t stack_bytes; /**< bytes of the user stack to copy; 0: use frame pointers */
    enum tch_space space; /**< BOTH falls back to USER where the kernel allows no more */
    bool off_cpu;         /**< sample where threads wait instead of where they run */
};

struct tch_ring;

/** A sampler. Callers may read the fields. All zero is closed. */
struct tch_flame_sampler {
    const char *event; /**< the event in use */
    bool clock;        /**< the event counts time, so every sample has the same weight */
    bool kernel;       /**< kernel frames are allowed and wanted */
    bool user;
    bool off_cpu;
    uint32_t stack_bytes;
    size_t ring_bytes; /**< size of each ring */
    int drain_ms;      /**< time after which a quarter of a ring may be full; drain it that often */
    struct pollfd *polls; /**< one per ring */
    size_t poll_count;

    struct tch_ring *rings; /* one per CPU */
    int *fds;               /* all events */
    size_t fd_count;
    size_t fd_cap;
    uint8_t *whole; /* buffer for a record that wraps around the end of its ring */
};

struct perf_event_header;

/** Processes one record. @return 0, or a negative code, which stops the drain */
typedef int tch_flame_on_record(void *ctx, const struct perf_event_header *record,
                                tacho_error *err);

/**
 * Opens the events. Sampling begins with the command's exec, or by tch_flame_sampler_start().
 *
 * @return 0; TACHO_EUNSUPPORTED: no permission or the machine lacks the event, err says what to do;
 * TACHO_EINVAL: there is no event of that name; TACHO_EIO, TACHO_ENOMEM
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

/** Returns how many samples the kernel dropped because a ring was full; 0 before Linux 6.0, which
    does not count them. */
uint64_t tch_flame_sampler_lost(const struct tch_flame_sampler *s);

#endif
