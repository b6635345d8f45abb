/* Compares the parts of examples/attention with the reference's cases: masks and measures
   exactly, outputs to within 1e-5. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <tacho/fingerprint.h>

#include "attention.h"
#include "base/json_write.h"
#include "coherence.h"
#include "hysteresis.h"
#include "mincut.h"
#include "support/vectors.h"

enum { LIMIT = 1 << 20 };

static float *floats(struct test_json json, size_t *count)
{
    float *values;

    *count = test_count(json);
    values = calloc(*count + 1, sizeof *values);
    for (size_t i = 0; i < *count; i++)
        values[i] = test_f32_bits(test_element(json, i));
    return values;
}

static uint8_t *mask_of(struct test_json json, size_t *count)
{
    uint8_t *mask;

    *count = test_count(json);
    mask = calloc(*count + 1, 1);
    for (size_t i = 0; i < *count; i++)
        mask[i] = test_true(test_element(json, i));
    return mask;
}

static void expect_text(const char *id, struct test_json expected, struct tch_buf *got)
{
    char *text = test_text(expected, NULL);

    if (strcmp(got->data, text) != 0)
        fail_msg("case %s: got %s, expected %s", id, got->data, text);
    free(text);
    tch_buf_release(got);
}

static void add_gating(struct tch_buf *b, const uint8_t *keep, const struct mincut_result *r)
{
    tch_json_begin_object(b);
    tch_json_key(b, "keep_mask");
    tch_json_begin_array(b);
    for (size_t i = 0; i < r->total; i++)
        tch_json_bool(b, keep[i]);
    tch_json_end_array(b);
    tch_json_key(b, "cut_cost");
    tch_json_f32(b, r->cut_cost);
    tch_json_key(b, "edges_kept");
    tch_json_u64(b, r->kept);
    tch_json_key(b, "edges_total");
    tch_json_u64(b, r->total);
    tch_json_end_object(b);
}

/* Checks the mask and the cost of logits against the case. Returns the mask, which the caller
 * frees. */
static uint8_t *expect_gating(const struct test_case *c, const float *logits, size_t len)
{
    struct mincut m = {0};
    struct mincut_result r;
    struct tch_buf b;
    uint8_t *keep = calloc(len * len + 1, 1);

    assert_int_equal(mincut_init(&m, len), 0);
    mincut_gate(&m, logits, len, test_f32_bits(test_member(c->input, "lambda_bits")),
                test_f32_bits(test_member(c->input, "eps_bits")), keep, &r);
    mincut_release(&m);
    tch_buf_init(&b, LIMIT);
    add_gating(&b, keep, &r);
    expect_text(c->id, test_member(c->expect, "gating_json"), &b);
    return keep;
}

static void check_gating(const struct test_case *c, void *arg)
{
    size_t count;
    float *logits = floats(test_member(c->input, "logits_bits"), &count);
    size_t len = test_u64(test_member(c->input, "seq_len"));

    (void)arg;
    assert_int_equal(count, len * len);
    free(expect_gating(c, logits, len));
    free(logits);
}

static void gates_as_the_reference(void **state)
{
    (void)state;
    test_each_case("mincut_gating.jsonl", 21, check_gating, NULL);
}

static void expect_near(const char *id, struct test_json expected, const float *got)
{
    for (size_t i = 0; i < test_count(expected); i++) {
        struct test_json e = test_element(expected, i);
        char text[64];

        snprintf(text, sizeof text, "%.*s", (int)e.len, e.text);
        if (fabs(strtod(text, NULL) - (double)got[i]) > 1e-5)
            fail_msg("case %s: output %zu is %g, expected %s", id, i, (double)got[i], text);
    }
}

static void expect_hash(struct test_json expected, const float *values, size_t count)
{
    char hash[TACHO_SHA256_TEXT];
    char *text = test_text(expected, NULL);

    tacho_tensor_hash(values, count, hash);
    assert_string_equal(hash, text);
    free(text);
}

