/* Tests bundles as RVF files: their layout, that every change is found, and files of other
   programs. */
#include "support/test.h"

#include <endian.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <tacho/witness.h>

#include "base/file.h"
#include "base/sha256.h"
#include "base/shake256.h"
#include "lib/witness/rvf.h"
#include "support/system.h"

enum { LIMIT = 1 << 24, MOST = 16 };

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

static int write_log(const char *path, size_t entries)
{
    tacho_witness *w = NULL;
    int status = tacho_witness_open(path, &w, NULL);

    for (size_t i = 0; i < entries && status == 0; i++) {
        const uint8_t mask[4] = {1, 0, i & 1, 1};
        char hash[TACHO_SHA256_TEXT];
        tacho_witness_entry e = {.q_hash = hash,
                                 .k_hash = hash,
                                 .keep_mask = mask,
                                 .keep_count = 4,
                                 .cut_cost = 0.5f,
                                 .lambda = 0.3f,
                                 .tau = i,
                                 .timestamp = 1700000000 + i};

        tacho_sha256(&mask[2], 1, hash);
        status = tacho_witness_add(w, &e, NULL);
    }
    if (tacho_witness_close(w, NULL) < 0)
        return -1;
    return status;
}

static int write_bundle(void)
{
    const char *logs[] = {log_a, log_b};
    tacho_witness_pack pack = TACHO_WITNESS_PACK_INIT;

    pack.config = "{ \"seed\": 42 }";
    pack.logs = logs;
    pack.log_count = 2;
    if (write_log(log_a, 3) < 0 || write_log(log_b, 1) < 0)
        return -1;
    return tacho_witness_pack_write(bundle, &pack, NULL, NULL);
}

static struct tch_buf contents(const char *path)
{
    struct tch_buf b;

    tch_buf_init(&b, LIMIT);
    assert_int_equal(tch_file_read(path, LIMIT, &b, NULL), 0);
    return b;
}

static struct tch_buf make_bundle(void)
{
    assert_int_equal(write_bundle(), 0);
    return contents(bundle);
}

/* Returns the segment that the message of a failure names, or 0 when the file is valid. */
static unsigned long bad_segment(const void *data, size_t len)
{
    tacho_witness_reader *r = NULL;
    tacho_witness_entry e;
    tacho_error err = {0};
    unsigned long number = 0;
    int more;

    assert_int_equal(tacho_witness_reader_open_mem(data, len, &r, NULL), 0);
    while ((more = tacho_witness_next(r, &e, &err)) > 0)
        ;
    assert_true(more == TACHO_EPARSE || more == TACHO_EUNSUPPORTED ||
                (more == 0 && tacho_witness_reader_is_closed(r)));
    assert_int_equal(err.line, 0);
    if (more < 0 && sscanf(err.message, "segment %lu", &number) != 1)
        fail_msg("'%s' names no segment", err.message);
    assert_true(more == 0 || number == tacho_witness_reader_segment(r));
    tacho_witness_reader_close(r);
    return number;
}

/* Finds where each segment starts and where the last one ends. Returns the number of segments. */
static size_t segment_starts(const struct tch_buf *b, size_t start[MOST])
{
    size_t n = 0;
    size_t at = 0;

    while (at < b->len) {
        uint64_t length;

        memcpy(&length, b->data + at + 16, sizeof length);
        length = le64toh(length);
        start[n++] = at;
        at += 64 + (size_t)length + tch_rvf_padding(length);
    }
    assert_int_equal(at, b->len);
    start[n] = at;
    return n;
}

static void assert_sha256(const void *data, size_t len, const char *hex)
{
    char got[TCH_SHA256_HEX];

    tch_sha256_hex(got, data, len);
    assert_string_equal(got, hex);
}

/* Two entries whose bytes were checked by RuVector's own code. */
static void writes_the_bytes_of_the_reference(void **state)
{
    struct tch_rvf_chain chain = {{0}};
    uint8_t segment[256] = {0};
    uint8_t *payload = segment + TCH_RVF_HEADER;
    uint8_t hash[TCH_RVF_HASH];
    char hex[TCH_SHA256_HEX];

    (void)state;
    tch_sha256_hex(hex, "a", 1);
    tch_rvf_entry(&chain, hex, 1, payload);
    tch_sha256_hex(hex, "b", 1);
    tch_rvf_entry(&chain, hex, 2, payload + TCH_RVF_ENTRY);
    assert_sha256(payload, 146, "d96c43e84e9ba0d78d5ba3ece86e2399518fed799037f042f2985f31bdb9e411");
    tch_sha256_digest_hex(hex, chain.link);
    assert_string_equal(hex, "52299dbe93da189a567f7311a7ea7b20a44f9ec0593ee2c3cd1980662ddcc15c");
    tch_shake256(payload, 146, hash, sizeof hash);
    tch_rvf_header(segment, TCH_RVF_WITNESS, 1, 146, hash);
    assert_sha256(segment, sizeof segment,
                  "965ccfa44180d323e4975e38c513cf3d5204f8c783423b2b3978ed9dfef68b70");
}

