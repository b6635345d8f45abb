/* Follows the mappings of the process: passes those of code to the reader of the ring, and finds
   the bounds of stacks. */
#include <sys/resource.h>

#include "sampler.h"

enum { MAPS_BYTES = 1 << 20 };

static char maps[MAPS_BYTES]; /* uses no memory before it is first written */

/* Finds the bounds of the mapping that contains an address, in the text in maps. */
static void find_bounds(uint64_t addr, uint64_t *low, uint64_t *high)
{
    for (const char *p = maps; *p;) {
        uint64_t start = tch_ranges_number(&p);
        uint64_t end = tch_ranges_number(&p);

        if (addr >= start && addr < end && p[0] == 'r') {
            *low = start;
            *high = end;
            return;
        }
        while (*p && *p != '\n')
            p++;
        p += *p == '\n';
    }
}

static long ask_map(int fd, unsigned long request, struct tch_map_query *query)
{
    return RAW(SYS_ioctl, fd, request, query, 0);
}

/* Finds the bounds of the stacks of new threads, in the text in maps. */
static void find_stacks(void)
{
    tch_sampler.unbounded = 0;
    if (!tch_sampler.stack_high)
        find_bounds(tch_sampler.stack_low, &tch_sampler.stack_low, &tch_sampler.stack_high);
    for (uint32_t i = 0; i < tch_sampler.thread_count; i++) {
        struct sampled *t = &tch_sampler.threads[i];

        if (t->tid && t->base && !t->high)
            find_bounds(t->base, &t->low, &t->high);
    }
}

void tch_maps_read(uint64_t now)
{
    struct tch_code_ranges *ranges = &tch_sampler.ranges;
    int fd = raw_open("/proc/self/maps");
    uint64_t files = tch_code_files(fd, ask_map, now, ranges);

    if (files && files == ranges->files && !tch_sampler.stale && !tch_sampler.unbounded) {
        RAW(SYS_close, fd, 0, 0, 0);
        return;
    }
    tch_sampler.stale = 0;
    if (raw_read_rest(fd, maps, sizeof maps) == 0)
        return;
    ranges->files = files; /* from before the text, so that no later change is missed */
    tch_ring_note_maps(tch_sampler.ring, tch_sampler_head(tch_sampler.pid, TCH_RING_MAPS), maps,
                       ranges);
    find_stacks();
}

void tch_maps_follow(uint64_t now)
{
    struct rusage usage = {0};
    uint64_t faults;

    if (now < tch_sampler.ranges.due)
        return;
    RAW(SYS_getrusage, RUSAGE_SELF, &usage, 0, 0);
    /* Code of a new mapping runs only after a page fault. So if there was no fault since the last
       time, the code is the same. */
    faults = (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
    if (faults == tch_sampler.faults && !tch_sampler.stale && !tch_sampler.unbounded)
        return;
    tch_sampler.faults = faults;
    tch_maps_read(now);
}
