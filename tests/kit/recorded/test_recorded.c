/* Tests recorded values of programs: read per run, written, read back. */
#include "support/test.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kit/recorded/recorded.h"
#include "kit/result/series.h"
#include "support/system.h"

#define MEMORY_HEAD \
    "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes,temp_buffer_bytes\n"
#define EVENT(stages)                                                                       \
    "{\"event\":\"decode\",\"commit_sha\":\"c\",\"env_hash\":\"sha256:e\",\"model\":\"m\"," \
    "\"concurrency\":1,"                                                                    \
    "\"shape\":{},\"stage_us\":" stages ",\"graph_enabled\":false,\"runtime_flags\":{}}\n"

static const char *const files[] = {
    "iter/0001/memory.7.csv",        "iter/0001/memory.8.csv", "iter/0001/memory-detail.7.csv",
    "iter/0001/profile.jsonl",       "iter/0001/own.txt",      "iter/0002/memory.9.csv",
    "iter/0002/memory-detail.9.csv",
};

static int remove_parts(void **state)
{
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        unlink(test_at(files[i]));
    rmdir(test_at("iter/0001"));
    rmdir(test_at("iter/0002"));
    rmdir(test_at("iter"));
    return test_home_remove(state);
}

static void make_parts(void)
{
    assert_int_equal(mkdir(test_at("iter"), 0777), 0);
    assert_int_equal(mkdir(test_at("iter/0001"), 0777), 0);
    assert_int_equal(mkdir(test_at("iter/0002"), 0777), 0);
    test_put(test_at("iter/0001/memory.7.csv"), MEMORY_HEAD "1,9,100,0,5\n2,9,300,0,4\n");
    test_put(test_at("iter/0001/memory.8.csv"), MEMORY_HEAD "1,9,200,0,6\n");
    test_put(test_at("iter/0001/memory-detail.7.csv"),
             "timestamp_us,pid,key,value\n1,7,weights,70\n1,7,anon_bytes,9\n2,7,weights,60\n");
    test_put(test_at("iter/0001/profile.jsonl"),
             EVENT("{\"a_us\":1,\"calls\":4}")
                 EVENT("{\"a_us\":3}") "no event\n" EVENT("{\"a_us\":2,\"x\":{\"b_us\":8}}"));
    test_put(test_at("iter/0001/own.txt"), "nothing of ours");
    test_put(test_at("iter/0002/memory.9.csv"),
             MEMORY_HEAD "1,9,500,0,0\n2,9,60"); /* truncated by a kill */
    test_put(test_at("iter/0002/memory-detail.9.csv"), "not,its,header\n1,2,3\n");
}

static void add_run(struct tch_result *r, uint64_t run)
{
    assert_int_equal(tch_result_add_run(r, &(struct tch_result_run){.run = run}, NULL), 0);
    r->columns[TCH_WALL].value[r->run_count - 1] = 1;
}

struct quantiles {
    double p50, p95, p99;
};

static struct quantiles of(const struct tch_result *r, size_t i, const char *name)
{
    int at = tch_result_recorded(r, name);
    const struct tch_column *c = at >= 0 ? &r->columns[at] : NULL;

    return c ? (struct quantiles){c->value[i], c->p95[i], c->p99[i]}
             : (struct quantiles){NAN, NAN, NAN};
}

static void parts_count_for_their_run(void **state)
{
    struct tch_recorded rec;
    struct tch_result r;

    (void)state;
    make_parts();
    assert_int_equal(tch_result_init(&r, NULL), 0);
    for (uint64_t run = 1; run <= 3; run++)
        add_run(&r, run);
    tch_recorded_init(&rec, test_at(""));
    for (int again = 0; again < 2; again++) { /* the second time there is nothing new */
        assert_int_equal(tch_recorded_read(&rec, &r, NULL), 0);
        assert_true(of(&r, 0, "kv_cache").p50 == 300);
        assert_true(of(&r, 0, "temp_buffer").p99 == 6);
        assert_true(of(&r, 0, "memory.weights").p50 == 70);
        assert_true(of(&r, 0, "stage:decode.a_us").p50 == 2);
        assert_true(of(&r, 0, "stage:decode.a_us").p99 == 3);
        assert_true(of(&r, 0, "stage:decode.calls").p50 == 4);
        assert_true(of(&r, 0, "stage:decode.x.b_us").p50 == 8);
        assert_true(of(&r, 1, "kv_cache").p50 == 500);
        assert_true(isnan(of(&r, 1, "stage:decode.a_us").p50));
        assert_true(isnan(of(&r, 2, "kv_cache").p50));
        assert_int_equal(tch_result_recorded(&r, "activation"), -1);
        assert_int_equal(tch_result_recorded(&r, "memory.anon_bytes"), -1);
    }
    tch_recorded_release(&rec);
    tch_result_release(&r);
}

