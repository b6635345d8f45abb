/* Tests that distinct stacks are counted, stored and sorted. */
#include "support/test.h"

#include "kit/flame/draw/flame_layout.h"
#include "kit/flame/stack/stacks.h"

static uint32_t name(struct tch_stacks *stacks, const char *text)
{
    uint32_t id = tch_intern_add(&stacks->names, text, strlen(text));

    assert_true(id != TCH_INTERN_NONE);
    return id;
}

static void equal_stacks_are_counted_together(void **state)
{
    struct tch_stacks stacks = {0};
    uint32_t a = name(&stacks, "a");
    uint32_t b = name(&stacks, "b");

    (void)state;
    assert_int_equal(tch_stacks_add(&stacks, (uint32_t[]){a, b}, 2, 5, NULL), 0);
    assert_int_equal(tch_stacks_add(&stacks, (uint32_t[]){b, a}, 2, 7, NULL), 1);
    assert_int_equal(tch_stacks_add(&stacks, (uint32_t[]){a, b}, 2, 6, NULL), 0);
    assert_int_equal(tch_stacks_add(&stacks, (uint32_t[]){a}, 1, 1, NULL), 2);
    assert_int_equal(tch_stacks_add(&stacks, NULL, 0, 1, NULL), 3);
    assert_int_equal(stacks.count, 4);
    assert_int_equal(stacks.list[0].count, 11);
    assert_int_equal(tch_stacks_total(&stacks), 20);
    tch_stacks_release(&stacks);
}

static void refuses_counts_whose_sum_exceeds_64_bits(void **state)
{
    struct tch_stacks stacks = {0};
    uint32_t a = name(&stacks, "a");
    uint32_t b = name(&stacks, "b");

    (void)state;
    assert_int_equal(tch_stacks_add(&stacks, &a, 1, UINT64_MAX - 1, NULL), 0);
    assert_int_equal(tch_stacks_add(&stacks, &a, 1, 2, NULL), TACHO_ELIMIT);
    assert_int_equal(tch_stacks_add(&stacks, &b, 1, 2, NULL), TACHO_ELIMIT);
    assert_int_equal(tch_stacks_add(&stacks, &b, 1, 1, NULL), 1);
    assert_true(tch_stacks_total(&stacks) == UINT64_MAX);
    tch_stacks_release(&stacks);
}

/* More names than one 16-bit unit can distinguish. */
static void keeps_any_number_of_names(void **state)
{
    enum { NAMES = 200000 };
    struct tch_stacks stacks = {0};
    uint32_t frames[TCH_STACK_DEEPEST];
    char text[32];

    (void)state;
    for (unsigned i = 0; i < NAMES; i++) {
        snprintf(text, sizeof text, "%06u", i);
        frames[0] = name(&stacks, text);
        frames[1] = i / 2;
        assert_int_equal(tch_stacks_add(&stacks, frames, 2, 1, NULL), i);
    }
    for (unsigned i = 0; i < NAMES; i += 777) {
        assert_int_equal(tch_stacks_frames(&stacks, i, frames), 2);
        assert_int_equal(frames[0], i);
        assert_int_equal(frames[1], i / 2);
    }
    tch_stacks_release(&stacks);
}

static void truncates_deep_stacks_and_counts_them(void **state)
{
    struct tch_stacks stacks = {0};
    uint32_t a = name(&stacks, "a");
    uint32_t *frames = malloc((TCH_STACK_DEEPEST + 1) * sizeof *frames);

    (void)state;
    for (int i = 0; i <= TCH_STACK_DEEPEST; i++)
        frames[i] = a;
    assert_int_equal(tch_stacks_add(&stacks, frames, TCH_STACK_DEEPEST + 1, 9, NULL), 0);
    assert_int_equal(stacks.list[0].len, TCH_STACK_DEEPEST);
    assert_int_equal(stacks.cut, 9);
    free(frames);
    tch_stacks_release(&stacks);
}

/* Compares two stacks by the definition of the order. */
static int compare_plain(const struct tch_stacks *stacks, uint32_t x, uint32_t y)
{
    const char *at_x = tch_stacks_first(stacks, x);
    const char *at_y = tch_stacks_first(stacks, y);

    for (uint32_t i = 0; i < stacks->list[x].len && i < stacks->list[y].len; i++) {
        struct tch_interned a = stacks->names.list[tch_stacks_next(&at_x)];
        struct tch_interned b = stacks->names.list[tch_stacks_next(&at_y)];
        int order = memcmp(stacks->names.bytes + a.at, stacks->names.bytes + b.at,
                           a.len < b.len ? a.len : b.len);

        if (order == 0)
            order = (a.len > b.len) - (a.len < b.len);
        if (order != 0)
            return order;
    }
    return (stacks->list[x].len > stacks->list[y].len) -
           (stacks->list[x].len < stacks->list[y].len);
}

