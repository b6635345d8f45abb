/* Writes, reads and matches the meaning of counts. */
#include "counted.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/float_text.h"
#include "base/number.h"
#include "kit/text/human_number.h"
#include "stacks.h"

static const char start[] = "# tacho:";

uint64_t tch_unit_ns(const char *unit)
{
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"nanoseconds", 1},
                 {"microseconds", 1000},
                 {"milliseconds", 1000000},
                 {"seconds", 1000000000}};

    for (size_t i = 0; unit && i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].name, unit) == 0)
            return units[i].ns;
    return 0;
}

static bool is_samples(const struct tch_counted *c)
{
    return strcmp(c->unit, "samples") == 0;
}

uint64_t tch_counted_ns(const struct tch_counted *c)
{
    return is_samples(c) ? c->period_ns : tch_unit_ns(c->unit);
}

const char *tch_counted_name(const struct tch_counted *c)
{
    return tch_counted_ns(c) > 0 ? "time" : c->unit[0] ? c->unit : "samples";
}

/* Returns whether more is known than a number of samples: such counts need not be commented. */
static bool is_known(const struct tch_counted *c)
{
    return c->unit[0] && (!is_samples(c) || c->period_ns > 0);
}

/* --- The comment --- */

/* Adds a member unless it is empty. A space would end it. */
static void put_text(struct tch_buf *b, const char *key, const char *value)
{
    if (!value[0])
        return;
    tch_buf_addf(b, " %s=", key);
    for (const char *p = value; *p; p++)
        tch_buf_addc(b, *p > ' ' && *p < 0x7f ? *p : '_');
}

static void put_number(struct tch_buf *b, const char *key, double value)
{
    char text[TCH_PLAIN_TEXT];

    if (value == 0)
        return;
    tch_buf_addf(b, " %s=", key);
    tch_buf_add(b, text, tch_f64_plain(text, value));
}

void tch_counted_write(struct tch_buf *b, const struct tch_stacks *stacks)
{
    const struct tch_counted *now = &stacks->counted;
    const struct tch_counted *before = &stacks->counted_before;

    if (!is_known(now) && now->quantum == 0 && before->quantum == 0)
        return;
    tch_buf_adds(b, start);
    put_text(b, "unit", now->unit);
    put_text(b, "measure", now->measure);
    put_number(b, "period_ns", (double)now->period_ns);
    put_number(b, "samples", (double)now->samples);
    put_number(b, "quantum", now->quantum);
    put_text(b, "profiler", now->profiler);
    put_number(b, "quantum_before", before->quantum);
    put_text(b, "profiler_before", before->profiler);
    put_text(b, "normalized", stacks->normalized ? "yes" : "");
    tch_buf_addc(b, '\n');
}

static void take_text(struct tch_span value, char *ret, size_t size)
{
    if (value.len < size) {
        memcpy(ret, value.p, value.len);
        ret[value.len] = '\0';
    }
}

static void take_quantum(struct tch_span value, double *ret)
{
    double quantum;

    if (tch_parse_f64_n(value.p, value.len, &quantum) == 0 && quantum > 0 && isfinite(quantum))
        *ret = quantum;
}

