/* Tests witness logs, and bundles of lines as earlier versions wrote them: exact lines, and that
   every change of a file is found. test_rvf.c tests the bundles that are written today. */
#include "support/test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tacho/witness.h>

#include "base/file.h"
#include "lib/witness/witness_chain.h"
#include "lib/witness/witness_entry.h"
#include "support/system.h"
#include "support/vectors.h"

enum { LIMIT = 1 << 24 };

static char log_a[80];
static char log_b[80];
static char bundle[80];

static int make_home(void **state)
{
    int status = test_home_make(state);

    snprintf(log_a, sizeof log_a, "%s/a.jsonl", test_home);
    snprintf(log_b, sizeof log_b, "%s/b.jsonl", test_home);
    snprintf(bundle, sizeof bundle, "%s/witness.rvf", test_home);
    return status;
}

#define IN_HOME(test) cmocka_unit_test_setup_teardown(test, make_home, test_home_remove)

static uint8_t *mask_of(struct test_json json, size_t *count)
{
    uint8_t *mask;

    *count = test_count(json);
    mask = calloc(*count + 1, 1);
    for (size_t i = 0; i < *count; i++)
        mask[i] = test_true(test_element(json, i));
    return mask;
}

static void check_line(const struct test_case *c, void *arg)
{
    char *q = test_text(test_member(c->input, "q_hash"), NULL);
    char *k = test_text(test_member(c->input, "k_hash"), NULL);
    char *expected = test_text(test_member(c->expect, "line"), NULL);
    size_t count;
    uint8_t *mask = mask_of(test_member(c->input, "keep_mask"), &count);
    tacho_witness_entry e = {
        .q_hash = q,
        .k_hash = k,
        .keep_mask = mask,
        .keep_count = count,
        .cut_cost = test_f32_bits(test_member(c->input, "cut_cost_bits")),
        .lambda = test_f32_bits(test_member(c->input, "lambda_bits")),
        .tau = test_u64(test_member(c->input, "tau")),
        .eps = test_f32_bits(test_member(c->input, "eps_bits")),
        .timestamp = test_u64(test_member(c->input, "timestamp")),
    };
    char *line = NULL;
    size_t len;

    (void)arg;
    assert_int_equal(tacho_witness_line(&e, &line, &len, NULL), 0);
    if (strcmp(line, expected) != 0)
        fail_msg("case %s: got %s, expected %s", c->id, line, expected);
    assert_int_equal(len, strlen(expected));
    free(line);
    free(expected);
    free(mask);
    free(q);
    free(k);
}

static void writes_the_lines_of_the_reference(void **state)
{
    (void)state;
    test_each_case("witness_log.jsonl", 13, check_line, NULL);
}

static void writes_a_line_in_the_order_of_the_fields(void **state)
{
    static const uint8_t mask[] = {1, 0, 1};
    tacho_witness_entry e = {.q_hash = "ab",
                             .k_hash = "cd",
                             .keep_mask = mask,
                             .keep_count = 3,
                             .cut_cost = 1.5f,
                             .lambda = 0.3f,
                             .tau = 4,
                             .eps = 0.01f,
                             .timestamp = 1700000000};
    char *line = NULL;
    size_t len;

    (void)state;
    assert_int_equal(tacho_witness_line(&e, &line, &len, NULL), 0);
    assert_string_equal(line,
                        "{\"q_hash\":\"ab\",\"k_hash\":\"cd\",\"keep_mask\":[true,false,true],"
                        "\"cut_cost\":1.5,\"lambda\":0.3,\"tau\":4,\"eps\":0.01,"
                        "\"timestamp\":1700000000}");
    assert_int_equal(len, strlen(line));
    free(line);
    e.keep_count = 0;
    e.cut_cost = INFINITY;
    assert_int_equal(tacho_witness_line(&e, &line, &len, NULL), 0);
    assert_non_null(strstr(line, "\"keep_mask\":[],\"cut_cost\":null,"));
    free(line);
}