static void sorts_as_the_definition_has_it(void **state)
{
    struct tch_stacks stacks = {0};
    uint32_t frames[40];
    uint32_t *order = NULL;
    uint32_t seed = 1;
    char text[16];

    (void)state;
    for (int i = 0; i < 20000; i++) {
        size_t len = (seed >> 16) % 40;

        for (size_t k = 0; k < len; k++) {
            seed = seed * 1103515245 + 12345;
            snprintf(text, sizeof text, "%u", (seed >> 16) % (k < 8 ? 3 : 50));
            frames[k] = name(&stacks, text);
        }
        tch_stacks_add(&stacks, frames, len, 1, NULL);
        seed = seed * 1103515245 + 12345;
    }
    assert_true(stacks.count > 10000);
    assert_int_equal(tch_stacks_sort(&stacks, &order, NULL), 0);
    for (uint32_t i = 1; i < stacks.count; i++)
        assert_true(compare_plain(&stacks, order[i - 1], order[i]) < 0);
    free(order);
    tch_stacks_release(&stacks);
}

static void nothing_is_sorted_and_laid_out_too(void **state)
{
    struct tch_stacks stacks = {0};
    struct tch_layout layout = {0};

    (void)state;
    assert_int_equal(tch_layout_make(&stacks, 1, &layout, NULL), 0);
    assert_int_equal(layout.count, 1);
    assert_int_equal(layout.list[0].w, 0);
    assert_int_equal(layout.levels, 1);
    tch_layout_release(&layout);
    tch_stacks_release(&stacks);
}

/* root 10 of which a 6, b 3, c 1. */
static void fill(struct tch_stacks *stacks)
{
    uint32_t root = name(stacks, "root");
    uint32_t a = name(stacks, "a");
    uint32_t b = name(stacks, "b");
    uint32_t c = name(stacks, "c");

    tch_stacks_add(stacks, (uint32_t[]){root, c}, 2, 1, NULL);
    tch_stacks_add(stacks, (uint32_t[]){root, b}, 2, 3, NULL);
    tch_stacks_add(stacks, (uint32_t[]){root, a, c}, 3, 2, NULL);
    tch_stacks_add(stacks, (uint32_t[]){root, a}, 2, 4, NULL);
}

static void narrow_frames_are_counted_once(void **state)
{
    struct tch_stacks stacks = {0};
    struct tch_layout layout = {0};

    (void)state;
    fill(&stacks);
    assert_int_equal(tch_layout_make(&stacks, 3, &layout, NULL), 0);
    assert_int_equal(layout.count, 4); /* all, root, a, b */
    assert_int_equal(layout.pruned, 2);
    assert_int_equal(layout.pruned_samples, 3);
    assert_int_equal(layout.levels, 3);
    tch_layout_release(&layout);
    tch_stacks_release(&stacks);
}

static void the_widest_frames_are_kept(void **state)
{
    struct tch_stacks stacks = {0};
    struct tch_layout layout = {0};

    (void)state;
    fill(&stacks);
    assert_int_equal(tch_layout_make(&stacks, 1, &layout, NULL), 0);
    assert_int_equal(layout.count, 6);
    assert_int_equal(tch_layout_limit(&layout, 6, NULL), 0);
    assert_int_equal(layout.count, 6);
    assert_int_equal(tch_layout_limit(&layout, 4, NULL), 0);
    assert_int_equal(layout.count, 4);
    assert_int_equal(layout.least, 3);
    assert_int_equal(layout.pruned, 2);
    assert_int_equal(layout.pruned_samples, 3);
    tch_layout_release(&layout);
    tch_stacks_release(&stacks);
}

/* Sorts by self time and counts each function once per stack. Inlined or not, it is one function. A
   kernel function of the same name is another one. The process is not a function. */
