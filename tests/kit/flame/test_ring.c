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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_full_slots_on_and_frees_them),
        cmocka_unit_test(drops_lengths_beyond_the_slot),
        cmocka_unit_test(drops_clocks_that_ran_backwards),
        cmocka_unit_test(keeps_its_own_sizes),
        cmocka_unit_test(frees_torn_records_of_dead_threads_only),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
