/*
 * tacho.yaml: which benches there are, how they are run, what they may cost.
 *
 * Its schema is docs/schemas/tacho.yaml.schema.json, its manual docs/gate.md.
 */
#ifndef TCH_BENCH_SETTINGS_H
#define TCH_BENCH_SETTINGS_H

#include <stdint.h>

#include <tacho/error.h>

#include "kit/config/yaml.h"
#include "kit/run/run_plan.h"
#include "run_compare.h"

#define TCH_SETTINGS_FILE   "tacho.yaml"
#define TCH_BASELINES       ".tacho/baselines"
#define TCH_GATE_TOLERANCE  0.05
#define TCH_GATE_MAX_AGE_NS (90 * 86400 * UINT64_C(1000000000))
#define TCH_GATE_SUSPICIOUS 3 /* times as good */

enum {
    TCH_BENCHES_MOST = 1000,
    TCH_BUDGETS_MOST = 64,
    TCH_GATE_RUNS = 10, /* at the first look */
    TCH_GATE_MOST = 40, /* at the last */
    TCH_GATE_KEEP = 10, /* occasions of a baseline */
};

struct tch_bench {
    const char *name;
    const char *line; /**< the command, secrets masked, for people */
    const char *const *argv;
    /** What the file says; the rest is 0. cwd is relative to the file's folder; runs are those at
        the first look, 0: until precise; precision is 0 with a number of runs. */
    struct tch_run_plan plan;
    struct tch_named_budget budgets[TCH_BUDGETS_MOST];
    size_t budget_count;
    uint64_t line_number; /**< where it is described */

    /* Owned, and what some of the above point to. */
    const char **env;
    const char **keep_env;
    struct tch_metric *metrics;
    struct tch_metric check; /**< of its output */
    char **words;
    char *masked; /**< line */
    const char *shell_argv[4];
};

struct tch_settings {
    struct tch_yaml yaml;
    double alpha;
    double suspicious; /**< that of tch_findings */
    const char *build; /**< or NULL */
    const char *baselines;
    uint64_t keep;
    uint64_t max_age_ns; /**< an older reference is named */
    struct tch_bench *benches;
    size_t count;
};

/** Reads a text. s is released by the caller in any case. 0, TACHO_EPARSE with line and column,
    TACHO_ENOMEM, TACHO_ELIMIT. */
int tch_settings_parse(struct tch_settings *s, const char *text, size_t len, tacho_error *err);

/** Reads a file. `found`: no user named it, so it must be a regular file. */
int tch_settings_read(struct tch_settings *s, const char *path, bool found, tacho_error *err);

void tch_settings_release(struct tch_settings *s);

/** Parses a factor above 1, "3x" or "3"; false: it is none. */
bool tch_settings_factor(const char *text, double *ret);

/** The bench of that name, or NULL. */
struct tch_bench *tch_settings_bench(const struct tch_settings *s, const char *name);

/** Adds a metric to a bench by what `tacho run --metric` takes, unless the bench has it. node:
   where it is in the file. */
int tch_settings_metric(struct tch_bench *b, const struct tch_yaml_node *node, const char *spec,
                        tacho_error *err);

/** Sets the layouts of a bench. The first look is at `count` of them, the last at four times as
   many unless the bench says otherwise. Accepts a NULL map. */
int tch_settings_layouts(struct tch_run_plan *plan, const struct tch_yaml_node *map,
                         const struct tch_yaml_node *bench, tacho_error *err);

/** Sets what is counted in extra runs of a bench, before its budgets. list may be NULL; runs is the
    number of these runs in the file, or NULL. */
int tch_settings_counts(struct tch_bench *b, const struct tch_yaml_node *list,
                        const struct tch_yaml_node *runs, tacho_error *err);

/** Sets the budgets of a bench: its own, and those of the defaults that it does not override.
    Either map may be NULL. With none at all wall time and memory have a tolerance of 5 %. */
int tch_settings_budgets(struct tch_bench *b, const struct tch_yaml_node *defaults,
                         const struct tch_yaml_node *own, tacho_error *err);

#endif