static void take_member(struct tch_stacks *s, struct tch_span key, struct tch_span value)
{
    const struct {
        const char *key;
        char *room;
        size_t size;
    } texts[] = {
        {"unit", s->counted.unit, sizeof s->counted.unit},
        {"measure", s->counted.measure, sizeof s->counted.measure},
        {"profiler", s->counted.profiler, sizeof s->counted.profiler},
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (tch_span_is(key, texts[i].key))
            take_text(value, texts[i].room, texts[i].size);
    if (tch_span_is(key, "period_ns"))
        (void)tch_parse_u64_n(value.p, value.len, 1000000000000, &s->counted.period_ns);
    if (tch_span_is(key, "samples"))
        (void)tch_parse_u64_n(value.p, value.len, UINT64_MAX, &s->counted.samples);
    if (tch_span_is(key, "quantum"))
        take_quantum(value, &s->counted.quantum);
    if (s->before) /* the second profile of a differential says nothing about the first */
        return;
    if (tch_span_is(key, "quantum_before"))
        take_quantum(value, &s->counted_before.quantum);
    if (tch_span_is(key, "profiler_before"))
        take_text(value, s->counted_before.profiler, sizeof s->counted_before.profiler);
    if (tch_span_is(key, "normalized"))
        s->normalized = true;
}

void tch_counted_read(struct tch_stacks *stacks, struct tch_span line)
{
    const char *end = line.p + line.len;
    const char *p = line.p + strlen(start);

    if (!tch_span_starts(line, start))
        return;
    while (p < end) {
        const char *stop;
        const char *equals;

        while (p < end && *p <= ' ')
            p++;
        for (stop = p; stop<end && * stop> ' '; stop++)
            ;
        equals = memchr(p, '=', (size_t)(stop - p));
        if (equals)
            take_member(stacks, (struct tch_span){p, (size_t)(equals - p)},
                        (struct tch_span){equals + 1, (size_t)(stop - equals - 1)});
        p = stop;
    }
}

/* --- Two sides --- */

/* Names the counts of one side: "samples of CPU time". */
static void name_counts(char *ret, size_t size, const struct tch_counted *c)
{
    if (!is_known(c))
        snprintf(ret, size, "counts of an unknown unit");
    else
        snprintf(ret, size, "%s%s", c->unit,
                 !c->measure[0]                   ? ""
                 : strcmp(c->measure, "cpu") == 0 ? " of CPU time"
                                                  : " of waiting time");
}

static int refuse(const struct tch_counted *a, const struct tch_counted *b, tacho_error *err)
{
    char names[2][100];

    name_counts(names[0], sizeof names[0], a);
    name_counts(names[1], sizeof names[1], b);
    return tch_fail(err, TACHO_EINVAL, 0,
                    "the first profile has %s, the second %s; capture both in the same way, or "
                    "name the unit of both with --count-name",
                    names[0], names[1]);
}

/* Makes the counts nanoseconds. */
static int convert(struct tch_stacks *s, uint64_t ns_before, uint64_t ns_now, tacho_error *err)
{
    struct tch_counted *sides[] = {&s->counted_before, &s->counted};
    const uint64_t ns[] = {ns_before, ns_now};

    if (s->sum > UINT64_MAX / ns_now)
        return tch_fail(err, TACHO_ELIMIT, 0, "the counts add up to more than 2^64 - 1 ns");
    for (uint32_t i = 0; i < s->count; i++) {
        s->before[i] *= (double)ns_before;
        s->list[i].count *= ns_now;
    }
    s->sum *= ns_now;
    for (int i = 0; i < 2; i++) {
        sides[i]->quantum = (sides[i]->quantum > 0 ? sides[i]->quantum : 1) * (double)ns[i];
        sides[i]->period_ns = 0;
        snprintf(sides[i]->unit, sizeof sides[i]->unit, "nanoseconds");
    }
    s->converted = true;
    return 0;
}

int tch_counted_match(struct tch_stacks *s, tacho_error *err)
{
    const struct tch_counted *a = &s->counted_before;
    const struct tch_counted *b = &s->counted;
    uint64_t ns_a = tch_counted_ns(a);
    uint64_t ns_b = tch_counted_ns(b);

    /* An empty profile has no counts that could be wrong. */
    if (s->sum == 0 || tch_stacks_total_before(s) == 0 || (!is_known(a) && !is_known(b)))
        return 0;
    if (is_known(a) != is_known(b) ||
        (a->measure[0] && b->measure[0] && strcmp(a->measure, b->measure) != 0))
        return refuse(a, b, err);
    if (strcmp(a->unit, b->unit) == 0 && a->period_ns == b->period_ns)
        return 0;
    return ns_a > 0 && ns_b > 0 ? convert(s, ns_a, ns_b, err) : refuse(a, b, err);
}

void tch_counted_add(struct tch_buf *b, const struct tch_stacks *stacks, double count, bool sign)
{
    uint64_t ns = tch_counted_ns(&stacks->counted);

    if (count < 0)
        tch_buf_addc(b, '-');
    else if (sign && count > 0)
        tch_buf_addc(b, '+');
    if (ns > 0)
        tch_add_value(b, TCH_NS, fabs(count) * (double)ns);
    else if (fabs(count) < 1e9)
        tch_add_grouped(b, (uint64_t)llround(fabs(count)));
    else
        tch_add_value(b, TCH_COUNT, fabs(count));
}

void tch_counted_explain(struct tch_buf *b, const struct tch_stacks *s)
{
    const struct tch_counted *c = &s->counted;

    if (tch_counted_ns(c) > 0 && c->measure[0])
        tch_buf_adds(b, strcmp(c->measure, "cpu") == 0 ? "CPU " : "waiting ");
    tch_buf_adds(b, tch_counted_name(c));
    tch_buf_adds(b, s->normalized ? ", before scaled to the total of now: " : " as recorded: ");
    tch_counted_add(b, s, tch_stacks_total_before(s), false);
    tch_buf_adds(b, " before, ");
    tch_counted_add(b, s, (double)tch_stacks_total(s), false);
    tch_buf_adds(b, " now");
    if (s->converted)
        tch_buf_adds(b, "; converted, because the units of the profiles differ");
    if (s->counted_before.profiler[0] && c->profiler[0] &&
        strcmp(s->counted_before.profiler, c->profiler) != 0)
        tch_buf_addf(b, "; sampled by %s before and by %s now, which may name stacks differently",
                     s->counted_before.profiler, c->profiler);
}
