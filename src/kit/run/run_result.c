/* Makes the result of a plan. */
#include "run_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tacho/version.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/secret.h"
#include "base/utf8.h"

enum { TEXT_MAX = 64 << 20 };

/* Copies texts of a plan. A failure is sticky and tested once. */
struct copying {
    const char *const *keep; /* variables whose values are not masked */
    bool failed;
};

/* Takes the text of b. Invalid UTF-8 was replaced, as if the text had been read from run.json. */
static char *take(struct copying *c, struct tch_buf *b)
{
    char *text = tch_buf_take(b);

    c->failed |= !text;
    return text;
}

static char *copy_n(struct copying *c, const char *text, size_t len)
{
    struct tch_buf b;

    tch_buf_init(&b, TEXT_MAX);
    tch_utf8_add(&b, text, len);
    return take(c, &b);
}

static char *copy(struct copying *c, const char *text)
{
    return text ? copy_n(c, text, strlen(text)) : NULL;
}

static char *copy_masked(struct copying *c, const char *line)
{
    char *masked = line ? tch_secret_masked_line(line, c->keep) : NULL;
    char *text = copy(c, masked);

    c->failed |= line && !masked;
    free(masked);
    return text;
}

static char *copy_number(struct copying *c, const uint64_t *number)
{
    char text[24];

    if (!number)
        return NULL;
    snprintf(text, sizeof text, "%llu", (unsigned long long)*number);
    return copy(c, text);
}

/* Adds a word to a list that ends in NULL. Takes it over. */
static void add_word(struct copying *c, char ***list, size_t *n, char *word)
{
    char **more = word ? realloc(*list, (*n + 2) * sizeof *more) : NULL;

    if (!more) {
        c->failed = true;
        free(word);
        return;
    }
    *list = more;
    more[(*n)++] = word;
    more[*n] = NULL;
}

static char **empty_list(struct copying *c)
{
    char **list = calloc(1, sizeof *list);

    c->failed |= !list;
    return list;
}

static char **copy_argv(struct copying *c, const char *const *argv)
{
    char **list = empty_list(c);
    size_t n = 0;

    for (; list && *argv && !c->failed; argv++) {
        struct tch_buf b;
        struct tch_buf word;

        tch_buf_init(&b, TEXT_MAX);
        tch_buf_init(&word, TEXT_MAX);
        tch_secret_mask_word(&b, n > 0 ? argv[-1] : NULL, *argv, c->keep);
        tch_utf8_add(&word, b.data, b.len);
        word.failed |= b.failed;
        tch_buf_release(&b);
        add_word(c, &list, &n, take(c, &word));
    }
    return list;
}

/* Copies "K=V" strings. If a name is given twice, the last one counts. */
static char **copy_pairs(struct copying *c, const char *const *pairs, bool masked)
{
    char **list = empty_list(c);
    size_t n = 0;

    for (const char *const *p = pairs; list && p && *p && !c->failed; p++) {
        size_t len = strcspn(*p, "=");
        bool again = false;
        struct tch_buf b;

        for (const char *const *q = p + 1; *q; q++)
            again |= strncmp(*p, *q, len) == 0 && (*q)[len] == '=';
        if (again || (*p)[len] == '\0')
            continue;
        tch_buf_init(&b, TEXT_MAX);
        tch_utf8_add(&b, *p, len + 1);
        if (masked)
            tch_secret_mask_value(&b, *p, len, *p + len + 1, c->keep);
        else
            tch_utf8_add(&b, *p + len + 1, strlen(*p + len + 1));
        add_word(c, &list, &n, take(c, &b));
    }
    return list;
}

/* --- The head --- */

static void set_command(struct copying *c, struct tch_result_command *to,
                        const struct tch_run_plan *plan, const struct tch_run_command *command)
{
    char here[PATH_MAX];

    *to = (struct tch_result_command){
        .line = copy(c, command->line),
        .argv = copy_argv(c, command->argv),
        .program = copy(c, command->path),
        .shell = plan->shell,
        .cwd = copy(c, command->cwd ? command->cwd
                       : plan->cwd  ? plan->cwd
                                    : getcwd(here, sizeof here)),
        .env = copy_pairs(c, plan->env, true),
        .input = copy(c, plan->input),
        .output = copy(c, plan->output == TCH_IO_NULL      ? "null"
                          : plan->output == TCH_IO_INHERIT ? "inherit"
                                                           : plan->output_path),
    };
}

static char **copy_counts(struct copying *c, unsigned counts)
{
    char **list = counts ? empty_list(c) : NULL;
    size_t n = 0;

    for (int i = 0; i < TCH_COUNTS && list && !c->failed; i++)
        if (counts >> i & 1)
            add_word(c, &list, &n, copy(c, tch_count_metric((enum tch_count_kind)i)->name));
    return list;
}

