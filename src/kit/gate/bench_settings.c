/* Reads tacho.yaml into settings. bench_budgets.c reads the budgets. */
#include "bench_settings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/file.h"
#include "base/number.h"
#include "base/secret.h"
#include "kit/config/shell_words.h"
#include "kit/config/yaml_fields.h"
#include "kit/result/run_folder.h"
#include "kit/run/plan/run_settings.h"
#include "kit/text/regex_limit.h"

/* The fields of a bench as written in the file; the defaults may have some of them. */
struct raw {
    const struct tch_yaml_node *name;
    const struct tch_yaml_node *command;
    const struct tch_yaml_node *import;
    double tolerance; /* of imported metrics */
    const struct tch_yaml_node *env;
    const struct tch_yaml_node *keep_env;
    const struct tch_yaml_node *work;
    const struct tch_yaml_node *metrics;
    const struct tch_yaml_node *count;
    const struct tch_yaml_node *check;
    const struct tch_yaml_node *budgets;
    const struct tch_yaml_node *layouts;
    struct tch_run_plan plan;
};

#define FIELD(field, take) TCH_YAML_FIELD(#field, take, struct raw, field)
#define SETTING(id)                                                                          \
    {                                                                                        \
        .offset = offsetof(struct raw, plan), .setting = &tch_run_settings[TCH_RUN_SET_##id] \
    }
#define COMMON_FIELDS                                                                          \
    SETTING(CWD), FIELD(env, tch_yaml_map), FIELD(keep_env, tch_yaml_list), SETTING(TIMEOUT),  \
        SETTING(RUNS), SETTING(MAX_RUNS), SETTING(PRECISION), SETTING(WARMUP), SETTING(SETUP), \
        SETTING(IDLE), SETTING(PREPARE), SETTING(CONCLUDE), SETTING(CLEANUP), SETTING(SHELL),  \
        FIELD(metrics, tch_yaml_map), FIELD(count, tch_yaml_list), SETTING(COUNT_RUNS),        \
        FIELD(check, tch_yaml_map), FIELD(budgets, tch_yaml_map), FIELD(layouts, tch_yaml_map)

static const struct tch_yaml_field default_fields[] = {COMMON_FIELDS, {.name = NULL}};

static const struct tch_yaml_field bench_fields[] = {FIELD(name, tch_yaml_any),
                                                     FIELD(command, tch_yaml_any),
                                                     FIELD(import, tch_yaml_any),
                                                     FIELD(tolerance, tch_yaml_share),
                                                     FIELD(work, tch_yaml_any),
                                                     COMMON_FIELDS,
                                                     {.name = NULL}};

/* --- Commands of a bench --- */

static int take_name(struct tch_bench *b, const struct tch_yaml_node *bench, const struct raw *raw,
                     tacho_error *err)
{
    char name[100];
    int status;

    if (!raw->name)
        return tch_yaml_fail(err, bench, "a bench needs a name");
    status = tch_yaml_text(raw->name, &b->name, err);
    if (status < 0)
        return status;
    tch_folder_name(name, sizeof name, b->name);
    if (strcmp(name, b->name) != 0)
        return tch_yaml_fail(err, raw->name,
                             "'%.60s' is not a valid name of a bench; use " TCH_FOLDER_NAMES,
                             b->name);
    return 0;
}

/* Sets the command. A line is split as a shell splits it, or passed to a shell; a list is taken as
   words. */
static int take_words(struct tch_bench *b, const struct tch_yaml_node *list, tacho_error *err)
{
    struct tch_buf line;
    size_t i = 0;

    b->words = calloc(list->count + 1, sizeof *b->words);
    if (!b->words)
        return tch_fail_memory(err);
    tch_buf_init(&line, TCH_YAML_MAX);
    for (const struct tch_yaml_node *word = list->first; word; word = word->next) {
        if (word->kind != TCH_YAML_SCALAR) {
            tch_buf_release(&line);
            return tch_yaml_fail(err, word, "a word of a command must be a string");
        }
        tch_buf_adds(&line, i > 0 ? " " : "");
        tch_secret_mask_word(&line, i > 0 ? b->words[i - 1] : NULL, word->text, b->keep_env);
        b->words[i++] = (char *)word->text;
    }
    b->argv = (const char *const *)b->words;
    b->line = b->masked = tch_buf_take(&line);
    return b->masked ? 0 : tch_fail_memory(err);
}

static int take_command(struct tch_bench *b, const struct tch_yaml_node *bench,
                        const struct raw *raw, tacho_error *err)
{
    const struct tch_yaml_node *command = raw->import ? raw->import : raw->command;
    tacho_error why = {0};
    const char *line;
    int status;

    if (!command)
        return tch_yaml_fail(err, bench, "bench '%.60s' needs a command", b->name);
    if (command->kind == TCH_YAML_LIST && command->count > 0 && !raw->plan.shell)
        return take_words(b, command, err);
    status = tch_yaml_text(command, &line, err);
    if (status < 0)
        return status;
    b->line = b->masked = tch_secret_masked_line(line, b->keep_env);
    if (!b->masked)
        return tch_fail_memory(err);
    if (raw->plan.shell) {
        memcpy(b->shell_argv, (const char *[]){"sh", "-c", line, NULL}, sizeof b->shell_argv);
        b->argv = b->shell_argv;
        return 0;
    }
    status = tch_words_split(line, &b->words, &why);
    if (status == TACHO_ENOMEM)
        return tch_fail_memory(err);
    if (status < 0)
        return tch_yaml_fail(err, command, "%.100s%s", why.message,
                             status == TACHO_EUNSUPPORTED ? "; 'shell: true' runs it by sh -c"
                                                          : "");
    if (!b->words[0])
        return tch_yaml_fail(err, command, "'%s' is empty", raw->import ? "import" : "command");
    b->argv = (const char *const *)b->words;
    return 0;
}

/* Sets the budget of what `import` finds. */
static int take_import(struct tch_bench *b, const struct tch_yaml_node *bench,
                       const struct raw *raw, tacho_error *err)
{
    if (raw->import && raw->command)
        return tch_yaml_fail(err, raw->import,
                             "cannot combine 'import' with 'command'; remove one of them");
    if (!raw->import && !isnan(raw->tolerance))
        return tch_yaml_fail(err, bench,
                             "'tolerance' of a bench needs 'import'; write other tolerances under "
                             "'budgets'");
    b->plan.import = raw->import != NULL;
    b->imported = (struct tch_named_budget){.budget = tch_budget_default, .imported = true};
    b->imported.budget.tolerance = isnan(raw->tolerance) ? TCH_GATE_TOLERANCE : raw->tolerance;
    b->imported.budget.min_effect = tch_budget_least_effect(&b->imported.budget);
    return 0;
}

static int take_env(struct tch_bench *b, const struct tch_yaml_node *map, tacho_error *err)
{
    size_t i = 0;

    if (!map)
        return 0;
    b->env = calloc(map->count + 1, sizeof *b->env);
    if (!b->env)
        return tch_fail_memory(err);
    b->plan.env = b->env;
    for (const struct tch_yaml_node *node = map->first; node; node = node->next) {
        char *pair;

        if (node->kind != TCH_YAML_SCALAR || strchr(node->key, '=') || !node->key[0])
            return tch_yaml_fail(
                err, node, "'%.60s' is not an environment variable with a string value", node->key);
        if (asprintf(&pair, "%s=%s", node->key, node->text) < 0)
            return tch_fail_memory(err);
        b->env[i++] = pair;
    }
    return 0;
}

static int take_keep_env(struct tch_bench *b, const struct tch_yaml_node *list, tacho_error *err)
{
    size_t i = 0;

    if (!list)
        return 0;
    b->keep_env = calloc(list->count + 1, sizeof *b->keep_env);
    if (!b->keep_env)
        return tch_fail_memory(err);
    b->plan.keep_env = b->keep_env;
    for (const struct tch_yaml_node *node = list->first; node; node = node->next) {
        if (node->kind != TCH_YAML_SCALAR)
            return tch_yaml_fail(err, node, "'keep_env' must be a list of names of variables");
        b->keep_env[i++] = node->text;
    }
    return 0;
}

int tch_settings_metric(struct tch_bench *b, const struct tch_yaml_node *node, const char *spec,
                        tacho_error *err)
{
    struct tch_metric_rule metric;
    tacho_error why = {0};
    int status = tch_metric_rule_init(&metric, spec, &why);

    if (status < 0)
        return status == TACHO_ENOMEM ? tch_fail_memory(err)
                                      : tch_yaml_fail(err, node, "%.180s", why.message);
    if (tch_metric_is_reserved(metric.name)) {
        status = tch_yaml_fail(err, node,
                               "metric '%.60s' has the name of a quantity that tacho measures "
                               "itself; choose another name",
                               metric.name);
        tch_metric_rule_release(&metric);
        return status;
    }
    for (size_t i = 0; i < b->plan.metric_count; i++)
        if (strcmp(b->metrics[i].name, metric.name) == 0) {
            tch_metric_rule_release(&metric);
            return 0;
        }
    if (b->plan.metric_count == TCH_METRICS_MOST ||
        tch_array_extend(&b->metrics, b->plan.metric_count) < 0) {
        tch_metric_rule_release(&metric);
        return b->plan.metric_count == TCH_METRICS_MOST
                   ? tch_yaml_fail(err, node, "a bench can have at most %d metrics",
                                   TCH_METRICS_MOST)
                   : tch_fail_memory(err);
    }
    b->metrics[b->plan.metric_count++] = metric;
    b->plan.metrics = b->metrics;
    return 0;
}

/* Reads the metrics. Each is a name with an expression for a printed number, or the name of a
   recorded value without one. */
static int take_metrics(struct tch_bench *b, const struct tch_yaml_node *map, tacho_error *err)
{
    int status = 0;

    for (const struct tch_yaml_node *node = map ? map->first : NULL; node && status == 0;
         node = node->next) {
        bool recorded = tch_metric_is_recorded(node->key);
        char *spec;

        if (node->kind != TCH_YAML_SCALAR)
            return tch_yaml_fail(err, node, "a metric needs a name and a regular expression");
        if (recorded && node->text[0] && strcmp(node->text, "null") != 0 &&
            strcmp(node->text, "~") != 0)
            return tch_yaml_fail(
                err, node, "'%.60s' is a recorded metric, which takes no expression", node->key);
        if (asprintf(&spec, recorded ? "%s" : "%s=%s", node->key, node->text) < 0)
            return tch_fail_memory(err);
        status = tch_settings_metric(b, node, spec, err);
        free(spec);
    }
    return status;
}

struct raw_check {
    const struct tch_yaml_node *output;
    const char *command;
};

static const struct tch_yaml_field check_fields[] = {
    TCH_YAML_FIELD("output", tch_yaml_any, struct raw_check, output),
    TCH_YAML_FIELD("command", tch_yaml_text, struct raw_check, command),
    {.name = NULL},
};

static int take_check(struct tch_bench *b, const struct tch_yaml_node *map, tacho_error *err)
{
    struct raw_check raw = {0};
    tacho_error why = {0};
    const char *text;
    int status;

    if (!map)
        return 0;
    status = tch_yaml_take(map, "a check", check_fields, &raw, err);
    if (status == 0 && !raw.output && !raw.command)
        status =
            tch_yaml_fail(err, map, "'check' needs 'output', a regular expression, or 'command'");
    b->plan.check_command = raw.command;
    if (status < 0 || !raw.output)
        return status;
    status = tch_yaml_text(raw.output, &text, err);
    if (status < 0)
        return status;
    if (tch_regex_compile(&b->check.regex, text, 0, &why) < 0)
        return tch_yaml_fail(err, raw.output,
                             "'output' of a check is not a valid regular expression: %.150s",
                             why.message);
    b->check.name = strdup("check");
    b->check.text = (char *)text;
    b->check.source = TCH_FROM_OUTPUT;
    b->check.any = true;
    b->plan.check_output = &b->check;
    if (b->check.name)
        return 0;
    regfree(&b->check.regex);
    return tch_fail_memory(err);
}

/* --- Numbers of runs --- */

static int check_counts(const struct raw *raw, const struct tch_yaml_node *at, tacho_error *err)
{
    const struct tch_yaml_node *runs = tch_yaml_find(at, "runs");
    const struct tch_yaml_node *precision = tch_yaml_find(at, "precision");

    if (runs && precision)
        return tch_yaml_fail(err, precision,
                             "cannot combine 'runs' with 'precision'; remove one of them");
    if (runs && (raw->plan.runs < TCH_RUNS_LEAST || raw->plan.runs > TCH_RUNS_MAX))
        return tch_yaml_fail(err, runs,
                             "'runs' must be at least %d; with fewer there is no interval",
                             TCH_RUNS_LEAST);
    if (precision && !(raw->plan.precision > 0 && raw->plan.precision < 1))
        return tch_yaml_fail(err, precision, "'precision' needs a share such as 1%%");
    if (tch_yaml_find(at, "max_runs") && raw->plan.max_runs > TCH_RUNS_MAX)
        return tch_yaml_fail(err, tch_yaml_find(at, "max_runs"), "'max_runs' must be at most %d",
                             TCH_RUNS_MAX);
    if (runs && tch_yaml_find(at, "max_runs") && raw->plan.runs > raw->plan.max_runs)
        return tch_yaml_fail(err, runs, "'runs' is above 'max_runs'; change one of them");
    return 0;
}

/* Chooses runs or precision. If the bench sets either, the defaults of both are ignored. */
static void choose_counts(struct tch_run_plan *plan, const struct tch_yaml_node *bench)
{
    if (tch_yaml_find(bench, "precision"))
        plan->runs = 0;
    else if (tch_yaml_find(bench, "runs"))
        plan->precision = 0;
    if (plan->runs == 0 && plan->precision == 0)
        plan->runs = TCH_GATE_RUNS;
    if (plan->max_runs == 0)
        plan->max_runs = plan->runs > TCH_GATE_MOST ? plan->runs : TCH_GATE_MOST;
    if (plan->max_runs < plan->runs)
        plan->max_runs = plan->runs;
}

/* Takes the command, what surrounds it, and what is measured of it. */
static int take_what_runs(struct tch_bench *b, const struct tch_yaml_node *node,
                          const struct raw *raw, tacho_error *err)
{
    int status = take_keep_env(b, raw->keep_env, err);

    if (status < 0)
        return status;
    status = take_import(b, node, raw, err);
    if (status < 0)
        return status;
    status = take_command(b, node, raw, err);
    if (status < 0)
        return status;
    status = take_env(b, raw->env, err);
    if (status < 0)
        return status;
    if (raw->work && tch_run_work_parse(raw->work->text, &b->plan) < 0)
        return tch_yaml_fail(err, raw->work, "'work' needs an amount such as 200 or 200samples");
    status = take_metrics(b, raw->metrics, err);
    if (status < 0)
        return status;
    status = take_check(b, raw->check, err);
    if (status < 0)
        return status;
    return tch_settings_layouts(&b->plan, raw->layouts, node, err);
}

static int take_bench(struct tch_settings *s, const struct tch_yaml_node *node,
                      const struct raw *defaults, const struct tch_yaml_node *default_budgets,
                      tacho_error *err)
{
    struct tch_bench *b = &s->benches[s->count++];
    struct raw raw = *defaults;
    int status;

    b->line_number = node->line;
    raw.budgets = NULL;
    raw.tolerance = NAN;
    status = tch_yaml_take(node, "a bench", bench_fields, &raw, err);
    b->plan = raw.plan;
    if (status < 0)
        return status;
    status = check_counts(&raw, node, err);
    if (status < 0)
        return status;
    status = take_name(b, node, &raw, err);
    if (status < 0)
        return status;
    status = take_what_runs(b, node, &raw, err);
    if (status < 0)
        return status;
    choose_counts(&b->plan, node);
    status = tch_settings_counts(b, raw.count, tch_yaml_find(node, "count_runs"), err);
    if (status < 0)
        return status;
    status = tch_settings_budgets(b, default_budgets, raw.budgets, err);
    if (status < 0)
        return status;
    if (tch_settings_bench(s, b->name) != b)
        return tch_yaml_fail(err, raw.name, "there are two benches called '%.60s'", b->name);
    return 0;
}

/* --- The file --- */

struct top {
    const struct tch_yaml_node *defaults;
    const struct tch_yaml_node *benches;
    const struct tch_yaml_node *baseline;
    const struct tch_yaml_node *suspicious;
    const struct tch_yaml_node *obvious;
    double alpha;
    const char *build;
    const char *confirm;
};

static const struct tch_yaml_field top_fields[] = {
    TCH_YAML_FIELD("alpha", tch_yaml_share, struct top, alpha),
    TCH_YAML_FIELD("build", tch_yaml_text, struct top, build),
    TCH_YAML_FIELD("confirm", tch_yaml_text, struct top, confirm),
    TCH_YAML_FIELD("suspicious", tch_yaml_any, struct top, suspicious),
    TCH_YAML_FIELD("obvious", tch_yaml_any, struct top, obvious),
    TCH_YAML_FIELD("baseline", tch_yaml_map, struct top, baseline),
    TCH_YAML_FIELD("defaults", tch_yaml_map, struct top, defaults),
    TCH_YAML_FIELD("benches", tch_yaml_list, struct top, benches),
    {.name = "sweep"}, /* read by `tacho sweep` */
    {.name = NULL},
};

static const struct tch_yaml_field baseline_fields[] = {
    TCH_YAML_FIELD("dir", tch_yaml_text, struct tch_settings, baselines),
    TCH_YAML_FIELD("keep", tch_yaml_count, struct tch_settings, keep),
    TCH_YAML_FIELD("max_age", tch_yaml_duration, struct tch_settings, max_age_ns),
    {.name = NULL},
};

bool tch_settings_factor(const char *text, double *ret)
{
    size_t len = strlen(text);
    double value;

    len -= len > 0 && text[len - 1] == 'x';
    if (tch_parse_f64_n(text, len, &value) < 0 || !(value > 1) || !isfinite(value))
        return false;
    *ret = value;
    return true;
}

static int take_factor(const char *key, const struct tch_yaml_node *node, double *ret,
                       tacho_error *err)
{
    return !node || tch_settings_factor(node->text, ret)
               ? 0
               : tch_yaml_fail(err, node, "'%s' needs a factor above 1 such as 3x", key);
}

static int take_benches(struct tch_settings *s, const struct tch_yaml_node *list,
                        const struct raw *defaults, tacho_error *err)
{
    int status = 0;

    if (!list || list->count == 0)
        return tch_yaml_fail(err, list ? list : s->yaml.root, "there is no list of benches");
    if (list->count > TCH_BENCHES_MOST)
        return tch_yaml_fail(err, list, "there can be at most %d benches", TCH_BENCHES_MOST);
    s->benches = calloc(list->count, sizeof *s->benches);
    if (!s->benches)
        return tch_fail_memory(err);
    for (const struct tch_yaml_node *node = list->first; node && status == 0; node = node->next)
        status = take_bench(s, node, defaults, defaults->budgets, err);
    return status;
}

/* Takes the settings that all benches share. */
static int take_top(struct tch_settings *s, struct top *top, tacho_error *err)
{
    int status = tch_yaml_take(s->yaml.root, TCH_SETTINGS_FILE, top_fields, top, err);

    if (status < 0)
        return status;
    if (top->baseline) {
        status = tch_yaml_take(top->baseline, "baseline", baseline_fields, s, err);
        if (status < 0)
            return status;
    }
    if (!(top->alpha > 0 && top->alpha <= 0.5))
        return tch_yaml_fail(err, tch_yaml_find(s->yaml.root, "alpha"),
                             "'alpha' needs a probability such as 5%%, at most 50%%");
    status = take_factor("suspicious", top->suspicious, &s->suspicious, err);
    if (status < 0)
        return status;
    status = take_factor("obvious", top->obvious, &s->obvious, err);
    if (status < 0)
        return status;
    if (top->confirm && strcmp(top->confirm, "commit") != 0 && strcmp(top->confirm, "none") != 0)
        return tch_yaml_fail(err, tch_yaml_find(s->yaml.root, "confirm"),
                             "'confirm' must be commit or none");
    if (top->baseline && (s->keep == 0 || s->keep > 1000))
        return tch_yaml_fail(err, top->baseline, "'keep' needs a number from 1 to 1000");
    return 0;
}

int tch_settings_parse(struct tch_settings *s, const char *text, size_t len, tacho_error *err)
{
    struct top top = {.alpha = TCH_ALPHA};
    struct raw defaults = {0};
    int status;

    *s = (struct tch_settings){.baselines = TCH_BASELINES,
                               .keep = TCH_GATE_KEEP,
                               .suspicious = TCH_GATE_SUSPICIOUS,
                               .obvious = TCH_GATE_OBVIOUS,
                               .max_age_ns = TCH_GATE_MAX_AGE_NS};
    status = tch_yaml_parse(&s->yaml, text, len, err);
    if (status < 0)
        return status;
    status = take_top(s, &top, err);
    if (status < 0)
        return status;
    if (top.defaults) {
        status = tch_yaml_take(top.defaults, "the defaults", default_fields, &defaults, err);
        if (status < 0)
            return status;
        status = check_counts(&defaults, top.defaults, err);
        if (status < 0)
            return status;
    }
    s->alpha = top.alpha;
    s->build = top.build;
    s->confirm = top.confirm;
    return take_benches(s, top.benches, &defaults, err);
}

int tch_settings_read(struct tch_settings *s, const char *path, bool found, tacho_error *err)
{
    struct tch_buf b;
    int status;

    *s = (struct tch_settings){0};
    tch_buf_init(&b, TCH_YAML_MAX + 1);
    status = (found ? tch_file_read_regular : tch_file_read)(path, TCH_YAML_MAX, &b, err);
    if (status == 0)
        status = tch_settings_parse(s, b.data, b.len, err);
    tch_buf_release(&b);
    return status;
}

void tch_settings_release(struct tch_settings *s)
{
    for (size_t i = 0; i < s->count; i++) {
        struct tch_bench *b = &s->benches[i];

        for (const char **pair = b->env; pair && *pair; pair++)
            free((char *)*pair);
        free(b->env);
        for (size_t k = 0; k < b->plan.metric_count; k++)
            tch_metric_rule_release(&b->metrics[k]);
        free(b->metrics);
        tch_metric_rule_release(&b->check);
        free(b->words);
        free(b->keep_env);
        free(b->masked);
    }
    free(s->benches);
    tch_yaml_release(&s->yaml);
    *s = (struct tch_settings){0};
}

struct tch_bench *tch_settings_bench(const struct tch_settings *s, const char *name)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->benches[i].name && strcmp(s->benches[i].name, name) == 0)
            return &s->benches[i];
    return NULL;
}
