/* Tests that the picture of a summary has the same cells as one that was painted nanosecond by
   nanosecond. */
#include "support/test.h"

#include <stdlib.h>

#include "kit/trace/trace_lanes.h"

enum { TIME = 1 << 16, SPANS = 400, LANES = 3 };

/* The name that each lane ran in each nanosecond; 0: none. */
static uint32_t painted[LANES][TIME];

/* Paints the parts of a random span in which the lane runs nothing yet. */
static void paint_span(struct tch_lanes *l, size_t lane, uint32_t from, uint32_t len, uint32_t name)
{
    for (uint32_t at = from; at < from + len; at++) {
        uint32_t begin = at;

        while (at < from + len && painted[lane][at] == 0)
            painted[lane][at++] = name;
        tch_lanes_paint(l, lane, name, begin, at);
    }
}

static void check_cells(const struct tch_lanes *l)
{
    int64_t width = INT64_C(1) << l->shift;

    for (size_t lane = 0; lane < LANES; lane++) {
        for (size_t k = 0; k < TCH_LANE_CELLS; k++) {
            int64_t from = l->start + (int64_t)k * width;
            double busy = 0, share;

            for (int64_t at = from; at < from + width; at++)
                busy += at >= 0 && at < TIME && painted[lane][at] != 0;
            tch_lanes_column(l, lane, l->start, l->start + TCH_LANE_CELLS * width, k,
                             TCH_LANE_CELLS, &share);
            assert_true(share * (double)width == busy);
        }
    }
}

static void cells_are_those_of_every_nanosecond(void **state)
{
    (void)state;
    srand(1);
    for (int seed = 0; seed < 20; seed++) {
        struct tch_lanes l;

        memset(painted, 0, sizeof painted);
        tch_lanes_init(&l);
        for (size_t i = 0; i < LANES; i++)
            assert_int_equal(tch_lanes_add(&l), 0);
        for (uint32_t i = 0; i < SPANS; i++) {
            /* Spans of one lane come in order, those of the others do not. */
            size_t lane = (size_t)rand() % LANES;
            uint32_t from = lane == 0 ? i * (TIME / SPANS) : (uint32_t)rand() % TIME;
            uint32_t len = (uint32_t)rand() % (i % 20 == 0 ? TIME / 4 : 200);

            paint_span(&l, lane, from, from + len < TIME ? len : TIME - from, 1 + i % 7);
        }
        assert_false(l.failed);
        check_cells(&l);
        tch_lanes_release(&l);
    }
}

static void a_filled_column_shows_its_name(void **state)
{
    struct tch_lanes l;
    double share;

    (void)state;
    tch_lanes_init(&l);
    assert_int_equal(tch_lanes_add(&l), 0);
    tch_lanes_paint(&l, 0, 5, 0, 1000000);
    tch_lanes_paint(&l, 0, 6, 1000000, 3000000);
    assert_int_equal(tch_lanes_column(&l, 0, 0, 3000000, 0, 3, &share), 5);
    assert_int_equal(tch_lanes_column(&l, 0, 0, 3000000, 1, 3, &share), 6);
    assert_true(share > 0.99 && share < 1.01);
    assert_true(l.lanes[0].count < 8); /* few runs, not a cell each */
    tch_lanes_release(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_those_of_every_nanosecond),
        cmocka_unit_test(a_filled_column_shows_its_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