static void set_plan(struct copying *c, struct tch_result_plan *to, const struct tch_run_plan *plan,
                     size_t index, double alpha)
{
    *to = (struct tch_result_plan){
        .runs = plan->runs,
        .precision = plan->runs > 0 ? NAN : plan->precision,
        .max_runs = plan->runs > 0 ? 0 : plan->max_runs,
        .max_time_ns = plan->max_time_ns,
        .alpha = alpha,
        .interval_ns = plan->interval_ns,
        .warmup = plan->warmup,
        .timeout_ns = plan->timeout_ns,
        .cpus = copy(c, plan->cpus),
        .no_aslr = plan->no_aslr,
        .no_record = plan->no_record,
        .seed = copy_number(c, plan->seed),
        .allow_nonzero = plan->allow_nonzero,
        .seal = plan->seal,
        .counts = copy_counts(c, plan->counts),
        .count_runs = plan->counts ? plan->count_runs : 0,
        .layouts = plan->layouts,
        .layout_runs = plan->layouts > 0 ? plan->layout_runs : 0,
        .server = copy_masked(c, plan->server),
        .ready = copy(c, plan->ready),
        .setup = copy_masked(c, tch_run_hook_line(plan, index, TCH_HOOK_SETUP)),
        .prepare = copy_masked(c, tch_run_hook_line(plan, index, TCH_HOOK_PREPARE)),
        .conclude = copy_masked(c, tch_run_hook_line(plan, index, TCH_HOOK_CONCLUDE)),
        .cleanup = copy_masked(c, tch_run_hook_line(plan, index, TCH_HOOK_CLEANUP)),
        .relink = copy_masked(c, tch_run_hook_line(plan, index, TCH_HOOK_RELINK)),
        .check_output = copy(c, plan->check_output ? plan->check_output->text : NULL),
        .check_command = copy_masked(c, plan->check_command),
    };
}

static void set_surroundings(struct copying *c, struct tch_result *r,
                             const struct tch_run_plan *plan, const struct tch_surroundings *s)
{
    r->machine_class = copy(c, s->machine_class);
    r->environment = copy_n(c, s->environment, s->environment_len);
    memcpy(r->environment_hash, s->environment_hash, sizeof r->environment_hash);
    memcpy(r->commit, s->vcs.sha, sizeof r->commit);
    r->vcs = s->vcs;
    if (s->config) {
        r->config.path = copy(c, plan->config);
        r->config.document = copy_n(c, s->config, s->config_len);
        memcpy(r->config.sha256, s->config_hash, sizeof r->config.sha256);
    }
    r->labels = copy_pairs(c, plan->labels, false);
    if (plan->work > 0) {
        r->work.amount = plan->work;
        r->work.unit = copy(c, plan->work_unit);
    }
}

/* Sets the relative path of the page that compares the commands of the plan. The page is in the
   folder of the first command, whose id is the group's. */
static void set_comparison(struct copying *c, struct tch_result *r, const struct tch_run_plan *plan,
                           size_t index)
{
    char path[PATH_MAX];

    if (plan->command_count < 2)
        return;
    r->order_seed = plan->order_seed;
    snprintf(path, sizeof path, "../../%s/%s/" TCH_COMPARISON_FILE, plan->commands[0].name,
             r->group);
    r->comparison = copy(c, index == 0 ? TCH_COMPARISON_FILE : path);
}

static int add_columns(struct tch_result *r, const struct tch_run_plan *plan, tacho_error *err)
{
    struct copying c = {0};

    for (size_t i = 0; i < plan->metric_count; i++) {
        const struct tch_metric_rule *rule = &plan->metrics[i];
        struct tch_metric metric;
        int at;

        tch_metric_describe(&metric, rule->name, rule->all);
        at = tch_result_add_column(r, &metric, err);
        if (at < 0)
            return at;
        if (rule->source == TCH_FROM_OUTPUT)
            r->columns[at].expression = copy(&c, rule->text);
    }
    return c.failed ? tch_fail_memory(err) : 0;
}

int tch_run_result_program(struct tch_result *r, const struct tch_run_plan *plan, size_t index,
                           tacho_error *err)
{
    struct tch_buf document;
    int status;

    tch_program_sha256(plan, &plan->commands[index], r->program_sha256);
    tch_input_sha256(plan, r->input_sha256);
    tch_buf_init(&document, TEXT_MAX);
    status = tch_result_fingerprint(r, &document, r->fingerprint, err);
    tch_buf_release(&document);
    return status;
}

int tch_run_result_begin(struct tch_result *r, const struct tch_run_plan *plan, size_t index,
                         const struct tch_folder *folder, const char *group, double alpha,
                         const struct tch_surroundings *s, tacho_error *err)
{
    struct copying c = {.keep = plan->keep_env};
    int status = tch_result_init(r, err);

    if (status < 0)
        return status;
    r->alpha = alpha;
    snprintf(r->schema, sizeof r->schema, "%s", TCH_RESULT_SCHEMA);
    snprintf(r->state, sizeof r->state, "running");
    snprintf(r->id, sizeof r->id, "%s", folder->id);
    snprintf(r->group, sizeof r->group, "%s", group ? group : "");
    r->started_unix_ns = tch_wall_ns();
    r->started_monotonic_ns = tch_now_ns();
    tch_utc_text(r->started_at, r->started_unix_ns);
    r->tacho_version = copy(&c, TACHO_VERSION);
    r->name = copy(&c, plan->commands[index].name);
    set_comparison(&c, r, plan, index);
    set_command(&c, &r->command, plan, &plan->commands[index]);
    set_plan(&c, &r->plan, plan, index, alpha);
    set_surroundings(&c, r, plan, s);
    if (c.failed)
        return tch_fail_memory(err);
    status = add_columns(r, plan, err);
    return status < 0 ? status : tch_run_result_program(r, plan, index, err);
}
