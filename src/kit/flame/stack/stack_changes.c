/*
 * Judges the changes of a differential.
 *
 * The number of samples of a frame varies like a Poisson count, so each side has the interval of
 * the score test (Rao): n + z^2/2 +- z sqrt(n + z^2/4). The interval of the difference combines the
 * distances of both estimates from their limits (Zou and Donner, 2008). Counts that are not numbers
 * of samples are divided by the count of one sample first.
 */
#include <math.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/order.h"
#include "stack_functions.h"

static const double z = 3.2905; /* two-sided 99.9 %, as TCH_CHANGE_LEVEL says */

/* How far the limits are from a count. */
struct reach {
    double below;
    double above;
};

static struct reach reach_of(const struct tch_counted *counted, double count)
{
    double quantum = counted->quantum > 0 ? counted->quantum : 1;
    double root = z * sqrt(count / quantum + z * z / 4);

    return (struct reach){(root - z * z / 2) * quantum, (root + z * z / 2) * quantum};
}

struct tch_change tch_change_of(const struct tch_stacks *stacks, double before, double now)
{
    struct reach a = reach_of(&stacks->counted_before, before);
    struct reach b = reach_of(&stacks->counted, now);
    struct tch_change c = {.before = before, .now = now};

    c.low = now - before - hypot(b.below, a.above);
    c.high = now - before + hypot(b.above, a.below);
    c.sign = (c.low > 0) - (c.high < 0);
    return c;
}

/* Returns whether a comes before b in the table. */
static bool is_larger(const struct tch_change *a, const struct tch_change *b)
{
    if ((a->sign != 0) != (b->sign != 0))
        return a->sign != 0;
    return fabs(a->now - a->before) > fabs(b->now - b->before);
}

/* Inserts a function into the sorted table, if it belongs there. */
static void insert(struct tch_changes *ret, const struct tch_function_change *one)
{
    size_t at = ret->count;

    while (at > 0 && is_larger(&one->self, &ret->list[at - 1].self))
        at--;
    if (at == TCH_CHANGES)
        return;
    if (ret->count < TCH_CHANGES)
        ret->count++;
    for (size_t i = ret->count - 1; i > at; i--)
        ret->list[i] = ret->list[i - 1];
    ret->list[at] = *one;
}

/* Returns the dispersion: the median of the squares of the standardised changes of all functions
   with enough samples, divided by that median of a normal distribution. It is near 1 if most
   functions did not change and nothing but sampling makes them differ. */
static double dispersion_of(const struct tch_functions *f, const struct tch_stacks *s,
                            double *squares)
{
    enum { SAMPLES_LEAST = 20, FUNCTIONS_LEAST = 10 };
    const double median_of_normal = 0.4549;
    double a = s->counted_before.quantum > 0 ? s->counted_before.quantum : 1;
    double b = s->counted.quantum > 0 ? s->counted.quantum : 1;
    size_t n = 0;

    for (uint32_t i = 0; i < f->count; i++) {
        double before = f->list[i].self_before;
        double now = (double)f->list[i].self;

        if (before / a + now / b >= SAMPLES_LEAST)
            squares[n++] = (now - before) * (now - before) / (a * before + b * now);
    }
    if (n < FUNCTIONS_LEAST)
        return NAN;
    tch_sort(squares, n);
    return squares[n / 2] / median_of_normal;
}

/* The part of each caller in the changes of the listed functions. */
struct callers {
    uint8_t *row_of; /* per function: 1 + its place in the table; 0: not listed */
    double *parts;   /* for each row and each function: the change under this caller */
    uint32_t *frames;
};

/* Adds the change of a stack to the caller of the function that it ends in. Recursive calls are not
   callers, and the first frame is the process. */
static void add_to_caller(struct callers *c, const struct tch_functions *f,
                          const struct tch_stacks *s, uint32_t id, bool waits)
{
    size_t at = tch_functions_path(s, id, waits, c->frames);
    uint32_t leaf = at > 1 ? f->of_name[c->frames[at - 1]] : 0;
    double change = (double)s->list[id].count - s->before[id];

    if (at <= 1 || c->row_of[leaf] == 0)
        return;
    while (at > 1 && f->of_name[c->frames[at - 1]] == leaf)
        at--;
    if (at > 1)
        c->parts[(size_t)(c->row_of[leaf] - 1) * f->count + f->of_name[c->frames[at - 1]]] +=
            change;
}

static void choose_callers(const struct callers *c, const struct tch_functions *f,
                           struct tch_changes *ret)
{
    for (size_t row = 0; row < ret->count; row++) {
        struct tch_function_change *one = ret->list + row;
        double sign = one->self.now > one->self.before ? 1 : -1;
        double most = 0;

        one->caller = TCH_INTERN_NONE;
        for (uint32_t i = 0; i < f->count; i++) {
            double part = sign * c->parts[row * f->count + i];

            if (part > most) {
                most = part;
                one->caller = f->list[i].name;
            }
        }
    }
}

/* Finds the caller of each listed function under which most of its change happened. */
static int find_callers(const struct tch_functions *f, const struct tch_stacks *s, bool waits,
                        struct tch_changes *ret, tacho_error *err)
{
    struct callers c = {
        .row_of = calloc((size_t)f->count + 1, sizeof *c.row_of),
        .parts = calloc(TCH_CHANGES * (size_t)f->count + 1, sizeof *c.parts),
        .frames = malloc(TCH_STACK_DEEPEST * sizeof *c.frames),
    };
    int status = c.row_of && c.parts && c.frames ? 0 : tch_fail_memory(err);

    for (size_t i = 0; status == 0 && i < ret->count; i++)
        c.row_of[f->of_name[ret->list[i].name]] = (uint8_t)(i + 1);
    for (uint32_t i = 0; status == 0 && i < s->count; i++)
        add_to_caller(&c, f, s, i, waits);
    if (status == 0)
        choose_callers(&c, f, ret);
    free(c.row_of);
    free(c.parts);
    free(c.frames);
    return status;
}

/* Fills the table. */
static void list_changes(const struct tch_functions *f, const struct tch_stacks *stacks,
                         struct tch_changes *ret)
{
    for (uint32_t i = 0; i < f->count; i++) {
        const struct tch_function *one = f->list + i;
        struct tch_function_change change = {.name = one->name};

        if ((double)one->self == one->self_before)
            continue;
        change.self = tch_change_of(stacks, one->self_before, (double)one->self);
        change.total = tch_change_of(stacks, one->total_before, (double)one->total);
        insert(ret, &change);
    }
}

int tch_stacks_changes(const struct tch_stacks *stacks, struct tch_changes *ret, tacho_error *err)
{
    bool waits = strcmp(stacks->counted.measure, "off-cpu") == 0;
    struct tch_functions f;
    double *squares = NULL;
    int status = tch_functions_count(&f, stacks, waits, err);

    *ret = (struct tch_changes){.dispersion = NAN};
    if (status == 0) {
        squares = malloc(((size_t)f.count + 1) * sizeof *squares);
        status = squares ? 0 : tch_fail_memory(err);
    }
    if (status == 0) {
        ret->dispersion = dispersion_of(&f, stacks, squares);
        list_changes(&f, stacks, ret);
        status = find_callers(&f, stacks, waits, ret, err);
    }
    free(squares);
    tch_functions_release(&f);
    return status;
}
