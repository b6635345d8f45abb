/* Prints the table of settings, and the success criteria. */
#include "results.h"

#include <math.h>
#include <stdio.h>

double results_reduction(double now, double before)
{
    return before > 0 ? 1 - now / before : (double)NAN;
}

double results_by_cut(const struct setting *s)
{
    return s->kv_cache - s->eps->kv_cache;
}

static void print_table(const struct setting *s, int count)
{
    printf("%-15s %9s %7s %7s %7s %9s %9s %7s %9s %9s\n", "setting", "KV cache", "by eps", "by cut",
           "cut in", "coherence", "peak mem", "energy", "p95", "accuracy");
    for (int i = 0; i < count; i++) {
        const struct setting *eps = s[i].eps ? s[i].eps : &s[i];
        double energy = results_reduction(s[i].joules, s[0].joules);
        char text[16] = "-";

        if (!isnan(energy))
            snprintf(text, sizeof text, "%+.1f %%", 0 - 100 * energy);
        printf(
            "%-15s %+7.1f %% %+5.1f %% %+5.1f %% %5.1f %% %9.6f %+7.0f %% %7s %6llu us %7.1f %%\n",
            s[i].name, 0 - 100 * s[i].kv_cache, 0 - 100 * eps->kv_cache,
            0 - 100 * (s[i].kv_cache - eps->kv_cache), 100 * s[i].cut, s[i].delta,
            0 - 100 * results_reduction(s[i].peak_bytes, s[0].peak_bytes), text,
            (unsigned long long)s[i].p95_us, 100 * s[i].accuracy);
    }
}

/* A criterion: a value and its required minimum; NaN: not measurable. */
struct criterion {
    const char *name;
    double least;
    double (*value)(const struct setting *s, const struct setting *baseline);
};

static double value_kv_cache(const struct setting *s, const struct setting *baseline)
{
    (void)baseline;
    return s->kv_cache;
}

static double value_by_cut(const struct setting *s, const struct setting *baseline)
{
    (void)baseline;
    return results_by_cut(s);
}

static double value_energy(const struct setting *s, const struct setting *baseline)
{
    return results_reduction(s->joules, baseline->joules);
}

static double value_p95(const struct setting *s, const struct setting *baseline)
{
    return results_reduction((double)s->p95_us, (double)baseline->p95_us);
}

static double value_accuracy(const struct setting *s, const struct setting *baseline)
{
    (void)baseline;
    return s->accuracy;
}

static double value_again(const struct setting *s, const struct setting *baseline)
{
    (void)baseline;
    return s->reproduced < 0 ? (double)NAN : (double)s->reproduced;
}

static const struct criterion criteria[] = {
    {"KV cache at least 15 % smaller", 0.15, value_kv_cache},
    {"... by the cut alone, without what eps saves", 0.15, value_by_cut},
    {"energy at least 10 % less", 0.10, value_energy},
    {"p95 at most 10 % above the baseline's", -0.10, value_p95},
    {"accuracy at most 1 % below the baseline's", 0.99, value_accuracy},
    {"a second run decides the same (witness)", 1, value_again},
};

/* Prints one line per criterion: how many settings meet it, and which ones do not if only some
   do. */
static void print_criteria(const struct setting *s, int first, int count)
{
    puts("\nsuccess criteria");
    for (size_t c = 0; c < sizeof criteria / sizeof criteria[0]; c++) {
        int met = 0;
        int unknown = 0;

        for (int i = first; i < count; i++) {
            double value = criteria[c].value(&s[i], &s[0]);

            unknown += isnan(value);
            met += value >= criteria[c].least;
        }
        printf("  %-46s ", criteria[c].name);
        if (unknown == count - first)
            puts("not measurable here");
        else if (met == count - first)
            printf("met (%d of %d settings)\n", met, met);
        else
            printf("not met (met by %d of %d settings)\n", met, count - first);
        for (int i = first; i < count && met > 0 && met < count - first; i++)
            printf("    %-18s %s\n", s[i].name,
                   criteria[c].value(&s[i], &s[0]) >= criteria[c].least ? "met" : "not met");
    }
    printf("  %-46s cannot be met: it is a cosine less 1\n", "coherence delta of +5 %");
    if (isnan(s[0].joules))
        puts("\nenergy is not measurable here: there is no power source; see tacho doctor");
}

void results_print(const struct results *r)
{
    print_table(r->of, r->count);
    print_criteria(r->of, r->first, r->count);
}