static void a_bundle_has_a_meta_and_a_witness_segment_per_log(void **state)
{
    static const uint8_t types[] = {TCH_RVF_META, TCH_RVF_META,    TCH_RVF_WITNESS,
                                    TCH_RVF_META, TCH_RVF_WITNESS, TCH_RVF_META};
    static const size_t entries[] = {0, 0, 4, 0, 2, 0}; /* one per line, including the last line */
    struct tch_buf b = make_bundle();
    struct tch_buf log = contents(log_a);
    size_t start[MOST];

    (void)state;
    assert_int_equal(segment_starts(&b, start), 6);
    for (size_t i = 0; i < 6; i++) {
        const uint8_t *at = (const uint8_t *)b.data + start[i];

        assert_memory_equal(at, "\x53\x46\x56\x52\x01", 5);
        assert_int_equal(at[5], types[i]);
        assert_int_equal(at[8], i + 1);
        assert_int_equal(start[i] % 64, 0);
        if (entries[i] > 0)
            assert_int_equal(at[16] | at[17] << 8, entries[i] * 73);
    }
    /* The text of the log is unchanged, and the entry of its first line contains that line's
       hash. */
    assert_non_null(memmem(b.data + start[1], start[2] - start[1], log.data, log.len));
    assert_non_null(memmem(b.data + start[1], 100, "{\"log\":\"a\",", 11));
    tch_buf_release(&log);
    tch_buf_release(&b);
}

static void entries_come_back_with_their_log(void **state)
{
    tacho_witness_reader *r = NULL;
    tacho_witness_entry e;
    size_t n = 0;

    (void)state;
    assert_int_equal(write_bundle(), 0);
    assert_int_equal(tacho_witness_reader_open(bundle, &r, NULL), 0);
    for (; tacho_witness_next(r, &e, NULL) > 0; n++) {
        assert_string_equal(tacho_witness_reader_log_name(r), n < 3 ? "a" : "b");
        assert_int_equal(tacho_witness_reader_line(r), n < 3 ? n + 1 : 1);
        assert_int_equal(tacho_witness_reader_segment(r), n < 3 ? 2 : 4);
        assert_int_equal(e.tau, n % 3);
    }
    assert_int_equal(tacho_witness_reader_kind(r), TACHO_WITNESS_BUNDLE);
    assert_true(tacho_witness_reader_is_closed(r));
    assert_int_equal(tacho_witness_reader_log_count(r), 2);
    assert_int_equal(tacho_witness_reader_entry_count(r), 4);
    assert_int_equal(tacho_witness_reader_segment(r), 6);
    assert_int_equal(tacho_witness_reader_unchecked(r), 0);
    assert_string_equal(tacho_witness_reader_config(r), "{\"seed\":42}");
    tacho_witness_reader_close(r);
}

static void the_same_logs_make_the_same_bytes(void **state)
{
    struct tch_buf first = make_bundle();
    struct tch_buf second = make_bundle();

    (void)state;
    assert_int_equal(first.len, second.len);
    assert_memory_equal(first.data, second.data, first.len);
    tch_buf_release(&first);
    tch_buf_release(&second);
}

/* Flips every bit of the headers, and one bit of each other byte. */
static void a_flipped_bit_is_found_in_its_segment(void **state)
{
    struct tch_buf b = make_bundle();
    size_t start[MOST];
    size_t count = segment_starts(&b, start);
    size_t segment = 0;

    (void)state;
    assert_int_equal(bad_segment(b.data, b.len), 0);
    for (size_t i = 4; i < b.len; i++) { /* with another magic number the file is read as lines */
        int first;

        segment += segment + 1 < count && i == start[segment + 1];
        first = i - start[segment] < TCH_RVF_HEADER ? 0 : 7;
        for (int bit = first; bit < 8; bit++) {
            int mask = 1 << (bit + (int)i) % 8;
            unsigned long bad;

            b.data[i] = (char)(b.data[i] ^ mask);
            bad = bad_segment(b.data, b.len);
            if (bad != segment + 1)
                fail_msg("byte %zu, mask %d, segment %zu: %lu", i, mask, segment + 1, bad);
            b.data[i] = (char)(b.data[i] ^ mask);
        }
    }
    tch_buf_release(&b);
}

static void a_truncated_file_names_the_segment(void **state)
{
    struct tch_buf b = make_bundle();
    size_t start[MOST];
    size_t segment = 0;

    (void)state;
    (void)segment_starts(&b, start);
    for (size_t len = 1; len < b.len; len++) {
        segment += len > start[segment + 1]; /* a complete segment is the last one in the file */
        assert_int_equal(bad_segment(b.data, len), segment + 1);
    }
    tch_buf_release(&b);
}

/* Replaces segment i by segment j, or removes it when both are the same. */
static void segments_left_out_or_replaced_are_found(void **state)
{
    struct tch_buf b = make_bundle();
    size_t start[MOST];
    size_t count = segment_starts(&b, start);

    (void)state;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            struct tch_buf made;

            tch_buf_init(&made, LIMIT);
            for (size_t k = 0; k < count; k++) {
                size_t from = k == i ? j : k;

                if (k != i || i != j)
                    tch_buf_add(&made, b.data + start[from], start[from + 1] - start[from]);
            }
            assert_in_range(bad_segment(made.data, made.len), 1, i + 2);
            tch_buf_release(&made);
        }
    tch_buf_release(&b);
}