/* A number that the command prints under the name of a category does not hide the recorded peak. */
static void a_printed_number_may_have_the_name_of_a_category(void **state)
{
    struct tch_recorded rec;
    struct tch_result r;
    struct tch_metric printed;
    struct tch_metric found;

    (void)state;
    make_parts();
    assert_int_equal(tch_result_init(&r, NULL), 0);
    tch_metric_describe(&printed, "kv_cache", false);
    assert_int_equal(tch_result_add_column(&r, &printed, NULL), TCH_FIELDS);
    add_run(&r, 1);
    r.columns[TCH_FIELDS].value[0] = 1e9;
    tch_recorded_init(&rec, test_at(""));
    assert_int_equal(tch_recorded_read(&rec, &r, NULL), 0);
    assert_true(r.columns[tch_result_asked(&r, "kv_cache")].value[0] == 1e9);
    assert_true(of(&r, 0, "kv_cache").p50 == 300);
    assert_true(tch_result_metric(&r, "kv_cache", &found) && found.asked);
    tch_recorded_release(&rec);
    tch_result_release(&r);
}

static const char sample_json[] = "{\"wall_ns\":1,\"recorded\":{\"kv_cache\":4096,"
                                  "\"stage:a.\\\"b\\\"_us\":{\"p50\":1.5,\"p95\":2,\"p99\":3}}}";

static int parse(const char *json, struct tch_result *to)
{
    return tch_result_parse_run(to, json, strlen(json), NULL);
}

static int parse_one(void *arg)
{
    struct tch_result to;
    int status = tch_result_init(&to, NULL);

    (void)arg;
    if (status == 0)
        status = parse(sample_json, &to);
    tch_result_release(&to);
    return status;
}

static void survives_without_memory(void **state)
{
    (void)state;
    test_every_allocation_fails(parse_one, NULL);
}

static void reads_what_it_wrote(void **state)
{
    struct tch_result r;
    struct tch_result again;
    struct tch_buf first;
    struct tch_buf second;

    (void)state;
    assert_int_equal(tch_result_init(&r, NULL), 0);
    assert_int_equal(tch_result_init(&again, NULL), 0);
    assert_int_equal(parse(sample_json, &r), 0);
    assert_true(of(&r, 0, "kv_cache").p95 == 4096);
    assert_true(of(&r, 0, "stage:a.\"b\"_us").p95 == 2);
    tch_buf_init(&first, 4096);
    tch_buf_init(&second, 4096);
    tch_result_write_run(&first, &r, 0);
    assert_int_equal(parse(first.data, &again), 0);
    tch_result_write_run(&second, &again, 0);
    assert_string_equal(first.data, second.data);
    assert_non_null(strstr(first.data, "\"kv_cache\":4096"));
    tch_buf_release(&first);
    tch_buf_release(&second);
    tch_result_release(&r);
    tch_result_release(&again);
}