static void the_hottest_functions_are_found(void **state)
{
    struct tch_stacks stacks = {0};
    uint32_t p = name(&stacks, "f"); /* a process of the name of a function */
    uint32_t main_ = name(&stacks, "main");
    uint32_t f = name(&stacks, "f_[i]");
    uint32_t g = name(&stacks, "g");
    uint32_t g_inlined = name(&stacks, "g_[i]");
    uint32_t kernel = name(&stacks, "g_[k]");
    struct tch_hot_function hot[3];

    (void)state;
    tch_stacks_add(&stacks, (uint32_t[]){p, main_, g, g}, 4, 40, NULL);
    tch_stacks_add(&stacks, (uint32_t[]){p, main_, g_inlined}, 3, 10, NULL);
    tch_stacks_add(&stacks, (uint32_t[]){p, main_, f}, 3, 30, NULL);
    tch_stacks_add(&stacks, (uint32_t[]){p, main_, f, kernel}, 4, 15, NULL);
    tch_stacks_add(&stacks, (uint32_t[]){p, main_}, 2, 5, NULL);
    assert_int_equal(tch_stacks_hottest(&stacks, hot, 3, false, NULL), 3);
    assert_true(hot[0].name == g || hot[0].name == g_inlined);
    assert_true(hot[0].self == 0.5 && hot[0].total == 0.5);
    assert_true(hot[1].name == f && hot[1].self == 0.3 && hot[1].total == 0.45);
    assert_true(hot[2].name == kernel && hot[2].self == 0.15);
    /* A wait counts for the function that waits, not for the kernel's. */
    assert_int_equal(tch_stacks_hottest(&stacks, hot, 3, true, NULL), 3);
    assert_true(hot[1].name == f && hot[1].self == 0.45 && hot[1].total == 0.45);
    assert_true(hot[2].name == main_);
    tch_stacks_release(&stacks);
    assert_int_equal(tch_stacks_hottest(&stacks, hot, 3, false, NULL), 0);
}

static int lay_out_all(void *arg)
{
    struct tch_stacks stacks = {0};
    struct tch_layout layout = {0};
    struct tch_hot_function hot[10];
    int status = 0;
    char text[16];

    (void)arg;
    for (int i = 0; status == 0 && i < 600; i++) {
        uint32_t frames[2] = {0, 0};

        snprintf(text, sizeof text, "n%d", i);
        frames[1] = tch_intern_add(&stacks.names, text, strlen(text));
        if (frames[1] == TCH_INTERN_NONE || tch_stacks_add_both(&stacks, frames, 2, 1, 1, NULL) < 0)
            status = TACHO_ENOMEM;
    }
    if (status == 0)
        status = tch_layout_make(&stacks, 1, &layout, NULL);
    if (status == 0)
        status = tch_layout_limit(&layout, 100, NULL);
    if (status == 0 && tch_stacks_hottest(&stacks, hot, 10, false, NULL) != 10)
        status = TACHO_ENOMEM;
    tch_layout_release(&layout);
    tch_stacks_release(&stacks);
    return status;
}

static int pair_all(void *arg)
{
    static const char *const names[] = {"old", "new", "old-io", "new-io"};
    struct tch_stacks stacks = {0};
    int status = 0;

    (void)arg;
    for (uint32_t i = 0; status == 0 && i < 4; i++) {
        uint32_t id = tch_intern_add(&stacks.names, names[i], strlen(names[i]));

        if (id == TCH_INTERN_NONE ||
            tch_stacks_add_both(&stacks, &id, 1, i % 2 ? 0 : 4 - i, i % 2 ? 4 - i : 0, NULL) < 0)
            status = TACHO_ENOMEM;
    }
    if (status == 0)
        status = tch_stacks_diff_end(&stacks, true, false, NULL);
    tch_stacks_release(&stacks);
    return status;
}

static void survives_lack_of_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(pair_all, NULL);
    test_every_allocation_fails(lay_out_all, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_stacks_are_counted_together),
        cmocka_unit_test(refuses_counts_whose_sum_exceeds_64_bits),
        cmocka_unit_test(keeps_any_number_of_names),
        cmocka_unit_test(truncates_deep_stacks_and_counts_them),
        cmocka_unit_test(sorts_as_the_definition_has_it),
        cmocka_unit_test(nothing_is_sorted_and_laid_out_too),
        cmocka_unit_test(narrow_frames_are_counted_once),
        cmocka_unit_test(the_widest_frames_are_kept),
        cmocka_unit_test(the_hottest_functions_are_found),
        cmocka_unit_test(survives_lack_of_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