/* Adds a segment as another program writes it, with any checksum. */
static void add_segment(struct tch_buf *b, uint8_t type, uint64_t id, uint8_t checksum,
                        const void *payload, size_t len)
{
    static const uint8_t zeros[64];
    uint8_t header[TCH_RVF_HEADER];
    uint8_t hash[TCH_RVF_HASH];

    tch_shake256(payload, len, hash, sizeof hash);
    tch_rvf_header(header, type, id, len, hash);
    header[24] = 7; /* a time */
    header[32] = checksum;
    tch_buf_add(b, header, sizeof header);
    tch_buf_add(b, payload, len);
    tch_buf_add(b, zeros, tch_rvf_padding(len));
}

static void checks_the_chains_of_other_programs(void **state)
{
    struct tch_rvf_chain chain = {{0}};
    uint8_t entries[3 * TCH_RVF_ENTRY];
    char hex[TCH_SHA256_HEX];
    tacho_witness_reader *r = NULL;
    tacho_witness_entry e;
    tacho_error err;
    struct tch_buf b;

    (void)state;
    tch_sha256_hex(hex, "x", 1);
    for (size_t i = 0; i < 3; i++)
        tch_rvf_entry(&chain, hex, i, entries + i * TCH_RVF_ENTRY);
    tch_buf_init(&b, LIMIT);
    add_segment(&b, 0x01, 10, 1, "vectors", 7);
    add_segment(&b, TCH_RVF_WITNESS, 11, 2, entries, sizeof entries);
    add_segment(&b, TCH_RVF_WITNESS, 12, 1, entries, TCH_RVF_ENTRY);
    assert_int_equal(tacho_witness_reader_open_mem(b.data, b.len, &r, NULL), 0);
    assert_int_equal(tacho_witness_next(r, &e, NULL), 0);
    assert_int_equal(tacho_witness_reader_kind(r), TACHO_WITNESS_RVF);
    assert_true(tacho_witness_reader_is_closed(r));
    assert_int_equal(tacho_witness_reader_log_count(r), 2);
    assert_int_equal(tacho_witness_reader_entry_count(r), 4);
    assert_int_equal(tacho_witness_reader_segment(r), 3);
    assert_int_equal(tacho_witness_reader_unchecked(r), 2);
    tacho_witness_reader_close(r);
    entries[TCH_RVF_ENTRY] ^= 1;
    add_segment(&b, TCH_RVF_WITNESS, 13, 2, entries, sizeof entries);
    assert_int_equal(tacho_witness_reader_open_mem(b.data, b.len, &r, NULL), 0);
    assert_int_equal(tacho_witness_next(r, &e, &err), TACHO_EPARSE);
    assert_string_equal(err.message, "segment 4: entry 2 does not follow the one before it");
    tacho_witness_reader_close(r);
    tch_buf_release(&b);
}

static void refuses_what_it_cannot_pack(void **state)
{
    const char *logs[] = {bundle};
    tacho_witness_pack pack = TACHO_WITNESS_PACK_INIT;
    tacho_error err;

    (void)state;
    assert_int_equal(write_bundle(), 0);
    assert_int_equal(
        tacho_witness_pack_write(log_b, &(tacho_witness_pack){.logs = logs}, NULL, &err),
        TACHO_EINVAL); /* not initialised */
    pack.logs = logs;
    pack.log_count = 1;
    assert_int_equal(tacho_witness_pack_write(log_b, &pack, NULL, &err), TACHO_EPARSE);
    assert_non_null(strstr(err.message, "is already a bundle"));
    logs[0] = log_a;
    assert_int_equal(tacho_witness_pack_write("/dev/null", &pack, NULL, &err), TACHO_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "is not a regular file"));
}

static int pack_and_read(void *arg)
{
    tacho_witness_reader *r;
    tacho_witness_entry e;
    int more;

    (void)arg;
    if (write_bundle() < 0 || tacho_witness_reader_open(bundle, &r, NULL) < 0)
        return -1;
    while ((more = tacho_witness_next(r, &e, NULL)) > 0)
        ;
    tacho_witness_reader_close(r);
    return more;
}

static void survives_every_failing_allocation(void **state)
{
    (void)state;
    test_every_allocation_fails(pack_and_read, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_the_bytes_of_the_reference),
        IN_HOME(a_bundle_has_a_meta_and_a_witness_segment_per_log),
        IN_HOME(entries_come_back_with_their_log),
        IN_HOME(the_same_logs_make_the_same_bytes),
        IN_HOME(a_flipped_bit_is_found_in_its_segment),
        IN_HOME(a_truncated_file_names_the_segment),
        IN_HOME(segments_left_out_or_replaced_are_found),
        cmocka_unit_test(checks_the_chains_of_other_programs),
        IN_HOME(refuses_what_it_cannot_pack),
        IN_HOME(survives_every_failing_allocation),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
