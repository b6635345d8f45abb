/* Tests that records in the kernel's format become stacks. */
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

/* Adds a sample with a callchain of user addresses. */
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
    assert_int_equal(c.stacks.list[0].len, 4); /* three frames and the name of the thread */
    assert_int_equal(c.comms.count, 1);
    assert_memory_equal(c.comms.bytes, "a_prog", 6);
    /* Callers are looked up one byte before the return address. */
    assert_int_equal(c.places.list[TCH_PLACE_PREEMPTED + 2].addr, 0x1fff);
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

static void map(struct tch_collect *c, uint32_t pid, uint64_t start, const char *path)
{
    struct record r = {.count = 1};

    put32(&r, pid, pid);
    put(&r, start);
    put(&r, 0x1000);
    r.count = 9;
    memcpy(&r.words[r.count], path, strlen(path) + 1);
    r.count += strlen(path) / 8 + 3;
    take(c, &r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
}

/* Adds a sample in compiled code at 0x8010, whose stack has a return address above one word. */
static void sample_trampoline(struct tch_collect *c, uint32_t pid)
{
    enum { REGISTERS = 17, SP = 7, IP = 8, STACK = 0x7000 };
    struct record r = {.count = 1};

    put(&r, 0x8010);
    put32(&r, pid, pid);
    put(&r, 1000);
    put(&r, 250);
    put(&r, 0); /* no callchain */
    put(&r, PERF_SAMPLE_REGS_ABI_64);
    for (int i = 0; i < REGISTERS; i++)
        put(&r, i == SP ? STACK : i == IP ? 0x8010 : 0);
    put(&r, 24);
    put(&r, 0x1234);
    put(&r, 0x5020);
    put(&r, 0);
    put(&r, 24);
    r.count++; /* so that the stack does not end with the record */
    take(c, &r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
}

static void pythons_trampolines_are_passed(void **state)
{
    static const char *const programs[] = {"/nowhere/python3.12", "/nowhere/other"};
    struct tch_collect_options options = {.user_stack = true};
    struct tch_collect c;

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(tch_collect_init(&c, &options, NULL), 0);
        comm(&c, 7, "prog");
        map(&c, 7, 0x5000, programs[i]);
        map(&c, 7, 0x8000, "//anon");
        sample_trampoline(&c, 7);
        /* The comm, the mark of a truncated stack, the caller of Python, the trampoline. */
        assert_int_equal(c.stacks.list[0].len, i == 0 ? 4 : 3);
        assert_int_equal(c.programs.names.count, 2);
        assert_int_equal(c.programs.list[1].samples, 1);
        assert_int_equal(c.programs.list[1].jit, 1);
        assert_int_equal(c.programs.list[1].truncated, 1);
        tch_collect_release(&c);
    }
}

/* Checks the advice for a program; "" means none. */
static void advises(const char *name, const char *file, struct tch_flame_program counts,
                    const char *wanted)
{
    struct tch_flame_programs programs = {0};
    struct tch_buf lines;

    assert_int_equal(tch_programs_add(&programs, name), 0);
    counts.runtime = tch_runtime_of(file);
    programs.list[0] = counts;
    tch_buf_init(&lines, 4096);
    tch_programs_advise(&programs, 16384, &lines);
    if (wanted[0] == '\0')
        assert_int_equal(lines.len, 0);
    else if (!strstr(lines.data, wanted) || lines.len != strlen(lines.data) + 1)
        fail_msg("'%s' is advised: '%s', not '%s'", name, lines.data, wanted);
    tch_buf_release(&lines);
    tch_programs_release(&programs);
}

static void one_line_helps(void **state)
{
    struct tch_flame_program good = {.samples = 100, .truncated = 50};
    struct tch_flame_program lost = {.samples = 100, .truncated = 51, .cut = 25};
    struct tch_flame_program cut = {.samples = 100, .truncated = 51, .cut = 26};
    struct tch_flame_program nameless = {
        .samples = 100, .jit = 51, .places = 10, .unnamed = 6, .truncated = 3, .cut = 3};
    struct tch_flame_program named = {.samples = 100, .jit = 100, .places = 10, .unnamed = 5};
    struct tch_flame_program deep = {.samples = 100, .truncated = 12, .cut = 12};
    struct tch_flame_program few = {.samples = 19, .truncated = 19};

    (void)state;
    advises("prog", "prog", good, "");
    advises("prog", "prog", few, "");
    advises("prog", "prog", lost,
            "prog: 51% of its stacks are truncated; compile the program with");
    advises("prog", "prog", cut, "--stack-size 63k");
    advises("prog", "prog", deep,
            "prog: 12% of its stacks are truncated, because they are longer than the copy; copy "
            "more of each stack with --stack-size 63k");
    advises("prog", "prog", nameless,
            "JIT-compiled code without names; configure its JIT compiler to write");
    advises("java", "libjvm.so", lost, "java with -XX:+PreserveFramePointer");
    advises("java", "libjvm.so", nameless, "-XX:+DumpPerfMapAtExit");
    advises("java", "libjvm.so", named, "");
    advises("node", "node", nameless, "--perf-basic-prof --interpreted-frames-native-stack");
    advises("node", "libnode.so.108", nameless, "--perf-basic-prof");
    advises("python3.11", "python3.11", good, "-X perf");
    advises("prog", "libpython3.13.so.1.0", good, "-X perf");
    advises("python3", "python3", named, "");
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
        cmocka_unit_test(equal_stacks_are_one),           cmocka_unit_test(losses_are_counted),
        cmocka_unit_test(pythons_trampolines_are_passed), cmocka_unit_test(one_line_helps),
        cmocka_unit_test(no_memory_is_no_crash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
