/*
 * tacho.yaml: the benches, how to run them, and their budgets.
 *
 * Its schema is docs/schemas/tacho.yaml.schema.json, its manual docs/gate.md.
 */
#ifndef TCH_BENCH_SETTINGS_H
#define TCH_BENCH_SETTINGS_H

#include <stdint.h>

#include <tacho/error.h>

#include "kit/config/yaml.h"
#include "kit/judge/run_compare.h"
#include "kit/run/plan/run_plan.h"

#define TCH_SETTINGS_FILE   "tacho.yaml"
#define TCH_BASELINES       ".tacho/baselines"
#define TCH_GATE_TOLERANCE  0.05
#define TCH_GATE_MAX_AGE_NS (90 * 86400 * UINT64_C(1000000000))
#define TCH_GATE_SUSPICIOUS 3 /* factor of improvement above which a row is WARN */
#define TCH_GATE_OBVIOUS    2 /* factor that no difference between two sessions explains */

enum {
    TCH_BENCHES_MOST = 1000,
    TCH_BUDGETS_MOST = 64,
    TCH_GATE_RUNS = 10, /* runs at the first interim analysis */
    TCH_GATE_MOST = 40, /* runs at the last */
    TCH_GATE_KEEP = 10, /* occasions that a baseline keeps */
};

struct tch_bench {
    const char *name;
    const char *line; /**< the command for display, with secrets masked */
    const char *const *argv;
    /** The values of the file; all others are 0. cwd is relative to the file's folder. runs is
        the number at the first analysis; 0: until precise. precision is 0 if there is a number
        of runs. */
    struct tch_run_plan plan;
    struct tch_named_budget budgets[TCH_BUDGETS_MOST];
    size_t budget_count;
    struct tch_named_budget imported; /**< budget of all metrics that plan.import finds */
    uint64_t line_number;             /**< line of the file that describes it */

    /* Owned; some of the members above point to these. */
    const char **env;
    const char **keep_env;
    struct tch_metric_rule *metrics;
    struct tch_metric_rule check; /**< matched against its output */
    char **words;
    char *masked; /**< the text of `line` */
    const char *shell_argv[4];
};

struct tch_settings {
    struct tch_yaml yaml;
    double alpha;
    double suspicious;   /**< for tch_findings.suspicious */
    double obvious;      /**< for tch_about.obvious */
    const char *build;   /**< or NULL */
    const char *confirm; /**< "commit" or "none"; NULL: "commit" in CI */
    const char *baselines;
    uint64_t keep;
    uint64_t max_age_ns; /**< age from which on a reference is reported as old */
    struct tch_bench *benches;
    size_t count;
};

/** Parses a text. The caller releases s in any case. Returns 0, TACHO_EPARSE with line and column,
    TACHO_ENOMEM or TACHO_ELIMIT. */
int tch_settings_parse(struct tch_settings *s, const char *text, size_t len, tacho_error *err);

/** Reads a file. `found`: the user did not name it, so it must be a regular file. */
int tch_settings_read(struct tch_settings *s, const char *path, bool found, tacho_error *err);

void tch_settings_release(struct tch_settings *s);

/** Parses a factor above 1, "3x" or "3". Returns false if the text is not one. */
bool tch_settings_factor(const char *text, double *ret);

/** Describes the quantity of a budget. A metric of the bench takes precedence over a recorded
    quantity or a count of the same name. Returns false if there is no such quantity. */
bool tch_bench_metric(const struct tch_bench *b, const char *name, struct tch_metric *ret);

/** Returns the bench with that name, or NULL. */
struct tch_bench *tch_settings_bench(const struct tch_settings *s, const char *name);

/** Adds a metric to a bench, in the syntax of `tacho run --metric`, unless the bench has it. node:
    where it is in the file. */
int tch_settings_metric(struct tch_bench *b, const struct tch_yaml_node *node, const char *spec,
                        tacho_error *err);

/** Sets the layouts of a bench. The first analysis has `count` of them, the last four times as many
    unless the bench says otherwise. map may be NULL. */
int tch_settings_layouts(struct tch_run_plan *plan, const struct tch_yaml_node *map,
                         const struct tch_yaml_node *bench, tacho_error *err);

/** Sets the counts that extra runs of a bench make; call it before tch_settings_budgets(). list may
    be NULL. runs: the number of these runs in the file, or NULL. */
int tch_settings_counts(struct tch_bench *b, const struct tch_yaml_node *list,
                        const struct tch_yaml_node *runs, tacho_error *err);

/** Sets the budgets of a bench: its own, and those of the defaults that it does not override.
    Either map may be NULL. Without any budget, wall time and memory get a tolerance of 5 %. */
int tch_settings_budgets(struct tch_bench *b, const struct tch_yaml_node *defaults,
                         const struct tch_yaml_node *own, tacho_error *err);

#endif
