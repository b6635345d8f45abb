/* Simulates reports; see promise_noise.h. */
#include "promise_noise.h"

#include <math.h>

#include "kit/stats/random.h"

size_t promise_reports = 4000;

static const double turn = 6.28318530717958647693;

/* Returns a random number between 0 and 1, excluding both. */
static double share(uint64_t *seed)
{
    return ((double)(tch_random_bits(seed) >> 11) + 0.5) * 0x1p-53;
}

double promise_normal(uint64_t *seed)
{
    double u = share(seed);

    return sqrt(-2 * log(u)) * cos(turn * share(seed));
}

double promise_session(const struct promise_noise *noise, uint64_t *seed)
{
    double z = promise_normal(seed);
    double squares = 0;

    if (!noise->heavy)
        return noise->session * z;
    for (int i = 0; i < 3; i++) {
        double x = promise_normal(seed);

        squares += x * x;
    }
    return noise->session * z / sqrt(squares); /* a t with 3 degrees has the variance 3 */
}

/* The noise that the metrics of a bench share. */
struct bench_state {
    bool b_first[PROMISE_RUNS];
    double shared[2 * PROMISE_RUNS];
};

/* Returns the logarithm of one run, without the part that depends on the run before. */
static double run_alone(const struct promise_noise *n, bool is_b, double z, uint64_t *seed)
{
    double x = (is_b && n->sd_b > 0 ? n->sd_b : n->sd) * z;

    if (n->pareto)
        x = log(1 + 0.05 * pow(share(seed), -1 / 1.5));
    if (n->skew && is_b)
        x = 0.08 * (-log(share(seed)) - log(2));
    if (n->modes && share(seed) < 0.5)
        x += log(1.1);
    if (n->outliers > 0 && share(seed) < n->outliers)
        x += log(3);
    return x;
}

static void make_metric(const struct promise_noise *n, struct promise_report *r, size_t k,
                        const struct bench_state *bench, double phase, double offset,
                        uint64_t *seed)
{
    size_t slots = 2 * r->runs;
    double before = n->sd * promise_normal(seed);
    double walked = 0;
    size_t from[2] = {0}; /* the disturbed runs of both sides */
    size_t until[2] = {0};

    for (int side = 0; side < 2 && n->burst > 0; side++) {
        if (tch_random_below(seed, 2) == 0)
            continue;
        until[side] = 5 + tch_random_below(seed, 10);
        from[side] = tch_random_below(seed, r->runs - until[side] + 1);
        until[side] += from[side];
    }
    for (size_t t = 0; t < slots; t++) {
        bool second = t >= r->runs;
        size_t i = r->paired ? t / 2 : second ? t - r->runs : t;
        bool is_b = r->paired ? (t % 2 == 0) == bench->b_first[i] : second;
        double z = promise_normal(seed);
        double x;

        if (n->correlated > 0)
            z = sqrt(n->correlated) * bench->shared[t] + sqrt(1 - n->correlated) * z;
        x = n->ar > 0 ? n->ar * before + sqrt(1 - n->ar * n->ar) * n->sd * z
                      : run_alone(n, is_b, z, seed);
        before = x;
        walked += n->walk > 0 ? n->walk * z : 0;
        x += walked + n->drift * (double)t / (double)slots;
        if (n->wave > 0)
            x += n->wave * sin(turn * (double)t / n->period + phase);
        if (i >= from[is_b] && i < until[is_b])
            x += log1p(n->burst);
        if (is_b)
            x += offset + (k == 0 ? log1p(r->change) : 0);
        x = 100 * exp(x);
        (is_b ? r->b : r->a)[k][i] = n->ties ? 2.5 * floor(x / 2.5) : x;
    }
}

void promise_make(const struct promise_noise *n, struct promise_report *r, uint64_t *seed)
{
    double phase = n->period > 2 ? turn * share(seed) : turn / 4;
    double offset = promise_session(n, seed) - promise_session(n, seed);
    struct bench_state bench = {0};

    for (size_t k = 0; k < r->metrics; k++) {
        if (k % PROMISE_BENCH == 0) {
            for (size_t i = 0; i < r->runs; i++)
                bench.b_first[i] = tch_random_below(seed, 2);
            for (size_t t = 0; t < 2 * r->runs && n->correlated > 0; t++)
                bench.shared[t] = promise_normal(seed);
        }
        if (n->own)
            offset = promise_session(n, seed) - promise_session(n, seed);
        make_metric(n, r, k, &bench, phase, offset, seed);
    }
}
