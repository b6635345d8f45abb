/* Runs the tests of ruvector-profiler's five modules and the examples of its README against
   <tacho/memory.h>, <tacho/power.h>, <tacho/latency.h>, <tacho/csv.h>, <tacho/fingerprint.h> and
   <tacho/witness.h>. */
#include <tacho/tacho.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "conformance.h"

/* Fails the case with the message of a failed call. */
#define CALL(call)                          \
    do {                                    \
        tacho_error err = {.message = ""};  \
        if ((call) < 0)                     \
            CHECK_TEXT(err.message, #call); \
    } while (0)

static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/*
 * memory.rs
 */

static tacho_memory *memory_tracker(const char *label)
{
    tacho_memory *m = NULL;

    CALL(tacho_memory_new(label, &m, &err));
    return m;
}

static tacho_memory_report memory_report(tacho_memory *m)
{
    tacho_memory_report report = TACHO_MEMORY_REPORT_INIT;

    CALL(tacho_memory_summary(m, &report, &err));
    return report;
}

static void push_snapshot(tacho_memory *m, uint64_t timestamp, uint64_t rss, uint64_t kv_cache,
                          uint64_t activation, uint64_t temp_buffer)
{
    tacho_memory_snapshot s = TACHO_MEMORY_SNAPSHOT_INIT;

    s.timestamp_us = timestamp;
    s.rss_bytes = rss;
    s.kv_cache_bytes = kv_cache;
    s.activation_bytes = activation;
    s.temp_buffer_bytes = temp_buffer;
    CALL(tacho_memory_snapshot_add(m, &s, &err));
}

static void capture_returns_nonzero_timestamp(void)
{
    tacho_memory *m = memory_tracker("capture");
    tacho_memory_snapshot s = TACHO_MEMORY_SNAPSHOT_INIT;

    CALL(tacho_memory_snapshot_take(m, TACHO_MEMORY_BASIC, &s, &err));
    CHECK(s.timestamp_us > 0);
    CHECK(s.rss_bytes > 0);
    tacho_memory_free(m);
}

static void tracker_peak_empty(void)
{
    tacho_memory *m = memory_tracker("empty");

    CHECK_INT(memory_report(m).peak_rss, 0);
    CHECK_INT(tacho_memory_snapshot_count(m), 0);
    tacho_memory_free(m);
}

static void tracker_report_aggregates(void)
{
    tacho_memory *m = memory_tracker("test");
    tacho_memory_report report;
    char *json = NULL;

    push_snapshot(m, 1, 100, 10, 20, 5);
    push_snapshot(m, 2, 200, 30, 40, 15);
    report = memory_report(m);
    CHECK_INT(report.peak_rss, 200);
    CHECK_INT(report.mean_rss, 150);
    CHECK_INT(report.kv_cache_total, 40);
    CHECK_INT(report.activation_total, 60);
    CHECK_TEXT(tacho_memory_label(m), "test");
    CALL(tacho_memory_summary_to_json(m, &json, NULL, &err));
    CHECK_TEXT(json, "{\"label\":\"test\",\"peak_rss\":200,\"mean_rss\":150,"
                     "\"kv_cache_total\":40,\"activation_total\":60}");
    free(json);
    tacho_memory_free(m);
}

/* README, "Memory Profiling": the fields of the snapshots that a tracker keeps. */
static void memory_profiling(void)
{
    tacho_memory *m = memory_tracker("fields");
    tacho_memory_snapshot s = TACHO_MEMORY_SNAPSHOT_INIT;

    tacho_memory_add(m, TACHO_MEMORY_KV_CACHE, 1048576);
    tacho_memory_add(m, TACHO_MEMORY_ACTIVATIONS, 2097152);
    tacho_memory_add(m, TACHO_MEMORY_TEMP_BUFFERS, 524288);
    CALL(tacho_memory_snapshot_take(m, TACHO_MEMORY_BASIC, NULL, &err));
    CHECK_INT(tacho_memory_snapshot_count(m), 1);
    CALL(tacho_memory_snapshot_at(m, 0, &s, &err));
    CHECK(s.rss_bytes > 0);
    CHECK_INT(s.kv_cache_bytes, 1048576);
    CHECK_INT(s.activation_bytes, 2097152);
    CHECK_INT(s.temp_buffer_bytes, 524288);
    CHECK(s.timestamp_us / 1000000 >= 1700000000);
    tacho_memory_free(m);
}

/*
 * power.rs
 */

static tacho_power_report energy_of(const tacho_power_sample *samples, size_t n)
{
    tacho_power_report report = TACHO_POWER_REPORT_INIT;

    CALL(tacho_power_energy(samples, n, &report, &err));
    return report;
}

static void energy_empty(void)
{
    tacho_power_report r = energy_of(NULL, 0);

    CHECK(r.joules == 0);
    CHECK_INT(r.samples, 0);
}

static void energy_single_sample(void)
{
    tacho_power_report r = energy_of(&(tacho_power_sample){100, 42}, 1);

    CHECK(r.joules == 0);
    CHECK(r.mean_watts == 42);
    CHECK_INT(r.samples, 1);
}

static void energy_trapezoidal(void)
{
    tacho_power_report r = energy_of((const tacho_power_sample[]){{0, 100}, {1000000, 100}}, 2);

    CHECK(near(r.joules, 100));
    CHECK(near(r.duration_s, 1));
    CHECK(r.peak_watts == 100);
}

static void energy_trapezoid_varying(void)
{
    tacho_power_report r = energy_of((const tacho_power_sample[]){{0, 0}, {1000000, 200}}, 2);

    CHECK(near(r.joules, 100));
}

static tacho_power_source fixed_source(const char *name)
{
    tacho_power_source source = TACHO_POWER_SOURCE_INIT;

    CALL(tacho_power_open(name, &source, &err));
    return source;
}

static tacho_power *power_tracker(const char *label, tacho_power_source source)
{
    tacho_power *p = NULL;

    CALL(tacho_power_new(label, &p, &err));
    CALL(tacho_power_add(p, &source, &err));
    return p;
}

static tacho_power_report energy_result(tacho_power *p)
{
    tacho_power_report report = TACHO_POWER_REPORT_INIT;

    CALL(tacho_power_report_at(p, 0, &report, &err));
    return report;
}

static void mock_power_source(void)
{
    tacho_power *p = power_tracker("mock", fixed_source("fixed:75"));

    CALL(tacho_power_poll(p, &err));
    CHECK(energy_result(p).last_watts == 75);
    CHECK(energy_result(p).mean_watts == 75);
    tacho_power_free(p);
}

static void power_tracker_collects(void)
{
    tacho_power *p = power_tracker("gpu", fixed_source("fixed:50"));
    tacho_power_sample sample;

    CALL(tacho_power_poll(p, &err));
    CALL(tacho_power_poll(p, &err));
    CHECK_INT(energy_result(p).samples, 2);
    CHECK_INT(tacho_power_sample_count(p), 2);
    CALL(tacho_power_sample_at(p, 1, &sample, NULL, &err));
    CHECK(sample.watts == 50 && tacho_power_sample_dropped(p) == 0);
    CHECK_TEXT(tacho_power_label(p), "gpu");
    tacho_power_free(p);
}

/* README, "Power Profiling": a source that the caller implements. */
static int read_watts(void *ctx, tacho_power_reading *ret, tacho_error *err)
{
    uint64_t *now_us = ctx;

    (void)err;
    ret->watts = 20;
    ret->timestamp_us = *now_us += 500000;
    return 0;
}

static void nvml_power_source(void)
{
    uint64_t now_us = 1000000;
    tacho_power_source source = TACHO_POWER_SOURCE_INIT;
    tacho_power_report r;
    tacho_power *p;

    snprintf(source.name, sizeof source.name, "mine");
    source.ctx = &now_us;
    source.read = read_watts;
    p = power_tracker("own", source);
    for (int i = 0; i < 3; i++)
        CALL(tacho_power_poll(p, &err));
    r = energy_result(p);
    CHECK(near(r.joules, 20));
    CHECK(near(r.duration_s, 1));
    CHECK(r.mean_watts == 20 && r.peak_watts == 20);
    tacho_power_free(p);
}

/*
 * latency.rs
 */

static tacho_latency *make_records(const uint64_t *times, size_t n)
{
    tacho_latency *list = NULL;

    CALL(tacho_latency_new(&list, &err));
    for (size_t i = 0; i < n; i++)
        CALL(tacho_latency_add_us(list, &(tacho_latency_record_us){i, times[i], times[i], 128},
                                  &err));
    return list;
}

/* Returns the statistics and frees the list. */
static tacho_latency_stats stats_of(tacho_latency *list)
{
    tacho_latency_stats stats = TACHO_LATENCY_STATS_INIT;

    CALL(tacho_latency_wall_stats_us(list, &stats, &err));
    tacho_latency_free(list);
    return stats;
}

static void stats_empty(void)
{
    tacho_latency_stats s = stats_of(make_records(NULL, 0));

    CHECK_INT(s.n, 0);
    CHECK_INT(s.p50, 0);
}

static void stats_single(void)
{
    tacho_latency_stats s = stats_of(make_records((const uint64_t[]){42}, 1));

    CHECK_INT(s.n, 1);
    CHECK_INT(s.p50, 42);
    CHECK_INT(s.p99, 42);
    CHECK(near(s.mean, 42));
    CHECK(near(s.std, 0));
}

static void stats_multiple(void)
{
    static const uint64_t times[] = {10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
    tacho_latency_stats s = stats_of(make_records(times, 10));

    CHECK_INT(s.n, 10);
    CHECK_INT(s.p50, 50);
    CHECK(near(s.mean, 55));
}

static void stats_unsorted_input(void)
{
    CHECK_INT(stats_of(make_records((const uint64_t[]){100, 10, 50, 90, 20}, 5)).p50, 50);
}

/*
 * csv_emitter.rs
 */

#define RESULTS_HEAD                                                 \
    "setting,coherence_delta,kv_cache_reduction,peak_mem_reduction," \
    "energy_reduction,p95_latency_us,accuracy\n"
#define LATENCY_HEAD "sample_id,wall_time_us,kernel_time_us,seq_len\n"
#define MEMORY_HEAD                                                \
    "timestamp_us,peak_rss_bytes,kv_cache_bytes,activation_bytes," \
    "temp_buffer_bytes\n"

static void expect_content(const char *path, const char *content)
{
    char *text = read_whole(path, NULL);

    CHECK_TEXT(text, content);
    free(text);
}

static void write_results(const char *path, const tacho_csv_result *rows, size_t n)
{
    tacho_csv *csv = NULL;

    CALL(tacho_csv_open(path, TACHO_CSV_RESULTS, TACHO_CSV_WHOLE, &csv, &err));
    for (size_t i = 0; i < n; i++)
        CALL(tacho_csv_add_result(csv, &rows[i], &err));
    CALL(tacho_csv_close(csv, &err));
}

static void expect_escaped(const char *setting, const char *field)
{
    const tacho_csv_result row = {.setting = setting, .setting_len = strlen(setting)};
    char content[256];

    write_results("results.csv", &row, 1);
    snprintf(content, sizeof content, RESULTS_HEAD "%s,0,0,0,0,0,0\n", field);
    expect_content("results.csv", content);
}

static void escape_plain(void)
{
    expect_escaped("hello", "hello");
}

static void escape_comma(void)
{
    expect_escaped("a,b", "\"a,b\"");
}

static void escape_quote(void)
{
    expect_escaped("say \"hi\"", "\"say \"\"hi\"\"\"");
}

static void write_results_roundtrip(void)
{
    static const tacho_csv_result rows[] = {
        {"baseline", 8, 0.01, 0, 0, 0, 1200, 0.95},
        {"lambda=0.1", 10, -0.03, 0.45, 0.30, 0.25, 950, 0.93},
    };

    write_results("results.csv", rows, 2);
    expect_content("results.csv", RESULTS_HEAD "baseline,0.01,0,0,0,1200,0.95\n"
                                               "lambda=0.1,-0.03,0.45,0.3,0.25,950,0.93\n");
}

static void write_latency_roundtrip(void)
{
    tacho_latency *list = make_records(NULL, 0);

    CALL(tacho_latency_add_us(list, &(tacho_latency_record_us){0, 100, 80, 64}, &err));
    CALL(tacho_latency_add_us(list, &(tacho_latency_record_us){1, 120, 90, 128}, &err));
    CALL(tacho_latency_write_csv(list, "latency.csv", &err));
    expect_content("latency.csv", LATENCY_HEAD "0,100,80,64\n1,120,90,128\n");
    tacho_latency_free(list);
}

static void write_memory_roundtrip(void)
{
    tacho_memory *m = memory_tracker("roundtrip");

    push_snapshot(m, 999, 1024, 256, 512, 128);
    CALL(tacho_memory_write_csv(m, "memory.csv", &err));
    expect_content("memory.csv", MEMORY_HEAD "999,1024,256,512,128\n");
    tacho_memory_free(m);
}

/* README, "CSV Output Formats". */
static void csv_output_formats(void)
{
    static const tacho_csv_result row = {
        "mincut_l0.5_t2", 14, -0.003, 0.25, 0.18, 0.12, 1150, 0.994};
    tacho_latency *list = make_records(NULL, 0);
    tacho_memory *m = memory_tracker("formats");

    write_results("out/results.csv", &row, 1);
    expect_content("out/results.csv",
                   RESULTS_HEAD "mincut_l0.5_t2,-0.003,0.25,0.18,0.12,1150,0.994\n");
    CALL(tacho_latency_add_us(list, &(tacho_latency_record_us){0, 850, 780, 128}, &err));
    CALL(tacho_latency_write_csv(list, "out/latency.csv", &err));
    expect_content("out/latency.csv", LATENCY_HEAD "0,850,780,128\n");
    push_snapshot(m, 1700000000, 4194304, 1048576, 2097152, 524288);
    CALL(tacho_memory_write_csv(m, "out/memory.csv", &err));
    expect_content("out/memory.csv", MEMORY_HEAD "1700000000,4194304,1048576,2097152,524288\n");
    tacho_latency_free(list);
    tacho_memory_free(m);
}

/*
 * config_hash.rs
 */

/* Hashes of the configurations in the README: SHA-256 of their JSON text, computed with another
   tool. */
#define HASH_O3      "8194ad7276a762e3eeee09d9d2cb18ab888c08854a9f3deaf87e92142bca82df"
#define HASH_O3_AVX2 "45b57923f8c1a4fe99d72e45cea9b1d27607af3a2e8af6963e6fe3276e2319b7"

static void sha_empty(void)
{
    char hash[TACHO_SHA256_TEXT];

    tacho_sha256("", 0, hash);
    CHECK_TEXT(hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void sha_abc(void)
{
    char hash[TACHO_SHA256_TEXT];

    tacho_sha256("abc", 3, hash);
    CHECK_TEXT(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

struct hash {
    char text[TACHO_SHA256_TEXT];
};

static struct hash config_hash(const char *model_commit, const char *weights_hash, float lambda,
                               uint64_t tau, float eps, const char *compiler_flags)
{
    const tacho_config config = {model_commit, weights_hash, lambda, tau, eps, compiler_flags};
    struct hash hash;

    CALL(tacho_config_hash(&config, hash.text, &err));
    return hash;
}

static void deterministic(void)
{
    struct hash first = config_hash("a", "b", 0.1F, 64, 1e-6F, "-O3");
    struct hash second = config_hash("a", "b", 0.1F, 64, 1e-6F, "-O3");

    CHECK_TEXT(first.text, second.text);
    CHECK_INT(strlen(first.text), 64);
}

static void varies(void)
{
    struct hash a = config_hash("a", "x", 0.1F, 64, 1e-6F, "");
    struct hash b = config_hash("b", "x", 0.1F, 64, 1e-6F, "");

    CHECK(strcmp(a.text, b.text) != 0);
}

/* README, "Config Fingerprinting". */
static void config_fingerprinting(void)
{
    struct hash hash = config_hash("abc1234", "def5678", 0.5F, 2, 0.01F, "-O3");

    CHECK_TEXT(hash.text, HASH_O3);
}

/* A configuration that would have the hash of another one is refused. */
static void config_beyond_floats_is_refused(void)
{
    static const char text[] = "{\"model_commit\":\"a\",\"weights_hash\":\"b\",\"lambda\":1e400,"
                               "\"tau\":2,\"eps\":0.01,\"compiler_flags\":\"\"}";
    char *json = NULL;
    tacho_error err;

    CHECK_INT(tacho_config_canonical(text, strlen(text), &json, NULL, &err), TACHO_EPARSE);
    CHECK_CONTAINS(err.message, "lambda");
}

/*
 * README, "Full Benchmark Loop" and "Tutorial: Running a Complete Min-Cut Benchmark", steps 1 to 3.
 */

static uint64_t now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static size_t count_lines(const char *path)
{
    char *text = read_whole(path, NULL);
    size_t lines = 0;

    for (const char *p = text; (p = strchr(p, '\n')); p++)
        lines++;
    free(text);
    return lines;
}

enum { STEPS = 1000 };

static void run_benchmark(tacho_memory *mem, tacho_power *pwr, tacho_latency *latencies)
{
    for (uint64_t i = 0; i < STEPS; i++) {
        uint64_t start;
        uint64_t elapsed;

        CALL(tacho_memory_snapshot_take(mem, TACHO_MEMORY_BASIC, NULL, &err));
        CALL(tacho_power_poll(pwr, &err));
        start = now_us();
        elapsed = now_us() - start;
        CALL(tacho_latency_add_us(latencies, &(tacho_latency_record_us){i, elapsed, elapsed, 128},
                                  &err));
    }
}

static void benchmark_with(const char *flags, const char *fingerprint)
{
    struct hash hash = config_hash("abc1234", "def5678", 0.5F, 2, 0.01F, flags);
    tacho_memory *mem = memory_tracker("mincut_l0.5_t2");
    tacho_power *pwr = power_tracker("gpu", fixed_source("fixed:75"));
    tacho_latency *latencies = make_records(NULL, 0);
    tacho_memory_report report;
    tacho_power_report energy;

    CHECK_TEXT(hash.text, fingerprint);
    run_benchmark(mem, pwr, latencies);
    report = memory_report(mem);
    energy = energy_result(pwr);
    CHECK(report.peak_rss >= report.mean_rss && report.mean_rss > 0);
    CHECK_INT(tacho_memory_snapshot_count(mem), STEPS);
    CHECK(energy.mean_watts == 75 && energy.peak_watts == 75 && energy.samples == STEPS);
    CHECK(fabs(energy.joules - 75 * energy.duration_s) < 1e-6);
    CALL(tacho_latency_write_csv(latencies, "results/latency.csv", &err));
    CALL(tacho_memory_write_csv(mem, "results/memory.csv", &err));
    CALL(tacho_power_write_csv(pwr, "results/power.csv", &err));
    CHECK_INT(count_lines("results/latency.csv"), STEPS + 1);
    CHECK_INT(count_lines("results/memory.csv"), STEPS + 1);
    CHECK_INT(count_lines("results/power.csv"), tacho_power_sample_count(pwr) + 1);
    CHECK_INT(stats_of(latencies).n, STEPS);
    tacho_power_free(pwr);
    tacho_memory_free(mem);
}

static void full_benchmark_loop(void)
{
    benchmark_with("-O3", HASH_O3);
}

static void tutorial_running_a_complete_min_cut_benchmark(void)
{
    benchmark_with("-O3 -mavx2", HASH_O3_AVX2);
}

/*
 * The witness logs of the min-cut benchmark
 */

/* Writes a log of two decisions and checks its lines with a hash function only. */
static void sha256_witness_chains(void)
{
    static const uint8_t mask[] = {1, 0, 1};
    tacho_witness_entry entry = {.q_hash = HASH_O3,
                                 .k_hash = HASH_O3_AVX2,
                                 .keep_mask = mask,
                                 .keep_count = 3,
                                 .cut_cost = 1.5f,
                                 .lambda = 0.5f,
                                 .tau = 2,
                                 .eps = 0.01f};
    char hash[TACHO_SHA256_TEXT], wanted[1024], *line = NULL, *log, *at;
    tacho_witness *w = NULL;

    CALL(tacho_witness_open("witness.jsonl", &w, &err));
    for (entry.timestamp = 1; entry.timestamp <= 2; entry.timestamp++)
        CALL(tacho_witness_add(w, &entry, &err));
    CALL(tacho_witness_close(w, &err));
    at = log = read_whole("witness.jsonl", NULL);
    memset(hash, '0', sizeof hash - 1);
    hash[sizeof hash - 1] = '\0';
    for (entry.timestamp = 1; entry.timestamp <= 2; entry.timestamp++) {
        size_t len = 0;
        int hashed;

        CALL(tacho_witness_line(&entry, &line, &len, &err));
        hashed = snprintf(wanted, sizeof wanted, "%.*s,\"prev\":\"%s\"", (int)len - 1, line, hash);
        free(line);
        tacho_sha256(wanted, (size_t)hashed, hash);
        snprintf(wanted + hashed, sizeof wanted - (size_t)hashed, ",\"hash\":\"%s\"}\n", hash);
        CHECK(strncmp(at, wanted, strlen(wanted)) == 0);
        at += strlen(wanted);
    }
    CHECK_CONTAINS(at, "{\"entries\":2,\"prev\":");
    free(log);
}

static const struct conformance_case cases[] = {
    CASE(capture_returns_nonzero_timestamp),
    CASE(tracker_peak_empty),
    CASE(tracker_report_aggregates),
    CASE(memory_profiling),
    CASE(energy_empty),
    CASE(energy_single_sample),
    CASE(energy_trapezoidal),
    CASE(energy_trapezoid_varying),
    CASE(mock_power_source),
    CASE(power_tracker_collects),
    CASE(nvml_power_source),
    CASE(stats_empty),
    CASE(stats_single),
    CASE(stats_multiple),
    CASE(stats_unsorted_input),
    CASE(escape_plain),
    CASE(escape_comma),
    CASE(escape_quote),
    CASE(write_results_roundtrip),
    CASE(write_latency_roundtrip),
    CASE(write_memory_roundtrip),
    CASE(csv_output_formats),
    CASE(sha_empty),
    CASE(sha_abc),
    CASE(deterministic),
    CASE(varies),
    CASE(config_fingerprinting),
    CASE(config_beyond_floats_is_refused),
    CASE(full_benchmark_loop),
    CASE(tutorial_running_a_complete_min_cut_benchmark),
    CASE(sha256_witness_chains),
};

CONFORMANCE_MAIN(cases)
