/*
 * Sorts stacks by multikey quicksort (Bentley and Sedgewick, 1997) on keys of several frames at
 * once. The key is stored beside the number of the stack, so a stack's memory is read once per key
 * and not once per comparison.
 */
#include "base/fail.h"
#include "stacks.h"

struct entry {
    uint64_t key;
    uint32_t stack;
    uint32_t used; /* bytes of the stack that keys have used so far */
};

struct sorter {
    const struct tch_stacks *stacks;
    const uint32_t *ranks;
    unsigned bits;   /* bits of a rank plus 1; 0 marks the end of the stack */
    unsigned frames; /* frames per key */
};

/* Makes the key of the next frames of a stack. Keys of stacks that are equal so far compare as the
   stacks do. */
static void next_key(const struct sorter *s, struct entry *e)
{
    const char *start = tch_stacks_first(s->stacks, e->stack);
    const char *end = start + tch_intern_len(&s->stacks->units, e->stack);
    const char *at = start + e->used;

    e->key = 0;
    for (unsigned i = 0; i < s->frames; i++) {
        e->key <<= s->bits;
        if (at < end)
            e->key |= s->ranks[tch_stacks_next(&at)] + 1;
    }
    e->used = (uint32_t)(at - start);
}

/* Makes the next keys of n stacks. Stacks are scattered in memory, so the following ones are
   prefetched. */
static void next_keys(const struct sorter *s, struct entry *e, size_t n)
{
    enum { FAR = 16, NEAR = 8 };

    for (size_t i = 0; i < n; i++) {
        if (i + FAR < n)
            __builtin_prefetch(s->stacks->units.list + e[i + FAR].stack);
        if (i + NEAR < n)
            __builtin_prefetch(tch_stacks_first(s->stacks, e[i + NEAR].stack) + e[i + NEAR].used);
        next_key(s, e + i);
    }
}

/* Returns whether the stack ends within the key. */
static bool has_end(const struct sorter *s, uint64_t key)
{
    return (key & ((1ULL << s->bits) - 1)) == 0;
}

static uint64_t median3(uint64_t a, uint64_t b, uint64_t c)
{
    if (a > b) {
        uint64_t t = a;

        a = b;
        b = t;
    }
    return c < a ? a : c > b ? b : c;
}

static uint64_t pivot_of(const struct entry *e, size_t n)
{
    size_t step = n / 8;

    if (n < 64)
        return median3(e[0].key, e[n / 2].key, e[n - 1].key);
    return median3(median3(e[0].key, e[step].key, e[2 * step].key),
                   median3(e[3 * step].key, e[4 * step].key, e[5 * step].key),
                   median3(e[6 * step].key, e[7 * step].key, e[n - 1].key));
}

static void swap(struct entry *a, struct entry *b)
{
    struct entry t = *a;

    *a = *b;
    *b = t;
}

struct part {
    struct entry *e;
    size_t n;
    bool equal; /* all keys are equal: the next frames decide */
};

/* Splits entries into those smaller than, equal to and larger than a pivot. */
static void partition(struct entry *e, size_t n, struct part parts[3])
{
    uint64_t pivot = pivot_of(e, n);
    size_t low = 0;
    size_t high = n;

    for (size_t i = 0; i < high;) {
        if (e[i].key < pivot)
            swap(e + i++, e + low++);
        else if (e[i].key > pivot)
            swap(e + i, e + --high);
        else
            i++;
    }
    parts[0] = (struct part){e, low, false};
    parts[1] = (struct part){e + low, high - low, true};
    parts[2] = (struct part){e + high, n - high, false};
}

static void insertion_sort(struct entry *e, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct entry moved = e[i];
        size_t j = i;

        for (; j > 0 && e[j - 1].key > moved.key; j--)
            e[j] = e[j - 1];
        e[j] = moved;
    }
}

static void sort_entries(const struct sorter *s, struct entry *e, size_t n);

/* Sorts runs of equal keys by their next frames. */
static void sort_equal_runs(const struct sorter *s, struct entry *e, size_t n)
{
    size_t end;

    for (size_t i = 0; i < n; i = end) {
        for (end = i + 1; end < n && e[end].key == e[i].key; end++)
            ;
        if (end - i < 2 || has_end(s, e[i].key))
            continue;
        next_keys(s, e + i, end - i);
        sort_entries(s, e + i, end - i);
    }
}

/* Sorts entries. The loop handles the largest part, so that calls nest at most log2(n) deep. */
static void sort_entries(const struct sorter *s, struct entry *e, size_t n)
{
    enum { FEW = 12 };

    while (n > FEW) {
        struct part parts[3];
        struct part *largest = parts;

        partition(e, n, parts);
        if (has_end(s, parts[1].e->key))
            /* Stacks are distinct, so at most one ends here, and it is in its place. */
            parts[1].n = 0;
        for (struct part *p = parts; p < parts + 3; p++) {
            if (p->equal)
                next_keys(s, p->e, p->n);
            if (p->n > largest->n)
                largest = p;
        }
        for (struct part *p = parts; p < parts + 3; p++)
            if (p != largest)
                sort_entries(s, p->e, p->n);
        e = largest->e;
        n = largest->n;
    }
    insertion_sort(e, n);
    sort_equal_runs(s, e, n);
}

int tch_stacks_sort(const struct tch_stacks *stacks, uint32_t **ret, tacho_error *err)
{
    uint32_t *ranks = tch_intern_ranks(&stacks->names);
    struct entry *entries = malloc(((size_t)stacks->count + 1) * sizeof *entries);
    uint32_t *order = malloc(((size_t)stacks->count + 1) * sizeof *order);
    int status = 0;

    if (ranks && entries && order) {
        struct sorter s = {.stacks = stacks, .ranks = ranks, .bits = 1};

        while (stacks->names.count >> s.bits)
            s.bits++;
        s.frames = 64 / s.bits;
        for (uint32_t i = 0; i < stacks->count; i++)
            entries[i] = (struct entry){.stack = i};
        next_keys(&s, entries, stacks->count);
        sort_entries(&s, entries, stacks->count);
        for (uint32_t i = 0; i < stacks->count; i++)
            order[i] = entries[i].stack;
        *ret = order;
    } else {
        free(order);
        status = tch_fail(err, TACHO_ENOMEM, 0, "out of memory sorting %u stacks", stacks->count);
    }
    free(ranks);
    free(entries);
    return status;
}