/* Writes entries that differ from one another. Two logs of the same length differ only in
   `time`. */
static int write_log(const char *path, size_t entries, uint64_t time)
{
    tacho_witness *w = NULL;
    int status = tacho_witness_open(path, &w, NULL);

    for (size_t i = 0; i < entries && status == 0; i++) {
        uint8_t mask[5] = {i & 1, 1, 0, i & 2 ? 1 : 0, 1};
        float q[2] = {(float)i, 1};
        char hash[TACHO_SHA256_TEXT];
        tacho_witness_entry e = {.q_hash = hash,
                                 .k_hash = hash,
                                 .keep_mask = mask,
                                 .keep_count = i % 6,
                                 .cut_cost = i == 2 ? NAN : 0.1f * (float)i,
                                 .lambda = 0.3f,
                                 .tau = i,
                                 .eps = 0.01f,
                                 .timestamp = time + i};

        tacho_tensor_hash(q, 2, hash);
        status = tacho_witness_add(w, &e, NULL);
    }
    if (tacho_witness_close(w, NULL) < 0)
        return -1;
    return status;
}

static struct tch_buf contents(const char *path)
{
    struct tch_buf b;

    tch_buf_init(&b, LIMIT);
    assert_int_equal(tch_file_read(path, LIMIT, &b, NULL), 0);
    return b;
}

/* Reads the whole file. Returns 0 when it is valid and closed, the number of a bad line, or -1
   when it is not closed. */
static long bad_line(const char *data, size_t len)
{
    tacho_witness_reader *r = NULL;
    tacho_witness_entry e;
    tacho_error err = {0};
    bool closed;
    int more;

    assert_int_equal(tacho_witness_reader_open_mem(data, len, &r, NULL), 0);
    while ((more = tacho_witness_next(r, &e, &err)) > 0)
        ;
    closed = tacho_witness_reader_is_closed(r);
    tacho_witness_reader_close(r);
    if (more == 0)
        return closed ? 0 : -1;
    assert_int_equal(more, TACHO_EPARSE);
    assert_true(err.line > 0 && err.message[0]);
    return (long)err.line;
}

static void comes_back_as_it_went_out(void **state)
{
    tacho_witness_reader *r = NULL;
    tacho_witness_entry e;
    uint64_t i = 0;

    (void)state;
    assert_int_equal(write_log(log_a, 7, 1000), 0);
    assert_int_equal(tacho_witness_reader_open(log_a, &r, NULL), 0);
    for (; tacho_witness_next(r, &e, NULL) > 0; i++) {
        assert_int_equal(e.keep_count, i % 6);
        assert_int_equal(e.tau, i);
        assert_int_equal(e.timestamp, 1000 + i);
        assert_true(i == 2 ? isnan(e.cut_cost) : e.cut_cost == (float)(0.1f * (float)i));
        assert_true(e.lambda == (float)0.3f && e.eps == (float)0.01f);
        assert_int_equal(strlen(e.q_hash), 64);
        assert_true(e.keep_count < 4 || e.keep_mask[3] == (i & 2 ? 1 : 0));
    }
    assert_int_equal(i, 7);
    assert_int_equal(tacho_witness_reader_kind(r), TACHO_WITNESS_LOG);
    assert_true(tacho_witness_reader_is_closed(r));
    assert_int_equal(tacho_witness_reader_entry_count(r), 7);
    assert_int_equal(tacho_witness_reader_line(r), 8);
    assert_null(tacho_witness_reader_config(r));
    tacho_witness_reader_close(r);
}

/* Reads the entry of a line that is not in a chain. */
static int read_entry(const char *text, size_t len, struct tch_witness_room *room,
                      tacho_witness_entry *ret)
{
    struct tch_line line = {.text = text, .len = len, .number = 1, .ended = true};

    tch_buf_init(&room->mask, LIMIT);
    tch_buf_init(&room->texts, LIMIT);
    tch_buf_init(&room->rest, LIMIT);
    return tch_witness_entry_read(&line, room, ret, NULL);
}

