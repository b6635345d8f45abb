/* Tests the comparison of two witness logs. */
#include "support/test.h"

#include <stdio.h>

#include <tacho/witness.h>

#include "kit/witness/witness_compare.h"
#include "support/system.h"

/* Writes a log whose entries differ from those of another log by their time only. */
static void write_log(const char *path, size_t entries, uint64_t time)
{
    tacho_witness *w = NULL;
    uint8_t mask[3] = {1, 0, 1};

    assert_int_equal(tacho_witness_open(path, &w, NULL), 0);
    for (size_t i = 0; i < entries; i++) {
        char hash[24];
        tacho_witness_entry e = {
            .q_hash = hash,
            .k_hash = "k",
            .keep_mask = mask,
            .keep_count = sizeof mask,
            .cut_cost = (float)i,
            .lambda = 0.5f,
            .tau = 2,
            .timestamp = time + i,
        };

        snprintf(hash, sizeof hash, "%zu", i);
        assert_int_equal(tacho_witness_add(w, &e, NULL), 0);
    }
    assert_int_equal(tacho_witness_close(w, NULL), 0);
}

static void the_same_decisions_at_another_time_compare_equal(void **state)
{
    const char *a = test_at("a.jsonl"), *b = test_at("b.jsonl");
    struct tch_witness_comparison c;

    (void)state;
    write_log(a, 7, 1);
    write_log(b, 7, 2);
    assert_int_equal(tch_witness_compare(a, b, &c, NULL), 0);
    assert_true(c.compared == 7 && c.first_line[0] == 0);
    write_log(b, 5, 2);
    assert_int_equal(tch_witness_compare(a, b, &c, NULL), 0);
    assert_true(c.compared == 5 && c.entries[0] == 7 && c.entries[1] == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(the_same_decisions_at_another_time_compare_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
