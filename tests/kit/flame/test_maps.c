/* Tests mappings that overlap, forks, execs and exits. */
#include "support/test.h"

#include "kit/flame/sample/process_maps.h"

static struct tch_flame_process *process_of(struct tch_maps *maps, uint32_t pid)
{
    struct tch_flame_thread *thread = tch_maps_thread(maps, pid, pid);

    assert_non_null(thread);
    return thread->process;
}

static void add(struct tch_flame_process *p, uint64_t start, uint64_t end, uint64_t offset,
                uint32_t id)
{
    assert_true(tch_maps_mmap(p, (struct tch_map){start, end, offset, id}));
}

static uint32_t at(const struct tch_flame_process *p, uint64_t addr)
{
    const struct tch_map *map = tch_maps_find(p, addr);

    return map ? map->object : 0;
}

static void later_mappings_cover_earlier_ones(void **state)
{
    struct tch_maps maps = {0};
    struct tch_flame_process *p = process_of(&maps, 10);

    (void)state;
    add(p, 0x1000, 0x9000, 0, 1);
    add(p, 0x3000, 0x5000, 0, 2); /* in the middle: splits the first one */
    assert_int_equal(p->count, 3);
    assert_int_equal(at(p, 0xfff), 0);
    assert_int_equal(at(p, 0x1000), 1);
    assert_int_equal(at(p, 0x3000), 2);
    assert_int_equal(at(p, 0x4fff), 2);
    assert_int_equal(at(p, 0x5000), 1);
    assert_int_equal(tch_maps_find(p, 0x5000)->offset, 0x4000);
    add(p, 0x2000, 0x6000, 0, 3); /* overlaps the end of one, all of one, the start of one */
    assert_int_equal(p->count, 3);
    assert_int_equal(at(p, 0x1fff), 1);
    assert_int_equal(at(p, 0x2000), 3);
    assert_int_equal(at(p, 0x6000), 1);
    assert_int_equal(tch_maps_find(p, 0x6000)->offset, 0x5000);
    add(p, 0, 0x10000, 0, 4);
    assert_int_equal(p->count, 1);
    add(p, 5, 5, 0, 6); /* nothing */
    assert_int_equal(p->count, 1);
    tch_maps_release(&maps);
}

static void a_child_has_its_parents_maps_until_it_execs(void **state)
{
    struct tch_maps maps = {0};

    (void)state;
    add(process_of(&maps, 10), 0x1000, 0x2000, 0, 1);
    assert_true(tch_maps_comm(&maps, 10, 10, "parent", false));
    assert_true(tch_maps_fork(&maps, 20, 20, 10, 10));
    assert_int_equal(at(process_of(&maps, 20), 0x1000), 1);
    assert_string_equal(tch_maps_thread(&maps, 20, 20)->comm, "parent");
    assert_true(tch_maps_comm(&maps, 20, 20, "a name longer than the kernel's", true));
    assert_string_equal(tch_maps_thread(&maps, 20, 20)->comm, "a name longer t");
    assert_int_equal(at(process_of(&maps, 20), 0x1000), 0);
    assert_int_equal(at(process_of(&maps, 10), 0x1000), 1);
    tch_maps_release(&maps);
}

static void a_process_lives_as_long_as_its_threads(void **state)
{
    struct tch_maps maps = {0};
    long before = test_alloc_live();

    (void)state;
    add(process_of(&maps, 10), 0x1000, 0x2000, 0, 1);
    assert_true(tch_maps_fork(&maps, 10, 11, 10, 10));
    tch_maps_exit(&maps, 10);
    assert_int_equal(at(tch_maps_thread(&maps, 10, 11)->process, 0x1000), 1);
    tch_maps_exit(&maps, 11);
    tch_maps_exit(&maps, 11); /* not known any more */
    assert_int_equal(test_alloc_live(), before);
    /* The tid is reused by another process. */
    process_of(&maps, 10);
    assert_int_equal(tch_maps_thread(&maps, 12, 10)->process->pid, 12);
    tch_maps_release(&maps);
}

static int fork_once(void *arg)
{
    struct tch_maps maps = {0};
    struct tch_flame_thread *thread = tch_maps_thread(&maps, 1, 1);
    bool ok = thread && tch_maps_mmap(thread->process, (struct tch_map){1, 9, 0, 1}) &&
              tch_maps_fork(&maps, 2, 2, 1, 1) && tch_maps_comm(&maps, 3, 3, "x", true);

    (void)arg;
    tch_maps_release(&maps);
    return ok ? 0 : -1;
}

static void no_memory_is_no_crash(void **state)
{
    (void)state;
    test_every_allocation_fails(fork_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_mappings_cover_earlier_ones),
        cmocka_unit_test(a_child_has_its_parents_maps_until_it_execs),
        cmocka_unit_test(a_process_lives_as_long_as_its_threads),
        cmocka_unit_test(no_memory_is_no_crash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