/* A sample of 40 bytes must not need 24 KB of memory, with a million samples. */
static void the_entries_of_all_samples_are_limited(void **state)
{
    static const char last[] = "{\"wall_ns\":1,\"recorded\":{\"memory.1023\":1}}";
    struct tch_result r;
    struct tch_buf names;
    tacho_error err;
    int status = 0;
    size_t n = 1;

    (void)state;
    assert_int_equal(tch_result_init(&r, NULL), 0);
    tch_buf_init(&names, 1 << 20);
    tch_buf_adds(&names, "{\"wall_ns\":1,\"recorded\":{");
    for (int i = 0; i < TCH_RECORDED_MOST; i++)
        tch_buf_addf(&names, "%s\"memory.%d\":1", i > 0 ? "," : "", i);
    tch_buf_adds(&names, "}}");
    assert_int_equal(parse(names.data, &r), 0);
    while (status == 0 && n++ < 100000)
        status = tch_result_parse_run(&r, last, strlen(last), &err);
    assert_int_equal(status, TACHO_ELIMIT);
    assert_int_equal(n, TCH_RECORDED_ENTRIES / TCH_RECORDED_MOST + 1);
    assert_non_null(strstr(err.message, "16777216"));
    tch_buf_release(&names);
    tch_result_release(&r);
}

static void refuses_invalid_recorded_values(void **state)
{
    struct tch_result r;

    (void)state;
    assert_int_equal(tch_result_init(&r, NULL), 0);
    assert_true(parse("{\"wall_ns\":1,\"recorded\":[]}", &r) < 0);
    assert_true(parse("{\"wall_ns\":1,\"recorded\":{\"a\":\"x\"}}", &r) < 0);
    assert_true(parse("{\"wall_ns\":1,\"recorded\":{\"a\":[1]}}", &r) < 0);
    assert_int_equal(r.run_count, 0);
    assert_int_equal(parse("{\"wall_ns\":1,\"recorded\":{\"a\":{\"p95\":1}}}", &r), 0);
    assert_int_equal(r.column_count, TCH_FIELDS);
    tch_result_release(&r);
}

static void names_have_limits(void **state)
{
    struct tch_result r;
    char name[TCH_METRIC_TEXT + 1];

    (void)state;
    assert_int_equal(tch_result_init(&r, NULL), 0);
    add_run(&r, 1);
    memset(name, 'x', TCH_METRIC_TEXT);
    name[TCH_METRIC_TEXT] = '\0';
    assert_int_equal(tch_result_set_recorded(&r, 0, name, 1, 1, 1, NULL), 0);
    assert_int_equal(r.column_count, TCH_FIELDS);
    for (int i = 0; i < TCH_RECORDED_MOST + 5; i++) {
        snprintf(name, sizeof name, "memory.%d", i);
        assert_int_equal(tch_result_set_recorded(&r, 0, name, 1, 1, 1, NULL), 0);
    }
    assert_int_equal(r.column_count, TCH_FIELDS + TCH_RECORDED_MOST);
    tch_result_release(&r);
}

static double median_of(const uint64_t *ns, size_t n)
{
    struct tch_latencies l = {0};
    tacho_latency_stats stats = TACHO_LATENCY_STATS_INIT;
    double median;

    for (size_t i = 0; i < n; i++)
        assert_int_equal(tch_latencies_add(&l, ns[i], NULL), 0);
    assert_int_equal(tch_latencies_stats(&l, &stats, NULL), 0);
    median = tch_latencies_median(&l, stats.p50);
    tch_latencies_release(&l);
    return median;
}

static void the_median_of_latencies_is_that_of_all_values(void **state)
{
    (void)state;
    assert_true(median_of((const uint64_t[]){9, 1, 4, 2}, 4) == 3);
    assert_true(median_of((const uint64_t[]){2, 1, 9, 2}, 4) == 2);
    assert_true(median_of((const uint64_t[]){4, 1, 4, 9}, 4) == 4);
    assert_true(median_of((const uint64_t[]){9, 1, 2}, 3) == 2);
    assert_true(median_of((const uint64_t[]){8, 5}, 2) == 6.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_median_of_latencies_is_that_of_all_values),
        cmocka_unit_test_setup_teardown(parts_count_for_their_run, test_home_make, remove_parts),
        cmocka_unit_test_setup_teardown(a_printed_number_may_have_the_name_of_a_category,
                                        test_home_make, remove_parts),
        cmocka_unit_test(reads_what_it_wrote),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(the_entries_of_all_samples_are_limited),
        cmocka_unit_test(refuses_invalid_recorded_values),
        cmocka_unit_test(names_have_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
