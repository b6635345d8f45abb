/* Tests that the reader of the ring does not trust what a hostile program may have written into
   it. */
#include "support/test.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "kit/flame/sample/ring_reader.h"

enum { STACK = 256, RATE = 1000 };

struct fixture {
    struct tch_ring_reader r;
    struct tch_collect c;
};

static void set_up(struct fixture *f)
{
    struct tch_collect_options options = {.user_stack = true, .weigh = true, .by_hand = true};

    assert_int_equal(tch_ring_open(&f->r, STACK, RATE, NULL), 0);
    assert_int_equal(tch_collect_init(&f->c, &options, NULL), 0);
}

static void tear_down(struct fixture *f)
{
    tch_collect_release(&f->c);
    tch_ring_close(&f->r);
}

/* Publishes a sample, and returns its slot. */
static struct tch_ring_record *put(struct fixture *f, uint32_t at, uint64_t time)
{
    struct tch_ring_record *record =
        (void *)((uint8_t *)f->r.ring + TCH_RING_DATA + (size_t)at * f->r.sizes.slot_bytes);

    *record = (struct tch_ring_record){
        .kind = TCH_RING_SAMPLE, .pid = 1, .tid = 1, .len = STACK, .time = time, .weight = 1000};
    tch_ring_publish(f->r.ring, (int)at, 1);
    return record;
}

static void drain(struct fixture *f, uint64_t until)
{
    assert_int_equal(tch_ring_drain(&f->r, until, &f->c, NULL), 0);
}

static void passes_full_slots_on_and_frees_them(void **state)
{
    struct fixture f;

    (void)state;
    set_up(&f);
    put(&f, 0, 20);
    put(&f, f.r.sizes.slots - 1, 10); /* the last slot, and an earlier time */
    put(&f, 1, 30);
    drain(&f, 25);
    assert_int_equal(f.r.samples, 2);
    assert_int_equal(f.r.ring->state[0], TCH_SLOT_FREE);
    assert_int_not_equal(f.r.ring->state[1], TCH_SLOT_FREE); /* it is not old enough */
    drain(&f, UINT64_MAX);
    assert_int_equal(f.r.samples, 3);
    assert_int_equal(f.r.damaged, 0);
    tear_down(&f);
}

/* Publishes the text of a maps file of this process. */
static void put_maps(struct fixture *f, uint32_t at, uint64_t time, const char *text)
{
    struct tch_ring_record *record = put(f, at, time);

    record->kind = TCH_RING_MAPS;
    record->pid = record->tid = (uint32_t)getpid();
    record->len = (uint32_t)strlen(text);
    memcpy(record->data, text, record->len);
}

/* Publishes a sample of this process at an address. */
static void put_sample(struct fixture *f, uint32_t at, uint64_t time, uint64_t ip)
{
    struct tch_ring_record *record = put(f, at, time);

    record->pid = record->tid = (uint32_t)getpid();
    record->len = 0;
    record->regs[8] = ip;
}

/* Returns the file in which the sampled instruction of the n-th stack is. */
static const char *file_of(const struct fixture *f, uint32_t n)
{
    const char *at = tch_stacks_first(&f->c.stacks, n);
    uint32_t leaf = 0;

    for (uint32_t i = 0; i < f->c.stacks.list[n].len; i++)
        leaf = tch_stacks_next(&at);
    return f->c.objects.list[f->c.places.list[leaf].object]->path;
}

static void charges_samples_to_the_file_of_their_time(void **state)
{
    char early[64], late[64];
    uint64_t ip = (uint64_t)(uintptr_t)&charges_samples_to_the_file_of_their_time;
    struct fixture f;

    (void)state;
    snprintf(early, sizeof early, "%lx-%lx r-xp 0 0:1 5 /early\n", ip, ip + 16);
    snprintf(late, sizeof late, "%lx-%lx r-xp 0 0:1 6 /late\n", ip, ip + 16);
    set_up(&f);
    put_maps(&f, 3, 10, early);
    put_sample(&f, 2, 20, ip);
    put_sample(&f, 4, 21, 1); /* nowhere, so the maps of /proc are read, which have our file */
    put_sample(&f, 5, 22, ip + 4);
    put_maps(&f, 1, 30, late);
    put_sample(&f, 0, 40, ip + 8);
    drain(&f, UINT64_MAX);
    assert_string_equal(file_of(&f, 0), "/early");
    assert_string_equal(file_of(&f, 2), "/early");
    assert_string_equal(file_of(&f, 3), "/late");
    tear_down(&f);
}

static void drops_lengths_beyond_the_slot(void **state)
{
    static const uint32_t lengths[] = {STACK + 1, STACK + 64, 1 << 20, UINT32_MAX};
    struct fixture f;

    (void)state;
    set_up(&f);
    for (uint32_t kind = TCH_RING_SAMPLE; kind <= TCH_RING_EXEC + 1; kind++)
        for (uint32_t i = 1; i < 4; i++) {
            struct tch_ring_record *record = put(&f, f.r.sizes.slots - 1, 1);

            record->kind = kind;
            record->len = lengths[i];
            drain(&f, UINT64_MAX);
        }
    assert_int_equal(f.r.damaged, 3 * (TCH_RING_EXEC + 2));
    put(&f, 0, 1)->len = lengths[0]; /* fits into the slot, but is longer than a stack */
    drain(&f, UINT64_MAX);
    assert_int_equal(f.r.damaged, 3 * (TCH_RING_EXEC + 2) + 1);
    assert_int_equal(f.r.samples, 0);
    tear_down(&f);
}

