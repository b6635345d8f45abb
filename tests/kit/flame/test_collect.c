/* Records as the kernel writes them, to stacks. */
#include "support/test.h"

#include <linux/perf_event.h>

#include "kit/flame/sample/collect_records.h"

/* A record under construction. */
struct record {
    uint64_t words[512];
    size_t count;
};

static void put(struct record *r, uint64_t word)
{
    r->words[r->count++] = word;
}

static void put32(struct record *r, uint32_t low, uint32_t high)
{
    put(r, (uint64_t)high << 32 | low);
}

static const struct perf_event_header *end(struct record *r, uint32_t type, uint16_t misc)
{
    struct perf_event_header *h = (struct perf_event_header *)r->words;

    *h = (struct perf_event_header){type, misc, (uint16_t)(8 * r->count)};
    return h;
}

static void take(struct tch_collect *c, struct record *r, uint32_t type, uint16_t misc)
{
    assert_int_equal(tch_collect_record(c, end(r, type, misc), NULL), 0);
}

/* A sample with a callchain of user addresses. */
static void sample(struct tch_collect *c, uint32_t pid, const uint64_t *ips, size_t count)
{
    struct record r = {.count = 1};

    put(&r, ips[0]);
    put32(&r, pid, pid);
    put(&r, 1000);
    put(&r, 250);
    put(&r, count + 1);
    put(&r, (uint64_t)PERF_CONTEXT_USER);
    for (size_t i = 0; i < count; i++)
        put(&r, ips[i]);
    take(c, &r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
}

static void comm(struct tch_collect *c, uint32_t pid, const char *name)
{
    struct record r = {.count = 1};
    char text[16] = "";

    snprintf(text, sizeof text, "%s", name);
    put32(&r, pid, pid);
    memcpy(&r.words[r.count], text, sizeof text);
    r.count += 4; /* and the end of the record: thread, time */
    take(c, &r, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
}

static void equal_stacks_are_one(void **state)
{
    static const uint64_t ips[] = {0x1000, 0x2000, 0x3000};
    struct tch_collect_options options = {.user_stack = false};
    struct tch_collect c;

    (void)state;
    assert_int_equal(tch_collect_init(&c, &options, NULL), 0);
    comm(&c, 7, "a prog");
    for (int i = 0; i < 5; i++)
        sample(&c, 7, ips, 3);
    sample(&c, 7, ips, 2);
    assert_int_equal(c.samples, 6);
    assert_int_equal(c.stacks.count, 2);
    assert_int_equal(c.stacks.list[0].count, 5);
    assert_int_equal(c.stacks.list[0].len, 4); /* and who it was */
    assert_int_equal(c.comms.count, 1);
    assert_memory_equal(c.comms.bytes, "a_prog", 6);
    /* Callers are looked up one byte before the return address. */
    assert_int_equal(c.places.list[2].addr, 0x1fff);
    tch_collect_release(&c);
}

static void losses_are_counted(void **state)
{
    struct tch_collect_options options = {.user_stack = false};
    struct record lost = {.count = 1};
    struct record samples = {.count = 1};
    struct tch_collect c;

    (void)state;
    assert_int_equal(tch_collect_init(&c, &options, NULL), 0);
    put(&lost, 1);
    put(&lost, 40);
    lost.count += 2;
    take(&c, &lost, PERF_RECORD_LOST, 0);
    put(&samples, 2);
    samples.count += 2;
    take(&c, &samples, PERF_RECORD_LOST_SAMPLES, 0);
    assert_int_equal(c.lost, 42);
    tch_collect_release(&c);
}

static int collect_once(void *arg)
{
    static const uint64_t ips[] = {0x1000, 0x2000};
    struct tch_collect_options options = {.per_thread = true};
    struct record r = {.count = 1};
    struct tch_collect c;
    int status = tch_collect_init(&c, &options, NULL);

    (void)arg;
    put(&r, ips[0]);
    put32(&r, 7, 8);
    put(&r, 1000);
    put(&r, 250);
    put(&r, 2);
    put(&r, ips[0]);
    put(&r, ips[1]);
    if (status == 0)
        status = tch_collect_record(&c, end(&r, PERF_RECORD_SAMPLE, 0), NULL);
    tch_collect_release(&c);
    return status;
}

static void no_memory_is_no_crash(void **state)
{
    (void)state;
    test_every_allocation_fails(collect_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_stacks_are_one),
        cmocka_unit_test(losses_are_counted),
        cmocka_unit_test(no_memory_is_no_crash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