static void release_room(struct tch_witness_room *room)
{
    tch_buf_release(&room->mask);
    tch_buf_release(&room->texts);
    tch_buf_release(&room->rest);
}

static void masks_of_every_length_are_read_back(void **state)
{
    uint8_t mask[40];

    (void)state;
    for (size_t count = 0; count <= sizeof mask; count++) {
        struct tch_witness_room room;
        tacho_witness_entry e = {
            .q_hash = "", .k_hash = "", .keep_mask = mask, .keep_count = count};
        tacho_witness_entry back;
        struct tch_buf plain;
        char *line = NULL;
        size_t len;

        tch_buf_init(&plain, LIMIT);
        for (size_t i = 0; i < count; i++) {
            mask[i] = (uint8_t)((i * i + count) % 3); /* 2 counts as true, too */
            tch_buf_addf(&plain, "%s%s", i > 0 ? "," : "[", mask[i] ? "true" : "false");
        }
        tch_buf_adds(&plain, count > 0 ? "]" : "[]");
        assert_int_equal(tacho_witness_line(&e, &line, &len, NULL), 0);
        assert_non_null(strstr(line, plain.data));
        assert_int_equal(read_entry(line, len, &room, &back), 0);
        assert_int_equal(back.keep_count, count);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(back.keep_mask[i], mask[i] != 0);
        release_room(&room);
        tch_buf_release(&plain);
        free(line);
    }
}

/* A mask inside another member belongs to that member, whatever its name. */
static void the_mask_is_the_entrys_own(void **state)
{
    static const char *const members[] = {
        "\"x\":{\"keep_mask\":[true,true,true]},\"keep_mask\":[false]",
        "\"x\":{\"keep_mask\":[1,2]},\"keep_mask\":[false]",
        "\"x\":{\"keep_mask\":[]},\"keep_mask\":[false]",
        "\"x\":[{\"keep_mask\":[[true]]}],\"keep_mask\":[false]",
        "\"keep_mask\":[false],\"x\":{\"keep_mask\":[true,true]}",
        "\"keep_mask\": [false],\"x\":{\"keep_mask\":[true,true]}",
        "\"keep_mask\":[true,true],\"keep_mask\":[false]",
    };

    (void)state;
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        struct tch_witness_room room;
        tacho_witness_entry e;
        char line[256];
        int len = snprintf(line, sizeof line,
                           "{\"q_hash\":\"\",\"k_hash\":\"\",%s,\"cut_cost\":0.0,"
                           "\"lambda\":0.0,\"tau\":0,\"eps\":0.0,\"timestamp\":0}",
                           members[i]);

        assert_int_equal(read_entry(line, (size_t)len, &room, &e), 0);
        assert_int_equal(e.keep_count, 1);
        assert_int_equal(e.keep_mask[0], 0);
        release_room(&room);
    }
}

static void a_mask_of_other_values_is_refused(void **state)
{
    static const char *const masks[] = {
        "[true,]",
        "[tru]",
        "[true false]",
        "[true,,false]",
        "[1]",
        "[,true]",
        "[true",
        "[falsf,true,true,true]",
        "[true;true,true,true]",
        "[[true]]",
        "[ true ]",
        "[\"a]\"]",
        "[true,true,true,True]",
        "[false,false,false,fals]",
    };

    (void)state;
    for (size_t i = 0; i < sizeof masks / sizeof masks[0]; i++) {
        struct tch_witness_room room;
        tacho_witness_entry e;
        char line[256];
        int len = snprintf(line, sizeof line,
                           "{\"q_hash\":\"\",\"k_hash\":\"\",\"keep_mask\":%s,\"cut_cost\":0.0,"
                           "\"lambda\":0.0,\"tau\":0,\"eps\":0.0,\"timestamp\":0}",
                           masks[i]);

        assert_int_equal(read_entry(line, (size_t)len, &room, &e), TACHO_EPARSE);
        release_room(&room);
    }
}

