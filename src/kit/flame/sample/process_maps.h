/*
 * The processes and threads of a capture, with their mappings and names. The kernel's records,
 * applied in the order of time, keep them up to date.
 */
#ifndef TCH_PROCESS_MAPS_H
#define TCH_PROCESS_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** One mapping of code. */
struct tch_map {
    uint64_t start;
    uint64_t end;
    uint64_t offset; /**< offset in the file */
    uint32_t object; /**< its number in struct tch_code_objects */
};

struct tch_flame_process {
    struct tch_flame_process *next; /* the next process in the same bucket */
    uint32_t pid;
    uint32_t threads;     /* number of known threads */
    uint32_t program;     /**< its number in struct tch_flame_programs; 0: not known yet */
    uint64_t looked;      /**< number of samples when /proc/PID/maps was last read; 0: never */
    struct tch_map *maps; /* sorted by address, without overlaps */
    size_t count;
    size_t cap;
};

struct tch_flame_thread {
    struct tch_flame_thread *next;
    uint32_t tid;
    struct tch_flame_process *process;
    uint64_t gone; /* time at which it was found to have exited, by tch_maps_reap(); 0: it runs */
    char comm[16];
};

enum {
    TCH_MAPS_BUCKETS = 1024,
    TCH_MAPS_REAP = 256, /**< so many threads are known before tch_maps_reap() does anything */
};

/** All processes and threads. All zero is empty. */
struct tch_maps {
    struct tch_flame_process *processes[TCH_MAPS_BUCKETS];
    struct tch_flame_thread *threads[TCH_MAPS_BUCKETS];
    size_t thread_count;
    size_t reap_at; /* number of threads at which dead ones are searched for; 0: TCH_MAPS_REAP */
};

void tch_maps_release(struct tch_maps *maps);

/** Finds or adds a thread. @return NULL: out of memory */
struct tch_flame_thread *tch_maps_thread(struct tch_maps *maps, uint32_t pid, uint32_t tid);

/** Returns the mapping that contains an address, or NULL. */
const struct tch_map *tch_maps_find(const struct tch_flame_process *process, uint64_t addr);

/** Returns whether no mapping contains an address from start to before end. */
bool tch_maps_is_free(const struct tch_flame_process *process, uint64_t start, uint64_t end);

/* Apply a record. Return false if memory runs out. */
bool tch_maps_mmap(struct tch_flame_process *process, struct tch_map map);
bool tch_maps_fork(struct tch_maps *maps, uint32_t pid, uint32_t tid, uint32_t parent_pid,
                   uint32_t parent_tid);
bool tch_maps_comm(struct tch_maps *maps, uint32_t pid, uint32_t tid, const char *comm, bool exec);
void tch_maps_exit(struct tch_maps *maps, uint32_t tid);

/**
 * Forgets threads that have exited, for a sampler without records of exits. Call it after the
 * records up to the time `until` were applied: a thread that had exited before then has no more.
 * Does nothing until the number of threads has doubled.
 */
void tch_maps_reap(struct tch_maps *maps, uint64_t until, uint64_t now);

#endif
