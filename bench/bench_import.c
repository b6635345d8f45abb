/* Measures reading a result file of Google Benchmark, and comparing two sets of 1,000 benchmarks.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/json_read.h"
#include "bench.h"
#include "kit/import/import.h"
#include "kit/judge/set_compare.h"

enum { BYTES = 100 * 1024 * 1024, QUICK_BYTES = 256 * 1024, REPETITIONS = 20, BENCHES = 1000 };

static const struct tch_import_options none = {0};

/* Writes a file as the tool does. All digits vary. */
static void make_file(struct tch_buf *b, size_t size, size_t benches, uint64_t seed)
{
    tch_buf_init(b, (size_t)BYTES + (1 << 20));
    tch_buf_adds(b, "{\n  \"context\": {\n    \"date\": \"2026-11-18T10:00:00+00:00\",\n"
                    "    \"host_name\": \"vm\",\n    \"num_cpus\": 2\n  },\n"
                    "  \"benchmarks\": [\n");
    for (size_t i = 0; b->len < size && i < benches * REPETITIONS; i++) {
        size_t bench = i / REPETITIONS;
        double time = 100 + (double)bench + 0.001 * (double)(bench_random(&seed) >> 11) * 0x1p-53;

        tch_buf_addf(
            b,
            "%s    {\n      \"name\": \"BM_Fill/%zu\",\n      \"family_index\": 0,\n"
            "      \"per_family_instance_index\": 0,\n      \"run_name\": \"BM_Fill/%zu\",\n"
            "      \"run_type\": \"iteration\",\n      \"repetitions\": %d,\n"
            "      \"repetition_index\": %zu,\n      \"threads\": 1,\n"
            "      \"iterations\": %zu,\n      \"real_time\": %.16e,\n"
            "      \"cpu_time\": %.16e,\n      \"time_unit\": \"ns\",\n"
            "      \"bytes_per_second\": %.16e\n    }",
            i > 0 ? ",\n" : "", bench, bench, REPETITIONS, i % REPETITIONS, 1000 + i, time,
            time * 0.99, 8e9 / time);
    }
    tch_buf_adds(b, "\n  ]\n}\n");
}

/* --- One large file --- */

static int validate(void *work, void *state)
{
    const struct tch_buf *b = work;

    (void)state;
    return tch_json_check(b->data, b->len, NULL);
}

static int import(void *work, void *state)
{
    const struct tch_buf *b = work;
    struct tch_import_set set;
    int status;

    (void)state;
    tch_import_init(&set);
    status = tch_import_text(&set, "file.json", b->data, b->len, 1, &none, NULL);
    if (set.count == 0)
        status = -1;
    tch_import_release(&set);
    return status < 0 ? -1 : 0;
}

static int compare_file(const struct bench_options *o)
{
    struct tch_buf b;
    const struct bench_contender contenders[] = {
        {.name = "validate the JSON", .role = BENCH_FLOOR, .run = validate},
        {.name = "tacho import", .role = BENCH_OURS, .run = import, .most_floors = 1.5},
    };
    struct bench_case c = {.name = "import a file of Google Benchmark",
                           .work = &b,
                           .operations = 1,
                           .operation = "file",
                           .contenders = contenders,
                           .contender_count = 2};
    int status;

    make_file(&b, o->quick ? QUICK_BYTES : BYTES, SIZE_MAX / REPETITIONS, 1);
    c.bytes = b.len;
    status = b.failed ? -1 : bench_compare(&c, o);
    tch_buf_release(&b);
    return status;
}

/* --- Two sets --- */

static int compare(void *work, void *state)
{
    const struct tch_buf *files = work;
    struct tch_import_set sets[2];
    struct tch_findings f;
    int status = 0;

    (void)state;
    tch_findings_init(&f, "compare");
    for (size_t i = 0; i < 2; i++) {
        tch_import_init(&sets[i]);
        if (tch_import_text(&sets[i], "file.json", files[i].data, files[i].len, 1, &none, NULL) <
                0 ||
            tch_import_finish(&sets[i], &none, NULL) < 0)
            status = -1;
    }
    if (status == 0 &&
        (tch_compare_sets(&f, sets[0].results, sets[0].count, sets[1].results, sets[1].count, NULL,
                          0, NULL) < 0 ||
         tch_findings_judge(&f, TCH_ALPHA, NULL) < 0 || tch_sets_finish(&f, NULL) < 0))
        status = -1;
    tch_findings_release(&f);
    for (size_t i = 0; i < 2; i++)
        tch_import_release(&sets[i]);
    return status;
}

static int validate_both(void *work, void *state)
{
    struct tch_buf *files = work;

    return validate(&files[0], state) < 0 || validate(&files[1], state) < 0 ? -1 : 0;
}

static int compare_sets(const struct bench_options *o)
{
    struct tch_buf files[2];
    const struct bench_contender contenders[] = {
        {.name = "validate the JSON", .role = BENCH_FLOOR, .run = validate_both},
        {.name = "import and compare", .role = BENCH_OURS, .run = compare},
    };
    struct bench_case c = {.name = "compare two files of 1,000 benchmarks, 20 values of 3 metrics",
                           .work = files,
                           .operations = BENCHES,
                           .operation = "benchmark",
                           .contenders = contenders,
                           .contender_count = 2};
    int status;

    for (size_t i = 0; i < 2; i++)
        make_file(&files[i], BYTES, o->quick ? 20 : BENCHES, i);
    c.bytes = files[0].len + files[1].len;
    status = files[0].failed || files[1].failed ? -1 : bench_compare(&c, o);
    tch_buf_release(&files[0]);
    tch_buf_release(&files[1]);
    return status;
}

int main(int argc, char **argv)
{
    struct bench_options o;

    if (bench_parse(&argc, argv, &o) < 0)
        return 1;
    return compare_file(&o) < 0 || compare_sets(&o) < 0 ? 1 : 0;
}