/* Adds a line of the bundle itself. */
static void add_own_line(struct tch_buf *b, struct tch_chain *chain, const char *object)
{
    size_t start = b->len;

    tch_buf_adds(b, object);
    tch_chain_add(chain, b, start);
}

/* Adds the lines of a log and the line that follows them. */
static void add_log_lines(struct tch_buf *b, struct tch_chain *chain, const char *path,
                          const char *name, int entries)
{
    struct tch_buf log = contents(path);
    char object[160];

    snprintf(object, sizeof object, "{\"log\":\"%s\",\"entries\":%d,\"last\":\"%.64s\"", name,
             entries, log.data + log.len - strlen("\"}\n") - 64);
    tch_buf_add(b, log.data, log.len);
    add_own_line(b, chain, object);
    tch_buf_release(&log);
}

/* Writes a bundle of lines, "tacho.witness.bundle.v1". */
static void pack_two_logs_as_lines(void)
{
    static const char config[] = "{\"seed\":42}";
    static const char environment[] = "{\"cpu_model\":\"none\"}";
    char config_hash[TACHO_SHA256_TEXT];
    char env_hash[TACHO_ENV_HASH_TEXT];
    char head[400];
    struct tch_chain chain;
    struct tch_buf b;

    assert_int_equal(write_log(log_a, 3, 5), 0);
    assert_int_equal(write_log(log_b, 2, 50), 0);
    tacho_sha256(config, strlen(config), config_hash);
    tacho_environment_hash(environment, strlen(environment), env_hash);
    snprintf(head, sizeof head,
             "{\"schema\":\"tacho.witness.bundle.v1\",\"config\":%s,\"config_hash\":\"%s\","
             "\"environment\":%s,\"environment_hash\":\"%s\"",
             config, config_hash, environment, env_hash);
    tch_buf_init(&b, LIMIT);
    tch_chain_init(&chain);
    add_own_line(&b, &chain, head);
    add_log_lines(&b, &chain, log_a, "a", 3);
    add_log_lines(&b, &chain, log_b, "b", 2);
    add_own_line(&b, &chain, "{\"logs\":2,\"entries\":5");
    assert_int_equal(tch_file_replace(bundle, b.data, b.len, false, NULL), 0);
    tch_buf_release(&b);
}

static void a_bundle_of_lines_describes_its_logs(void **state)
{
    tacho_witness_reader *r = NULL;
    tacho_witness_entry e;

    (void)state;
    pack_two_logs_as_lines();
    assert_int_equal(tacho_witness_reader_open(bundle, &r, NULL), 0);
    while (tacho_witness_next(r, &e, NULL) > 0)
        ;
    assert_int_equal(tacho_witness_reader_kind(r), TACHO_WITNESS_BUNDLE);
    assert_true(tacho_witness_reader_is_closed(r));
    assert_int_equal(tacho_witness_reader_log_count(r), 2);
    assert_int_equal(tacho_witness_reader_entry_count(r), 5);
    assert_string_equal(tacho_witness_reader_config(r), "{\"seed\":42}");
    assert_string_equal(tacho_witness_reader_log_name(r), "b");
    tacho_witness_reader_close(r);
}

/* Flips every bit of the file, one at a time. The reported line must be the changed one or, when
   a line feed was changed, one of the two lines around it. */
