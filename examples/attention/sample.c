/* Samples: random numbers, or steps of a text that was never written. */
#include "sample.h"

#include <stdlib.h>

#include "random.h"

enum { TOPICS = 8, FILLERS = 5 }; /* a token in so many is a filler */

int sample_init(struct sample *s, const struct options *o)
{
    size_t floats = o->heads * o->max_len * o->dim;

    *s = (struct sample){.heads = o->heads, .dim = o->dim};
    s->q = malloc(floats * 4 * sizeof(float));
    s->topics = malloc((2 * TOPICS + 1) * o->dim * sizeof(float));
    if (!s->q || !s->topics) {
        sample_release(s);
        return -1;
    }
    s->k = s->q + floats;
    s->v = s->k + floats;
    s->out = s->v + floats;
    return 0;
}

void sample_release(struct sample *s)
{
    free(s->q);
    free(s->topics);
    *s = (struct sample){0};
}

size_t sample_floats(const struct sample *s)
{
    return s->heads * s->len * s->dim;
}

static void fill(float *tensor, size_t count, uint64_t *random, float size)
{
    for (size_t i = 0; i < count; i++)
        tensor[i] = random_float(random, size);
}

/* q and k are large enough that some weights of a row are a hundred times others. */
static void make_random(struct sample *s, uint64_t random)
{
    size_t count = sample_floats(s);

    fill(s->q, count, &random, 2);
    fill(s->k, count, &random, 2);
    fill(s->v, count, &random, 1);
}

/* TOPICS directions of q and k, as many of v, and the mean of the first: what fillers turn from. */
static void make_topics(struct sample *s, uint64_t *random)
{
    float *mean = s->topics + 2 * TOPICS * s->dim;

    fill(s->topics, 2 * TOPICS * s->dim, random, 1);
    for (size_t c = 0; c < s->dim; c++) {
        mean[c] = 0;
        for (size_t t = 0; t < TOPICS; t++)
            mean[c] += s->topics[t * s->dim + c] / TOPICS;
    }
}

/* row = of * scale, and noise. */
static void make_row(float *row, const float *of, size_t dim, float scale, float size,
                     uint64_t *noise)
{
    for (size_t c = 0; c < dim; c++)
        row[c] = of[c] * scale + random_float(noise, size);
}

/* Tokens of one topic attend to each other; nobody attends to a filler, whose key points away from
   all topics; how loudly the first token asks differs from step to step. `text` is the same for all
   samples of one length, which are steps of one text; `noise` differs. */
static void make_head(struct sample *s, size_t at, uint64_t *text, uint64_t *noise)
{
    const float *mean = s->topics + 2 * TOPICS * s->dim;
    float loud = (random_float(noise, 1) + 1) / 2;

    make_topics(s, text);
    for (size_t i = 0; i < s->len; i++, at += s->dim) {
        size_t topic = (size_t)random_between(text, 0, TOPICS - 1);
        const float *about = s->topics + topic * s->dim;
        int filler = random_between(text, 1, FILLERS) == 1 && i > 0 && i + 1 < s->len;

        make_row(s->q + at, about, s->dim, 2, 0.5f, noise);
        for (size_t c = 0; c < s->dim && i == 0; c++)
            s->q[at + c] *= loud * loud * loud * loud;
        make_row(s->k + at, filler ? mean : about, s->dim, filler ? -2 : 1, filler ? 0.1f : 0.5f,
                 noise);
        make_row(s->v + at, about + TOPICS * s->dim, s->dim, 1, 0.5f, noise);
    }
}

/* Sample 0 is the longest; after it every fourth is twice as long as the shortest, every sixteenth
   four times, and so on. */
static size_t doubled_length(const struct options *o, size_t number)
{
    size_t len = o->min_len;

    while (len * 2 <= o->max_len && number % 4 == 0) {
        len *= 2;
        number /= 4;
    }
    return len;
}

/* A function of the seed and the number alone, whatever ran before it. */
void sample_make(struct sample *s, const struct options *o, size_t number)
{
    uint64_t seed = o->seed;
    uint64_t of_seed = random_next(&seed);
    uint64_t random = of_seed + number;

    if (o->doubling)
        s->len = doubled_length(o, number);
    else
        s->len = (size_t)random_between(&random, o->min_len, o->max_len);
    if (o->steps) {
        uint64_t text = of_seed ^ s->len * 0xD1B54A32D192ED03u;

        for (size_t h = 0; h < s->heads; h++)
            make_head(s, h * s->len * s->dim, &text, &random);
    } else {
        make_random(s, random);
    }
}
