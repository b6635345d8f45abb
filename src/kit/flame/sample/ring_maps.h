/*
 * Mappings of a sampled process, for the producers of sample_ring.h. Passes the lines of
 * /proc/PID/maps that describe code to the reader, and remembers their addresses. The reader
 * applies records in the order of time, so a mapping must be passed on before the first sample in
 * it. A producer reads the file again in two cases:
 *
 *     a sampled instruction is in none of the known mappings
 *     the files that are mapped as code have changed: a library was unloaded, and another one may
 *     now be at its address; tch_code_files() finds out at a fraction of the cost of the file
 *
 * This header does not use the C library, because the preloaded object must not.
 */
#ifndef TCH_RING_MAPS_H
#define TCH_RING_MAPS_H

#include "sample_ring.h"

enum {
    TCH_RANGES_MAX = 512,
    TCH_QUERY_NS = 1000, /* approximate CPU time of one query of tch_code_files() */
    TCH_LINE_NS = 2000,  /* approximate CPU time per line of /proc/PID/maps */
    TCH_CHECK_COST = 50, /* checks for changes use at most 1/TCH_CHECK_COST of a CPU */
    TCH_READ_COST = 10,  /* the same for reading the file after a change */
};

/** Address ranges of a process's code. If the table is full, addresses above its
    last entry count as known. All zero: not read yet. */
struct tch_code_ranges {
    uint32_t count;
    uint64_t range[TCH_RANGES_MAX][2];
    uint64_t files; /**< tch_code_files() when the ranges were read; 0: unknown */
    uint64_t print; /* fingerprint of the lines that the reader has; 0: no lines */
    uint64_t due;   /**< time before which mappings are not checked again */
};

/** Arguments of PROCMAP_QUERY, an ioctl of /proc/PID/maps (Linux 6.11). Headers may be older. */
struct tch_map_query {
    uint64_t size, flags, addr;
    uint64_t start, end, vma_flags, page_size, offset, inode;
    uint32_t dev_major, dev_minor, name_size, build_id_size;
    uint64_t name, build_id;
};

#define TCH_MAP_QUERY 0xc0686611ul /* _IOWR('f', 17, struct tch_map_query) */

/** Calls ioctl(2). Returns 0 on success. */
typedef long tch_map_ask(int fd, unsigned long request, struct tch_map_query *query);

static inline uint64_t tch_print_add(uint64_t print, uint64_t value)
{
    return (print ^ value) * 1099511628211u; /* FNV-1a, but 8 bytes at a time */
}

/** Returns a fingerprint of the files that are mapped as code, or 0 if the kernel cannot list them.
    fd is /proc/PID/maps. Leaves out what is beyond TCH_RANGES_MAX mappings. Sets `due`. */
static inline uint64_t tch_code_files(int fd, tch_map_ask *ask, uint64_t now,
                                      struct tch_code_ranges *ranges)
{
    enum { EXECUTABLE = 4, OR_NEXT = 16, FILE_BACKED = 32 };
    struct tch_map_query q = {.size = sizeof q, .flags = EXECUTABLE | OR_NEXT | FILE_BACKED};
    uint64_t print = 0, queries = 1;

    for (; queries <= TCH_RANGES_MAX && ask(fd, TCH_MAP_QUERY, &q) == 0; queries++) {
        print = tch_print_add(tch_print_add(print, q.start), q.end);
        print = tch_print_add(tch_print_add(print, q.offset), q.inode);
        print = tch_print_add(print, (uint64_t)q.dev_major << 32 | q.dev_minor);
        q.addr = q.end;
    }
    ranges->due = now + queries * TCH_QUERY_NS * TCH_CHECK_COST;
    return print;
}

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
    *p += **p != '\0';
    return value;
}

/* Parses a line such as "7f00-7f10 r-xp ...". Returns whether it describes code. */
static inline int tch_ranges_parse(const char *line, uint64_t *start, uint64_t *end)
{
    *start = tch_ranges_number(&line);
    *end = tch_ranges_number(&line);
    return line[0] != '\0' && line[1] != '\0' && line[2] == 'x';
}

/* If a line describes code, remembers its range and returns 1. */
static inline int tch_ranges_take(struct tch_code_ranges *ranges, const char *line)
{
    uint64_t start, end;

    if (!tch_ranges_parse(line, &start, &end))
        return 0;
    if (ranges->count < TCH_RANGES_MAX) {
        ranges->range[ranges->count][0] = start;
        ranges->range[ranges->count++][1] = end;
    }
    return 1;
}

/* Returns whether the lines about code in `text` differ from those that the reader has. Sets
   `due`. */
static inline int tch_ranges_differ(struct tch_code_ranges *ranges, const char *text, uint64_t now)
{
    uint64_t start, end, print = 0, lines = 0;
    int differ;

    for (; *text; lines++) {
        int code = tch_ranges_parse(text, &start, &end);

        for (; *text && *text != '\n'; text++)
            print = code ? tch_print_add(print, (uint8_t)*text) : print;
        text += *text == '\n';
    }
    differ = print != ranges->print;
    ranges->print = print;
    ranges->due =
        now + lines * TCH_LINE_NS * (differ || ranges->files ? TCH_READ_COST : TCH_CHECK_COST);
    return differ;
}

/** Passes the lines about code in `text`, which ends with '\0', to the reader, in as many records
    as needed. head has the process and the time. Passes nothing if the reader has these lines. */
static inline void tch_ring_note_maps(struct tch_ring_head *ring, struct tch_ring_record head,
                                      const char *text, struct tch_code_ranges *ranges)
{
    const char *from = text;
    int lost = 0;

    if (!tch_ranges_differ(ranges, text, head.time))
        return;
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
                lost |= tch_ring_note(ring, head, from);
            from = line;
            continue;
        }
        head.len = (uint32_t)(line - from);
        if (head.len > 0)
            lost |= tch_ring_note(ring, head, from);
        from = text;
    }
    head.len = (uint32_t)(text - from);
    if (head.len > 0 && head.len <= tch_ring_room(ring))
        lost |= tch_ring_note(ring, head, from);
    if (lost) /* the next check passes them again */
        ranges->files = ranges->print = 0;
}

#endif
