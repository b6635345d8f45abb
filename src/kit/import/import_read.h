/*
 * Shared by the readers of all formats: the input, functions that add to the set, which are in
 * import_add.c, and functions for lines, which are in import_lines.c. This header declares them and
 * the readers.
 *
 * Adding fails without memory only. That is remembered in `status`, and nothing more is added, so
 * readers need not check each call.
 */
#ifndef TCH_IMPORT_READ_H
#define TCH_IMPORT_READ_H

#include "base/text_span.h"
#include "import.h"
#include "json_tree.h"

/** A text that is being read. */
struct tch_import_input {
    struct tch_import_set *set;
    const struct tch_import_format *format;
    const char *file;
    const char *text; /**< the whole text */
    size_t len;
    struct tch_json_tree tree;
    const struct tch_json_node *root; /**< its JSON document; NULL: there is no document */
    size_t root_at;                   /**< offset of the document in the text */
    int status;                       /**< 0, or why nothing more is added */
    size_t added;                     /**< benchmarks that this text had */

    /* Facts about all benchmarks of the file. */
    char *version; /**< of the tool, owned; NULL: not known */
    char *machine; /**< CPU and the like, owned; NULL: not known */
    char commit[TCH_VCS_HASH];
    uint64_t when; /**< unix time in nanoseconds */
};

/** A format with its functions. */
struct tch_import_reader {
    struct tch_import_format format;
    bool (*is)(const struct tch_import_input *in); /**< returns whether the text has this format */
    void (*read)(struct tch_import_input *in);
};

/** Describes a value of a benchmark. */
struct tch_import_metric {
    const char *name; /**< "wall", "user", "memory", "minor_faults" and so on are
                           columns that every run has */
    const char *unit;
    enum tch_better better;
    bool exact;
};

extern const struct tch_import_metric tch_import_wall; /* nanoseconds */
extern const struct tch_import_metric tch_import_cpu;

/** Returns the result of a benchmark; NULL without memory. If `again` is set, the same name in one
    file means the same benchmark; otherwise a second one gets a number. */
struct tch_result *tch_import_bench(struct tch_import_input *in, const char *name, size_t len,
                                    bool again);

/** Like tch_import_bench(), for a name that was put together. A buffer that failed fails the
   import, because part of a name could be that of another benchmark. */
struct tch_result *tch_import_bench_named(struct tch_import_input *in, const struct tch_buf *name,
                                          bool again);

/** Returns the result of a benchmark at a commit. Results of one name at several commits are kept
    apart. */
struct tch_result *tch_import_bench_at(struct tch_import_input *in, const char *name, size_t len,
                                       const char *commit);

/** Adds a value to a run of this file, from 0. Ignores a value that is not finite, and a NULL r. */
void tch_import_value(struct tch_import_input *in, struct tch_result *r,
                      const struct tch_import_metric *m, size_t run, double value);

/** Says that a metric of a result is a statistic, and returns it to be completed; NULL without
    memory. If `value` is finite, it is that of all runs, which do not have one themselves. */
struct tch_aggregate *tch_import_statistic(struct tch_import_input *in, struct tch_result *r,
                                           const struct tch_import_metric *m, const char *statistic,
                                           uint64_t n, double value);

/** Says how a run ended, as a shell does. */
void tch_import_exit(struct tch_import_input *in, struct tch_result *r, size_t run, int code);

/** Sets the work of a run, from which the throughput is computed. */
void tch_import_work(struct tch_import_input *in, struct tch_result *r, double amount,
                     const char *unit);

/** Adds a sentence about what could not be imported. at: where it is in the text, or NULL. */
void tch_import_problem(struct tch_import_input *in, const char *at, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/** Sets the machine from a model and a number of CPUs. Both may be missing: NULL, NAN. */
void tch_import_machine(struct tch_import_input *in, const struct tch_json_node *model,
                        double cpus);

/** Sets the time of the file from ISO 8601, such as "2026-11-16T16:14:12+01:00". Keeps the time if
    the text is something else. Returns nanoseconds, or 0. */
uint64_t tch_import_time(const char *text, size_t len);

/** Returns nanoseconds per unit of time, "ns", "us", "ms", "s", "min" and so on; NAN for anything
    else. */
double tch_import_unit_ns(const char *unit, size_t len);

/** Guesses the direction from a unit. Times, bytes and counts per operation: lower. Rates: higher.
    Everything else is not known. */
enum tch_better tch_import_unit_better(const char *unit, size_t len);

/** Calls `line` for each line of the text, without colours and the line end. */
void tch_import_lines(struct tch_import_input *in,
                      void (*line)(struct tch_import_input *in, struct tch_span line, void *ctx),
                      void *ctx);

/** Splits a line at spaces and tabs. Returns the number of words, at most `most`. */
size_t tch_import_words(struct tch_span line, struct tch_span *words, size_t most);

/** The readers, one file each. */
extern const struct tch_import_reader tch_import_asv;
extern const struct tch_import_reader tch_import_benchmarkdotnet;
extern const struct tch_import_reader tch_import_benchmarktools;
extern const struct tch_import_reader tch_import_bmf;
extern const struct tch_import_reader tch_import_cargo_criterion;
extern const struct tch_import_reader tch_import_catch2;
extern const struct tch_import_reader tch_import_criterion;
extern const struct tch_import_reader tch_import_custom_json;
extern const struct tch_import_reader tch_import_data_js;
extern const struct tch_import_reader tch_import_fio;
extern const struct tch_import_reader tch_import_gnu_time;
extern const struct tch_import_reader tch_import_go;
extern const struct tch_import_reader tch_import_google_benchmark;
extern const struct tch_import_reader tch_import_google_text;
extern const struct tch_import_reader tch_import_hyperfine;
extern const struct tch_import_reader tch_import_jmh;
extern const struct tch_import_reader tch_import_libtest;
extern const struct tch_import_reader tch_import_llama_bench;
extern const struct tch_import_reader tch_import_nanobench;
extern const struct tch_import_reader tch_import_perf_stat;
extern const struct tch_import_reader tch_import_perfgate;
extern const struct tch_import_reader tch_import_pyperf;
extern const struct tch_import_reader tch_import_pytest;
extern const struct tch_import_reader tch_import_samples;
extern const struct tch_import_reader tch_import_test2json;
extern const struct tch_import_reader tch_import_vitest;

#endif