static void drops_clocks_that_ran_backwards(void **state)
{
    struct fixture f;

    (void)state;
    set_up(&f);
    put(&f, 0, 1)->weight = (uint64_t)-1;
    put(&f, 1, 1)->weight = 3600ull * 1000000000;
    put(&f, 2, UINT64_MAX); /* in the future: the last drain passes it on */
    drain(&f, tch_now_ns());
    assert_int_equal(f.r.damaged, 2);
    assert_int_equal(f.r.samples, 0);
    drain(&f, UINT64_MAX);
    assert_int_equal(f.r.samples, 1);
    assert_int_equal(f.r.weight_ns, 1000);
    tear_down(&f);
}

static void keeps_its_own_sizes(void **state)
{
    struct fixture f;

    (void)state;
    set_up(&f);
    f.r.ring->slots = UINT32_MAX;
    f.r.ring->slot_bytes = 0;
    f.r.ring->stack_bytes = UINT32_MAX;
    put(&f, 3, 1);
    drain(&f, UINT64_MAX);
    assert_int_equal(f.r.samples, 1);
    assert_int_equal(ftruncate(f.r.fd, 0), -1); /* it would kill the reader */
    assert_int_equal(errno, EPERM);
    tear_down(&f);
}

static void frees_torn_records_of_dead_threads_only(void **state)
{
    struct fixture f;

    (void)state;
    set_up(&f);
    put(&f, 0, 1);
    put(&f, 1, 1);
    put(&f, 2, 1);
    f.r.ring->state[0] = (uint64_t)INT32_MAX << 32 | TCH_SLOT_CLAIMED; /* no such thread */
    f.r.ring->state[1] = (uint64_t)(uint32_t)getpid() << 32 | TCH_SLOT_CLAIMED;
    f.r.ring->state[2] = UINT64_MAX; /* no state at all */
    drain(&f, UINT64_MAX);
    assert_int_equal(f.r.samples, 0);
    assert_int_equal(f.r.ring->state[0], TCH_SLOT_FREE);
    assert_int_not_equal(f.r.ring->state[1], TCH_SLOT_FREE);
    tear_down(&f);
}

/* Publishes the name of a thread that does not exist, as its start and its exec would. */
static void put_name(struct fixture *f, uint32_t at, uint32_t pid, uint32_t tid)
{
    struct tch_ring_record *record = put(f, at, 1);

    record->kind = TCH_RING_COMM;
    record->pid = pid;
    record->tid = tid;
    record->len = 4;
    memcpy(record->data, "name", 4);
}

static void forgets_threads_that_do_not_exist(void **state)
{
    struct fixture f;

    (void)state;
    set_up(&f);
    put_maps(&f, 0, 1, "1000-2000 r-xp 0 0:1 5 /file\n");
    drain(&f, UINT64_MAX);
    for (uint32_t round = 0; round < 100; round++) {
        for (uint32_t i = 0; i < f.r.sizes.slots; i++)
            put_name(&f, i, round % 2 ? (uint32_t)getpid() : INT32_MAX - i,
                     INT32_MAX - round * f.r.sizes.slots - i);
        drain(&f, UINT64_MAX);
        assert_true(f.c.maps.thread_count <= 2 * f.r.sizes.slots + TCH_MAPS_REAP);
    }
    assert_int_equal(
        tch_maps_thread(&f.c.maps, (uint32_t)getpid(), (uint32_t)getpid())->process->count, 1);
    tear_down(&f);
}

static void all_threads_run_no_longer_than_all_cpus(void **state)
{
    struct fixture f;

    (void)state;
    set_up(&f);
    f.r.opened_ns = tch_now_ns();
    for (uint32_t round = 0; round < 1000; round++) {
        for (uint32_t i = 0; i < 10; i++)
            put(&f, i, 1)->weight = 5 * 1000 * 1000;
        drain(&f, UINT64_MAX);
    }
    assert_true(f.r.damaged > 0);
    assert_true(f.r.weight_ns <= 2 * (tch_now_ns() - f.r.opened_ns + 10 * 1000 * 1000) * f.r.cpus);
    tear_down(&f);
}

static void stacks_have_a_limit(void **state)
{
    struct fixture f;

    (void)state;
    set_up(&f);
    f.c.most = 1 << 20;
    for (uint32_t round = 0; round < 100; round++) {
        for (uint32_t i = 0; i < f.r.sizes.slots; i++) {
            struct tch_ring_record *record = put(&f, i, 1);

            record->weight = 0;
            record->len = 0;
            record->regs[8] = (uint64_t)round * 10000 + i; /* a new place */
        }
        drain(&f, UINT64_MAX);
    }
    assert_true(f.c.refused > 0);
    assert_true(f.c.samples > 0 && f.c.samples + f.c.refused == 100 * f.r.sizes.slots);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_full_slots_on_and_frees_them),
        cmocka_unit_test(charges_samples_to_the_file_of_their_time),
        cmocka_unit_test(drops_lengths_beyond_the_slot),
        cmocka_unit_test(drops_clocks_that_ran_backwards),
        cmocka_unit_test(keeps_its_own_sizes),
        cmocka_unit_test(frees_torn_records_of_dead_threads_only),
        cmocka_unit_test(forgets_threads_that_do_not_exist),
        cmocka_unit_test(all_threads_run_no_longer_than_all_cpus),
        cmocka_unit_test(stacks_have_a_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
