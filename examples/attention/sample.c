/*
 * Samples: random numbers, or clusters of tokens whose keys belong together.
 *
 * Clusters. The coordinates of q and k are assigned in rotation to six parts: four clusters,
 * UNASKED and ASIDES. A query asks for its cluster, and turns away from UNASKED. A token is
 *
 *     member   5 of 8   its key is in its cluster and a little in UNASKED
 *     filler   1 of 8   its key is in UNASKED alone: no query asks for it
 *     aside    2 of 8   its query is that of the last token's cluster, its key is in ASIDES, which
 *                       only the cluster of token 0 asks for, weakly and in each sample differently
 *
 * With 64 floats per row the logits are 3.7 within a cluster, -0.8 between clusters, -1.6 for a
 * filler and -0.3 to 0.1 for an aside that the first cluster asks for, each with noise of standard
 * deviation 0.16. So eps alone gates everything between clusters and all fillers. Only the weak
 * attention to asides connects token 0 with token n-1, and the minimum cut can remove it.
 *
 * A sequence has tokens of its own. Its steps are samples with the same length and tokens and other
 * noise, so that hysteresis has something to hold on to. Sequences are independent of each other;
 * steps of one sequence are not.
 */
#include "sample.h"

#include <stdlib.h>

#include "random.h"

enum { CLUSTERS = 4 };

/* Parts of the coordinates: each part has every PARTS-th coordinate. */
enum part { FIRST, LAST, UNASKED = CLUSTERS, ASIDES, PARTS };

struct token {
    enum part cluster;
    enum { MEMBER, FILLER, ASIDE } kind;
};

int sample_init(struct sample *s, const struct options *o)
{
    size_t floats = o->heads * o->max_len * o->dim;

    *s = (struct sample){.heads = o->heads, .dim = o->dim};
    s->q = malloc(floats * 4 * sizeof(float));
    s->values = malloc(CLUSTERS * o->dim * sizeof(float));
    if (!s->q || !s->values) {
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
    free(s->values);
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

/* q and k are so large that some weights of a row are a hundred times as large as others. */
static void make_random(struct sample *s, uint64_t random)
{
    size_t count = sample_floats(s);

    fill(s->q, count, &random, 2);
    fill(s->k, count, &random, 2);
    fill(s->v, count, &random, 1);
}

static void add_to_part(float *row, size_t dim, enum part part, float value)
{
    for (size_t c = part; c < dim; c += PARTS)
        row[c] += value;
}

/* Draws the kind of a token. `text` is the same for all steps of a sequence. */
static struct token token_at(size_t i, size_t len, uint64_t *text)
{
    uint64_t kind = random_between(text, 1, 8);
    struct token t = {.cluster = (enum part)random_between(text, 0, CLUSTERS - 1)};

    if (i == 0)
        t.cluster = FIRST;
    else if (i + 1 == len)
        t.cluster = LAST;
    else if (kind == 1)
        t.kind = FILLER;
    else if (kind <= 3)
        t = (struct token){.cluster = LAST, .kind = ASIDE};
    return t;
}

/* Writes q, k and v of a token. `notice` is how much the first cluster notices asides. */
static void make_token(struct sample *s, size_t at, const struct token *t, float notice,
                       uint64_t *noise)
{
    const float *value = s->values + t->cluster * s->dim;
    float *q = s->q + at;
    float *k = s->k + at;

    fill(q, s->dim, noise, 0.25f);
    fill(k, s->dim, noise, 0.25f);
    fill(s->v + at, s->dim, noise, 0.5f);
    add_to_part(q, s->dim, t->cluster, 1.8f);
    add_to_part(q, s->dim, UNASKED, -0.8f);
    if (t->cluster == FIRST)
        add_to_part(q, s->dim, ASIDES, notice);
    add_to_part(k, s->dim, UNASKED, t->kind == FILLER ? 1.6f : 0.8f);
    if (t->kind == MEMBER)
        add_to_part(k, s->dim, t->cluster, 1.8f);
    if (t->kind == ASIDE)
        add_to_part(k, s->dim, ASIDES, 1);
    for (size_t c = 0; c < s->dim; c++)
        s->v[at + c] += value[c];
}

static void make_head(struct sample *s, size_t at, uint64_t *text, uint64_t *noise)
{
    float notice = 0.55f + random_float(noise, 0.15f);

    fill(s->values, CLUSTERS * s->dim, text, 1);
    for (size_t i = 0; i < s->len; i++, at += s->dim) {
        struct token t = token_at(i, s->len, text);

        make_token(s, at, &t, notice, noise);
    }
}

/* Sequence 0 is the longest; after it every fourth is twice as long as the shortest, every
   sixteenth four times, and so on. */
static size_t doubled_length(const struct options *o, size_t number)
{
    size_t len = o->min_len;

    while (len * 2 <= o->max_len && number % 4 == 0) {
        len *= 2;
        number /= 4;
    }
    return len;
}

/* The result depends only on the seed and the number, not on earlier calls. */
void sample_make(struct sample *s, const struct options *o, size_t number)
{
    uint64_t seed = o->seed;
    uint64_t of_seed = random_next(&seed);
    uint64_t random = of_seed + number;
    uint64_t sequence = number / o->steps;
    uint64_t length = of_seed + sequence * o->steps;

    s->first = number % o->steps == 0;
    if (o->doubling) {
        s->len = doubled_length(o, sequence);
    } else {
        (void)random_next(&random); /* of the first step, it is the one that decides the length */
        s->len = (size_t)random_between(&length, o->min_len, o->max_len);
    }
    if (o->clusters) {
        uint64_t text = of_seed ^ (sequence + 1) * 0xD1B54A32D192ED03u;

        for (size_t h = 0; h < s->heads; h++)
            make_head(s, h * s->len * s->dim, &text, &random);
    } else {
        make_random(s, random);
    }
}