static void every_flipped_bit_is_found(const char *path)
{
    struct tch_buf b = contents(path);
    long line = 1;

    for (size_t i = 0; i < b.len; i++) {
        bool feed = b.data[i] == '\n';

        for (int bit = 0; bit < 8; bit++) {
            long bad;

            b.data[i] = (char)(b.data[i] ^ 1 << bit);
            bad = bad_line(b.data, b.len);
            if (bad != line && !(feed && bad == line + 1))
                fail_msg("byte %zu bit %d of '%s', line %ld: %ld", i, bit, path, line, bad);
            b.data[i] = (char)(b.data[i] ^ 1 << bit);
        }
        line += feed;
    }
    assert_int_equal(bad_line(b.data, b.len), 0);
    tch_buf_release(&b);
}

static void one_flipped_bit_in_a_bundle_is_found(void **state)
{
    (void)state;
    pack_two_logs_as_lines();
    every_flipped_bit_is_found(bundle);
}

static void one_flipped_bit_in_a_log_is_found(void **state)
{
    (void)state;
    assert_int_equal(write_log(log_a, 3, 5), 0);
    every_flipped_bit_is_found(log_a);
}

/* Finds where each line starts and returns the number of lines. */
static size_t line_starts(const struct tch_buf *b, size_t start[32])
{
    size_t n = 0;

    start[n++] = 0;
    for (size_t i = 0; i < b->len; i++)
        if (b->data[i] == '\n')
            start[n++] = i + 1;
    return n - 1;
}

/* Checks the file with its lines in the order given, where -1 leaves a line out. */
static long bad_line_of(const struct tch_buf *b, const int *order, size_t count)
{
    struct tch_buf made;
    size_t start[32];
    long bad;

    (void)line_starts(b, start);
    tch_buf_init(&made, LIMIT);
    for (size_t i = 0; i < count; i++)
        if (order[i] >= 0)
            tch_buf_add(&made, b->data + start[order[i]], start[order[i] + 1] - start[order[i]]);
    bad = bad_line(made.data, made.len);
    tch_buf_release(&made);
    return bad;
}

/* Leaves out each line, and swaps each two. Two cases are found a little later than they begin:
   a bundle without its first line begins like a log, and the first entries of two logs may
   replace each other until the next line. */
static void dropped_and_swapped_lines_are_found(const char *path)
{
    struct tch_buf b = contents(path);
    size_t start[32];
    size_t count = line_starts(&b, start);
    int order[32];
    long bad;

    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++)
            order[k] = k == i ? -1 : (int)k;
        bad = bad_line_of(&b, order, count);
        assert_int_not_equal(bad, 0);
        if (i > 0 && i + 1 < count)
            assert_int_equal(bad, i + 1);
        for (size_t j = i + 1; j < count; j++) {
            for (size_t k = 0; k < count; k++)
                order[k] = (int)(k == i ? j : k == j ? i : k);
            bad = bad_line_of(&b, order, count);
            assert_true(bad > (long)i && bad <= (i > 0 ? (long)i + 2 : (long)count));
        }
    }
    tch_buf_release(&b);
}

static void lines_dropped_or_swapped_are_found(void **state)
{
    (void)state;
    pack_two_logs_as_lines();
    dropped_and_swapped_lines_are_found(bundle);
    dropped_and_swapped_lines_are_found(log_a);
}

static void a_cut_file_is_found(void **state)
{
    struct tch_buf b;

    (void)state;
    pack_two_logs_as_lines();
    b = contents(bundle);
    for (size_t len = 0; len < b.len; len++)
        assert_true(bad_line(b.data, len) > 0);
    tch_buf_release(&b);
}

static void a_log_that_was_not_closed_says_so(void **state)
{
    struct tch_buf b;
    const char *logs[] = {log_a};
    tacho_witness_pack pack = TACHO_WITNESS_PACK_INIT;
    tacho_error err;
    size_t start[32];
    size_t count;

    (void)state;
    assert_int_equal(write_log(log_a, 3, 5), 0);
    b = contents(log_a);
    count = line_starts(&b, start);
    assert_int_equal(bad_line(b.data, start[count - 1]), -1);
    assert_int_equal(tch_file_replace(log_a, b.data, start[count - 1], false, NULL), 0);
    pack.logs = logs;
    pack.log_count = 1;
    assert_int_equal(tacho_witness_pack_write(bundle, &pack, NULL, &err), TACHO_EPARSE);
    assert_non_null(strstr(err.message, "is not closed"));
    assert_int_equal(access(bundle, F_OK), -1);
    tch_buf_release(&b);
}