static void check_attention(const struct test_case *c, void *arg)
{
    size_t dim = test_u64(test_member(c->input, "d"));
    size_t len = test_u64(test_member(c->input, "seq_len"));
    size_t count;
    float *q = floats(test_member(c->input, "q_bits"), &count);
    float *k = floats(test_member(c->input, "k_bits"), &count);
    float *v = floats(test_member(c->input, "v_bits"), &count);
    float *out = calloc(count, sizeof *out);
    float *logits = calloc(len * len, sizeof *logits);
    struct attention a = {0};
    uint8_t *keep;

    (void)arg;
    assert_int_equal(attention_init(&a, len, dim), 0);
    attention_softmax(&a, q, k, v, len, out);
    expect_near(c->id, test_member(c->expect, "softmax_output"), out);
    attention_logits(&a, q, k, len, logits);
    keep = expect_gating(c, logits, len);
    attention_gated(&a, logits, keep, v, len, out);
    expect_near(c->id, test_member(c->expect, "mincut_output"), out);
    expect_hash(test_member(c->expect, "q_hash"), q, count);
    expect_hash(test_member(c->expect, "k_hash"), k, count);
    attention_release(&a);
    free(keep);
    free(logits);
    free(out);
    free(q);
    free(k);
    free(v);
}

static void attends_as_the_reference(void **state)
{
    (void)state;
    test_each_case("attn_mincut.jsonl", 6, check_attention, NULL);
}

static void check_hysteresis(const struct test_case *c, void *arg)
{
    struct test_json steps = test_member(c->input, "masks");
    struct test_json expected = test_member(c->expect, "masks");
    struct hysteresis h;

    (void)arg;
    hysteresis_init(&h, test_u64(test_member(c->input, "tau")));
    for (size_t i = 0; i < test_count(steps); i++) {
        size_t count;
        size_t wanted;
        uint8_t *mask = mask_of(test_element(steps, i), &count);
        uint8_t *stable = mask_of(test_element(expected, i), &wanted);

        assert_int_equal(hysteresis_apply(&h, mask, count), 0);
        if (count != wanted || memcmp(mask, stable, count) != 0)
            fail_msg("case %s: step %zu differs", c->id, i);
        free(mask);
        free(stable);
    }
    assert_int_equal(h.step, test_u64(test_member(c->expect, "step")));
    hysteresis_release(&h);
}

static void keeps_masks_like_the_reference(void **state)
{
    (void)state;
    test_each_case("hysteresis.jsonl", 7, check_hysteresis, NULL);
}

static void check_coherence(const struct test_case *c, void *arg)
{
    size_t count;
    float *a = floats(test_member(c->input, "a_bits"), &count);
    float *b = floats(test_member(c->input, "b_bits"), &count);
    struct coherence k =
        coherence_of(a, b, count, test_f64_bits(test_member(c->input, "threshold_bits")));
    struct tch_buf json;

    (void)arg;
    tch_buf_init(&json, LIMIT);
    tch_json_begin_object(&json);
    tch_json_key(&json, "coherence_delta");
    tch_json_f64(&json, k.delta);
    tch_json_key(&json, "decision_flips");
    tch_json_u64(&json, k.flips);
    tch_json_key(&json, "path_length_change");
    tch_json_f64(&json, k.path_length_change);
    tch_json_end_object(&json);
    expect_text(c->id, test_member(c->expect, "delta_json"), &json);
    tch_buf_init(&json, LIMIT);
    tch_json_begin_object(&json);
    tch_json_key(&json, "cosine_sim");
    tch_json_f64(&json, k.cosine);
    tch_json_key(&json, "l2_dist");
    tch_json_f64(&json, k.distance);
    tch_json_key(&json, "passes_threshold");
    tch_json_bool(&json, k.passes);
    tch_json_end_object(&json);
    expect_text(c->id, test_member(c->expect, "quality_json"), &json);
    free(a);
    free(b);
}

static void measures_coherence_as_the_reference(void **state)
{
    (void)state;
    test_each_case("coherence_delta.jsonl", 11, check_coherence, NULL);
}

static void check_masks(const struct test_case *c, void *arg)
{
    size_t a_count;
    size_t b_count;
    uint8_t *a = mask_of(test_member(c->input, "a"), &a_count);
    uint8_t *b = mask_of(test_member(c->input, "b"), &b_count);
    struct mask_difference d = mask_difference_of(a, a_count, b, b_count);
    struct tch_buf json;

    (void)arg;
    tch_buf_init(&json, LIMIT);
    tch_json_begin_object(&json);
    tch_json_key(&json, "jaccard");
    tch_json_f64(&json, d.jaccard);
    tch_json_key(&json, "edge_flips");
    tch_json_u64(&json, d.flips);
    tch_json_key(&json, "baseline_edges");
    tch_json_u64(&json, d.baseline_edges);
    tch_json_key(&json, "gated_edges");
    tch_json_u64(&json, d.gated_edges);
    tch_json_key(&json, "sparsity_ratio");
    tch_json_f64(&json, d.sparsity_ratio);
    tch_json_end_object(&json);
    expect_text(c->id, test_member(c->expect, "json"), &json);
    free(a);
    free(b);
}

