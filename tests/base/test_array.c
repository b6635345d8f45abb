/* Arrays that grow by doubling. */
#include "support/test.h"

#include <tacho/error.h>

#include "base/array.h"

struct item {
    int a;
    char text[20];
};

struct list {
    struct item *items;
    size_t count;
    size_t room;
};

static int add(struct list *l, int a)
{
    if (tch_array_reserve(&l->items, &l->room, l->count + 1) < 0)
        return TACHO_ENOMEM;
    l->items[l->count++] = (struct item){.a = a};
    return 0;
}

static void keeps_the_items_while_it_grows(void **state)
{
    struct list l = {0};

    (void)state;
    for (int i = 0; i < 10000; i++)
        assert_int_equal(add(&l, i), 0);
    assert_true(l.room >= 10000 && l.room < 20000);
    for (int i = 0; i < 10000; i++)
        assert_int_equal(l.items[i].a, i);
    free(l.items);
}

static void reserves_enough_room(void **state)
{
    int *items = NULL;
    int *before;
    size_t room = 0;

    (void)state;
    assert_int_equal(tch_array_reserve(&items, &room, 0), 0);
    assert_null(items);
    assert_int_equal(tch_array_reserve(&items, &room, 1000), 0);
    assert_true(room >= 1000);
    before = items;
    assert_int_equal(tch_array_reserve(&items, &room, 1), 0);
    assert_int_equal(tch_array_reserve(&items, &room, room), 0);
    assert_ptr_equal(items, before);
    free(items);
}

static void copies_a_large_block_completely(void **state)
{
    uint64_t *items = NULL;
    size_t room = 0;

    (void)state;
    for (size_t i = 0; i < (4 << 20); i++) { /* 32 MiB, more than one large page */
        assert_int_equal(tch_array_reserve(&items, &room, i + 1), 0);
        items[i] = i * 3;
    }
    for (size_t i = 0; i < (4 << 20); i++)
        if (items[i] != i * 3)
            fail();
    free(items);
}

static void refuses_sizes_that_overflow(void **state)
{
    struct item one = {.a = 1};
    struct item *items = malloc(sizeof *items);
    struct item *before = items;
    size_t room = 1;

    (void)state;
    assert_non_null(items);
    items[0] = one;
    assert_int_equal(tch_array_reserve(&items, &room, SIZE_MAX), TACHO_ENOMEM);
    assert_int_equal(tch_array_reserve(&items, &room, SIZE_MAX / sizeof *items), TACHO_ENOMEM);
    assert_int_equal(tch_array_reserve(&items, &room, SIZE_MAX / sizeof *items + 2), TACHO_ENOMEM);
    assert_int_equal(tch_array_reserve_zero(&items, &room, SIZE_MAX / 2), TACHO_ENOMEM);
    assert_int_equal(tch_array_extend(&items, SIZE_MAX / 4 + 1), TACHO_ENOMEM);
    assert_ptr_equal(items, before);
    assert_int_equal(room, 1);
    assert_int_equal(items[0].a, 1);
    free(items);
}

static void zeroes_the_new_part_only(void **state)
{
    unsigned char *items = NULL;
    size_t room = 0;

    (void)state;
    assert_int_equal(tch_array_reserve_zero(&items, &room, 10), 0);
    for (size_t i = 0; i < room; i++)
        assert_int_equal(items[i], 0);
    memset(items, 7, room);
    for (size_t before = room; room < 5000; before = room) {
        assert_int_equal(tch_array_reserve_zero(&items, &room, room + 1), 0);
        for (size_t i = 0; i < room; i++)
            assert_int_equal(items[i], i < before ? 7 : 0);
        memset(items, 7, room);
    }
    free(items);
}

static void extends_without_a_room_field(void **state)
{
    char **names = NULL;
    size_t count = 0;
    static char text[1000];

    (void)state;
    for (; count < 1000; count++) {
        assert_int_equal(tch_array_extend(&names, count), 0);
        names[count] = text + count;
    }
    count -= 500; /* fewer, then more again */
    for (; count < 1000; count++) {
        assert_int_equal(tch_array_extend(&names, count), 0);
        names[count] = text + count;
    }
    for (size_t i = 0; i < count; i++)
        assert_ptr_equal(names[i], text + i);
    free(names);
}

static int fill(void *arg)
{
    struct list l = {0};
    struct item *zeroed = NULL;
    struct item *extended = NULL;
    size_t room = 0;
    int status = 0;

    (void)arg;
    for (int i = 0; i < 100 && status == 0; i++) {
        size_t before = l.room;
        size_t zeroed_before = room;

        status = add(&l, i);
        if (status < 0)
            assert_int_equal(l.room, before);
        else
            status = tch_array_reserve_zero(&zeroed, &room, (size_t)i + 1);
        if (status < 0)
            assert_true(room == zeroed_before);
        else
            status = tch_array_extend(&extended, (size_t)i);
    }
    for (size_t i = 0; i < l.count; i++)
        assert_int_equal(l.items[i].a, i);
    free(l.items);
    free(zeroed);
    free(extended);
    return status;
}

static void stays_intact_without_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(fill, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_items_while_it_grows),
        cmocka_unit_test(reserves_enough_room),
        cmocka_unit_test(copies_a_large_block_completely),
        cmocka_unit_test(refuses_sizes_that_overflow),
        cmocka_unit_test(zeroes_the_new_part_only),
        cmocka_unit_test(extends_without_a_room_field),
        cmocka_unit_test(stays_intact_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