static void refuses_what_cannot_be(void **state)
{
    tacho_witness *w = NULL;
    tacho_witness_entry e = {
        .q_hash = "", .k_hash = "", .keep_count = TACHO_WITNESS_MASK_MAX + 1, .tau = 1};
    tacho_error err;

    (void)state;
    assert_int_equal(tacho_witness_open("/proc/none/x", &w, &err), TACHO_EIO);
    assert_int_equal(tacho_witness_open(log_a, &w, NULL), 0);
    assert_int_equal(tacho_witness_add(w, &e, &err), TACHO_ELIMIT);
    e.keep_count = 0;
    assert_int_equal(tacho_witness_add(w, &e, &err), TACHO_ELIMIT); /* the failure stays */
    assert_int_equal(tacho_witness_close(w, &err), TACHO_ELIMIT);
    assert_int_equal(tacho_witness_close(NULL, NULL), 0);
    assert_int_equal(bad_line("", 0), 1);
    assert_int_equal(bad_line("{}\n", 3), 1);
}

static int write_and_pack(void *arg)
{
    const char *logs[] = {log_a};
    tacho_witness_pack pack = TACHO_WITNESS_PACK_INIT;
    tacho_witness_reader *r;
    tacho_witness_entry e;
    int more;

    (void)arg;
    pack.logs = logs;
    pack.log_count = 1;
    if (write_log(log_a, 3, 5) < 0 || tacho_witness_pack_write(bundle, &pack, NULL, NULL) < 0 ||
        tacho_witness_reader_open(bundle, &r, NULL) < 0)
        return -1;
    while ((more = tacho_witness_next(r, &e, NULL)) > 0)
        ;
    tacho_witness_reader_close(r);
    return more;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    test_every_allocation_fails(write_and_pack, NULL);
}

/* Its hash is right, but one reader would use the first value and another the last. */
static void a_repeated_key_is_refused(void **state)
{
    static const char *const objects[] = {"{\"a\":1,\"b\":2", "{\"a\":1,\"b\":2,\"a\":3"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct tch_chain chain;
        struct tch_buf b;
        tacho_error err;

        tch_buf_init(&b, LIMIT);
        tch_buf_adds(&b, objects[i]);
        tch_chain_init(&chain);
        tch_chain_add(&chain, &b, 0);
        tch_chain_init(&chain);
        assert_int_equal(
            tch_chain_check(
                &chain,
                &(struct tch_line){.text = b.data, .len = b.len - 1, .number = 1, .ended = true},
                &err),
            i == 0 ? 0 : TACHO_EPARSE);
        if (i == 1)
            assert_non_null(strstr(err.message, "twice"));
        tch_buf_release(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_the_lines_of_the_reference),
        cmocka_unit_test(writes_a_line_in_the_order_of_the_fields),
        IN_HOME(comes_back_as_it_went_out),
        cmocka_unit_test(masks_of_every_length_are_read_back),
        cmocka_unit_test(the_mask_is_the_entrys_own),
        cmocka_unit_test(a_mask_of_other_values_is_refused),
        IN_HOME(a_bundle_of_lines_describes_its_logs),
        IN_HOME(one_flipped_bit_in_a_bundle_is_found),
        IN_HOME(one_flipped_bit_in_a_log_is_found),
        IN_HOME(lines_dropped_or_swapped_are_found),
        IN_HOME(a_cut_file_is_found),
        IN_HOME(a_log_that_was_not_closed_says_so),
        IN_HOME(refuses_what_cannot_be),
        cmocka_unit_test(a_repeated_key_is_refused),
        IN_HOME(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
