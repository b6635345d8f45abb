/* Folded stacks and perf's text, made from a seed. */
#include "flame_input.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>

enum { FUNCTIONS = 4096, NAME = 48 };

const struct flame_shape flame_folded_shape = {1000000, 18, 34, 4};
const struct flame_shape flame_perf_shape = {320000, 14, 28, 4};

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15U;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
    x = (x ^ x >> 27) * 0x94d049bb133111ebU;
    return x ^ x >> 31;
}

/* Makes names such as "render_buffer_cache_017". */
static void make_names(char names[FUNCTIONS][NAME])
{
    static const char *const words[] = {"alloc",  "buffer", "cache",   "decode", "emit",   "flush",
                                        "gather", "handle", "iterate", "join",   "lookup", "merge",
                                        "notify", "parse",  "queue",   "render"};

    for (unsigned i = 0; i < FUNCTIONS; i++) {
        uint64_t r = mix(i);

        snprintf(names[i], NAME, "%s_%s%s%s_%03x", words[r & 15], words[r >> 4 & 15],
                 r & 256 ? "_" : "", r & 256 ? words[r >> 9 & 15] : "", i);
    }
}

/* A walk: the functions from the root to the leaf, and a number that identifies this walk. */
struct walk {
    unsigned depth;
    uint64_t path;
    unsigned functions[64];
};

static void take_walk(struct walk *w, const struct flame_shape *s, uint64_t *seed, bool skewed)
{
    uint64_t node = 1;

    *seed = mix(*seed);
    w->depth = s->shallow + (unsigned)(*seed % (s->deep - s->shallow + 1));
    for (unsigned i = 0; i < w->depth; i++) {
        unsigned chance;
        unsigned turn;

        *seed = mix(*seed);
        chance = (unsigned)(*seed >> 32) % 100;
        turn = (unsigned)*seed % s->fan_out;
        if (skewed)
            turn = chance < 90 ? 0 : chance < 98 ? 1 % s->fan_out : turn;
        node = mix(node * 64 + turn);
        w->functions[i] = (unsigned)(node % FUNCTIONS);
    }
    w->path = node;
}

/* Paths seen before; 0 stands for a free place. True when this one is new. */
static bool is_new(uint64_t *seen, uint64_t mask, uint64_t path)
{
    uint64_t i = path & mask;

    for (; seen[i]; i = (i + 1) & mask)
        if (seen[i] == path)
            return false;
    seen[i] = path;
    return true;
}

int flame_write_folded(FILE *file, const struct flame_shape *s)
{
    static char names[FUNCTIONS][NAME];
    uint64_t mask = 1;
    uint64_t *seen;
    uint64_t seed = 42;

    while (mask < 2 * s->stacks)
        mask *= 2;
    seen = calloc(mask--, sizeof *seen);
    if (!seen)
        return -1;
    make_names(names);
    for (uint64_t n = 0; n < s->stacks;) {
        struct walk w;

        take_walk(&w, s, &seed, false);
        if (!is_new(seen, mask, w.path))
            continue;
        for (unsigned i = 0; i < w.depth; i++)
            fprintf(file, "%s%s", i ? ";" : "", names[w.functions[i]]);
        fprintf(file, " %" PRIu64 "\n", 1 + seed % 100);
        n++;
    }
    free(seen);
    return ferror(file) ? -1 : 0;
}

int flame_write_perf(FILE *file, const struct flame_shape *s)
{
    static char names[FUNCTIONS][NAME];
    uint64_t seed = 43;
    uint64_t time_us = 1000000;

    make_names(names);
    for (uint64_t n = 0; n < s->stacks; n++) {
        struct walk w;

        take_walk(&w, s, &seed, true);
        time_us += 1003;
        fprintf(file, "worker %7d/%-7d [%03d] %5" PRIu64 ".%06" PRIu64 ": %10d cpu-clock:pppH: \n",
                4711, 4711 + (int)(seed % 8), (int)(seed % 2), time_us / 1000000, time_us % 1000000,
                1003009);
        for (unsigned i = w.depth; i > 0; i--) {
            unsigned f = w.functions[i - 1];
            unsigned offset = 0x10 + 0x24 * (unsigned)(mix(w.functions[i - 1] + i) % 3);

            fprintf(file,
                    "\t    55d0c%07x %s+0x%x (/usr/lib/x86_64-linux-gnu/libservice_%x.so.1.2)\n",
                    f * 0x400 + offset, names[f], offset, f % 7);
        }
        fputc('\n', file);
    }
    return ferror(file) ? -1 : 0;
}
