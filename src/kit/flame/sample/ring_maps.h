/*
 * Mappings of a sampled process, for the producers of sample_ring.h. Passes the lines of
 * /proc/PID/maps that describe code to the reader, and remembers their addresses. When a sampled
 * instruction is outside of them, it is in a new mapping, and the producer reads the file again.
 *
 * This header does not use the C library, because the preloaded object must not.
 */
#ifndef TCH_RING_MAPS_H
#define TCH_RING_MAPS_H

#include "sample_ring.h"

enum { TCH_RANGES_MAX = 512 };

/** Address ranges of a process's code. If the table is full, addresses above its
    last entry count as known. */
struct tch_code_ranges {
    uint32_t count;
    uint64_t range[TCH_RANGES_MAX][2];
};

static inline int tch_ranges_have(const struct tch_code_ranges *ranges, uint64_t ip)
{
    uint32_t low = 0, high = ranges->count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (ranges->range[middle][1] <= ip)
            low = middle + 1;
        else
            high = middle;
    }
    return low < ranges->count ? ranges->range[low][0] <= ip : ranges->count == TCH_RANGES_MAX;
}

/* Reads a hexadecimal number and skips the character after it. */
static inline uint64_t tch_ranges_number(const char **p)
{
    uint64_t value = 0;

    for (;; (*p)++) {
        char c = **p;

        if (c >= '0' && c <= '9')
            value = value << 4 | (uint64_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value << 4 | (uint64_t)(c - 'a' + 10);
        else
            break;
    }
    (*p)++;
    return value;
}

/* Parses a line such as "7f00-7f10 r-xp ...". If it describes code, remembers its range and returns
   1. */
static inline int tch_ranges_take(struct tch_code_ranges *ranges, const char *line)
{
    uint64_t start = tch_ranges_number(&line);
    uint64_t end = tch_ranges_number(&line);

    if (line[0] == '\0' || line[1] == '\0' || line[2] != 'x')
        return 0;
    if (ranges->count < TCH_RANGES_MAX) {
        ranges->range[ranges->count][0] = start;
        ranges->range[ranges->count++][1] = end;
    }
    return 1;
}

/** Passes the lines about code in `text`, which ends with '\0', to the reader, in as many records
    as needed. head has the process and the time. */
static inline void tch_ring_note_maps(struct tch_ring_head *ring, struct tch_ring_record head,
                                      const char *text, struct tch_code_ranges *ranges)
{
    const char *from = text;

    head.kind = TCH_RING_MAPS;
    ranges->count = 0;
    while (*text) {
        const char *line = text;

        while (*text && *text != '\n')
            text++;
        text += *text == '\n';
        if (tch_ranges_take(ranges, line)) {
            if ((size_t)(text - from) <= tch_ring_room(ring))
                continue; /* the record still has room for this line */
            head.len = (uint32_t)(line - from);
            if (head.len > 0)
                tch_ring_note(ring, head, from);
            from = line;
            continue;
        }
        head.len = (uint32_t)(line - from);
        if (head.len > 0)
            tch_ring_note(ring, head, from);
        from = text;
    }
    head.len = (uint32_t)(text - from);
    if (head.len > 0 && head.len <= tch_ring_room(ring))
        tch_ring_note(ring, head, from);
}

#endif