static void compares_masks_as_the_reference(void **state)
{
    (void)state;
    test_each_case("coherence_masks.jsonl", 11, check_masks, NULL);
}

/* --- Cases by hand --- */

/* Two keys that fit a query equally well weigh 1/2 each; without one of them, the other weighs
   1. */
static void attends_to_equal_keys_equally(void **state)
{
    static const float q[] = {1, 0, 0, 1};
    static const float k[] = {2, 2, 2, 2};
    static const float v[] = {1, 10, 3, 30};
    static const uint8_t keep[] = {0, 1, 0, 0};
    struct attention a = {0};
    float logits[4];
    float out[4];

    (void)state;
    assert_int_equal(attention_init(&a, 2, 2), 0);
    attention_softmax(&a, q, k, v, 2, out);
    for (int i = 0; i < 4; i++)
        assert_true(fabsf(out[i] - (i % 2 ? 20.f : 2.f)) < 1e-5f);
    attention_logits(&a, q, k, 2, logits);
    assert_true(fabsf(logits[0] - 1.41421356f) < 1e-6f);
    attention_gated(&a, logits, keep, v, 2, out);
    assert_true(out[0] == 3 && out[1] == 30 && out[2] == 0 && out[3] == 0);
    attention_release(&a);
}

static void an_entry_flips_when_asked_twice_in_a_row(void **state)
{
    static const uint8_t raw[][2] = {{1, 0}, {0, 0}, {1, 1}, {0, 1}, {0, 0}, {0, 0}};
    static const uint8_t stable[][2] = {{1, 0}, {1, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    struct hysteresis h;

    (void)state;
    hysteresis_init(&h, 2);
    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++) {
        uint8_t mask[2] = {raw[i][0], raw[i][1]};

        assert_int_equal(hysteresis_apply(&h, mask, 2), 0);
        assert_memory_equal(mask, stable[i], 2);
    }
    assert_int_equal(h.step, 6);
    hysteresis_release(&h);
}

static void measures_vectors_by_hand(void **state)
{
    struct coherence k = coherence_of((float[]){3, 4}, (float[]){3, -4}, 2, 0.99);

    (void)state;
    assert_true(fabs(k.cosine + 7.0 / 25) < 1e-15 && fabs(k.delta + 32.0 / 25) < 1e-15);
    assert_true(k.flips == 1 && k.path_length_change == 0 && k.distance == 8 && !k.passes);
    k = coherence_of((float[]){3, 4}, (float[]){6, 8}, 2, 0.99);
    assert_true(k.cosine == 1 && k.path_length_change == 1 && k.distance == 5 && k.passes);
    k = coherence_of((float[]){0, 0}, (float[]){1, 0}, 2, 0.99);
    assert_true(k.cosine == 0 && k.path_length_change == 0 && !k.passes);
}

static void measures_masks_by_hand(void **state)
{
    static const uint8_t a[] = {1, 1, 0, 0};
    static const uint8_t b[] = {1, 0, 1, 0, 1};
    struct mask_difference d = mask_difference_of(a, 4, b, 5);

    (void)state;
    assert_true(d.jaccard == 0.25 && d.flips == 3 && d.baseline_edges == 2 && d.gated_edges == 3);
    assert_true(fabs(d.sparsity_ratio - 0.4 / 0.6) < 1e-15);
    d = mask_difference_of(NULL, 0, NULL, 0);
    assert_true(d.jaccard == 1 && d.flips == 0 && d.sparsity_ratio == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gates_as_the_reference),
        cmocka_unit_test(attends_as_the_reference),
        cmocka_unit_test(keeps_masks_like_the_reference),
        cmocka_unit_test(measures_coherence_as_the_reference),
        cmocka_unit_test(compares_masks_as_the_reference),
        cmocka_unit_test(attends_to_equal_keys_equally),
        cmocka_unit_test(an_entry_flips_when_asked_twice_in_a_row),
        cmocka_unit_test(measures_vectors_by_hand),
        cmocka_unit_test(measures_masks_by_hand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
