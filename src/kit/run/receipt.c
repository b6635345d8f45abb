/* Builds and writes receipts. receipt_read.c reads them. */
#include "receipt.h"

#include <math.h>
#include <unistd.h>

#include <tacho/version.h>

#include "base/clock.h"
#include "base/fail.h"
#include "base/found_file.h"
#include "base/json_write.h"
#include "base/secret.h"
#include "base/utf8.h"

enum {
    HEAD_MAX = 64 << 20,
    HEAD_MEMBERS = TCH_RECEIPT_MEMBERS - 12, /* the other members are for the outcome */
};

/* --- Members --- */

/* Begins a member: the caller writes its JSON next. The key ends in a line feed, after which the
   JSON writer adds no comma. */
static struct tch_buf *begin_member(struct tch_receipt *r, const char *key)
{
    struct tch_receipt_member *m = &r->member[r->member_count++];

    *m = (struct tch_receipt_member){.key_at = r->text.len, .key_len = strlen(key)};
    tch_buf_adds(&r->text, key);
    tch_buf_addc(&r->text, '\n');
    m->raw_at = r->text.len;
    return &r->text;
}

static void end_member(struct tch_receipt *r)
{
    struct tch_receipt_member *m = &r->member[r->member_count - 1];

    m->raw_len = r->text.len - m->raw_at;
}

static void add_text(struct tch_receipt *r, const char *key, const char *text)
{
    struct tch_buf *b = begin_member(r, key);

    if (text)
        tch_json_text(b, text);
    else
        tch_json_null(b);
    end_member(r);
}

static void add_u64(struct tch_receipt *r, const char *key, uint64_t value)
{
    tch_json_u64(begin_member(r, key), value);
    end_member(r);
}

/* --- The head --- */

static void key_u64_or_null(struct tch_buf *b, const char *key, uint64_t value)
{
    tch_json_key(b, key);
    if (value > 0)
        tch_json_u64(b, value);
    else
        tch_json_null(b);
}

/* Writes "K=V" strings as an object. If a name is given twice, the last one counts. Masks values of
   secrets for `plan`, unless that is NULL. */
static void write_pairs(struct tch_buf *b, const char *const *pairs,
                        const struct tch_run_plan *plan)
{
    struct tch_buf masked;

    tch_buf_init(&masked, HEAD_MAX);
    tch_json_begin_object(b);
    for (const char *const *p = pairs; p && *p; p++) {
        size_t len = strcspn(*p, "=");
        bool again = false;

        for (const char *const *q = p + 1; *q; q++)
            again |= strncmp(*p, *q, len) == 0 && (*q)[len] == '=';
        if (again || (*p)[len] == '\0')
            continue;
        tch_buf_clear(&masked);
        if (plan)
            tch_secret_mask_value(&masked, *p, len, *p + len + 1, plan->keep_env);
        b->failed |= masked.failed;
        tch_json_key_n(b, *p, len);
        tch_json_text(b, plan ? masked.data : *p + len + 1);
    }
    tch_json_end_object(b);
    tch_buf_release(&masked);
}

static void write_command(struct tch_buf *b, const struct tch_run_plan *plan,
                          const struct tch_run_command *command)
{
    char here[PATH_MAX];

    tch_json_begin_object(b);
    tch_json_put_text(b, "line", command->line);
    tch_secret_put_words(b, "argv", command->argv, plan->keep_env);
    tch_json_put_text(b, "program", command->path);
    tch_json_put_bool(b, "shell", plan->shell);
    tch_json_put_text(b, "cwd",
                      command->cwd ? command->cwd
                      : plan->cwd  ? plan->cwd
                                   : getcwd(here, sizeof here));
    tch_json_key(b, "env");
    write_pairs(b, plan->env, plan);
    tch_json_put_text(b, "input", plan->input);
    tch_json_put_text(b, "output",
                      plan->output == TCH_IO_NULL      ? "null"
                      : plan->output == TCH_IO_INHERIT ? "inherit"
                                                       : plan->output_path);
    tch_json_end_object(b);
}

static void write_plan(struct tch_buf *b, const struct tch_run_plan *plan, size_t index,
                       double alpha)
{
    tch_json_begin_object(b);
    key_u64_or_null(b, "runs", plan->runs);
    tch_json_key(b, "precision");
    if (plan->runs > 0)
        tch_json_null(b);
    else
        tch_json_f64(b, plan->precision);
    key_u64_or_null(b, "max_runs", plan->runs > 0 ? 0 : plan->max_runs);
    key_u64_or_null(b, "max_time_ns", plan->max_time_ns);
    tch_json_put_f64(b, "alpha", alpha);
    tch_json_put_u64(b, "interval_ns", plan->interval_ns);
    tch_json_put_u64(b, "warmup", plan->warmup);
    key_u64_or_null(b, "timeout_ns", plan->timeout_ns);
    tch_json_put_text(b, "cpus", plan->cpus);
    tch_json_put_bool(b, "no_aslr", plan->no_aslr);
    tch_json_key(b, "seed");
    if (plan->seed)
        tch_json_u64(b, *plan->seed);
    else
        tch_json_null(b);
    tch_json_put_bool(b, "allow_nonzero", plan->allow_nonzero);
    tch_json_put_bool(b, "seal", plan->seal);
    tch_counts_write_plan(b, plan->counts, plan->count_runs);
    key_u64_or_null(b, "layouts", plan->layouts);
    key_u64_or_null(b, "layout_runs", plan->layouts > 0 ? plan->layout_runs : 0);
    tch_secret_put_line(b, "server", plan->server, plan->keep_env);
    tch_json_put_text(b, "ready", plan->ready);
    for (enum tch_hook hook = TCH_HOOK_SETUP; hook < TCH_HOOKS; hook++)
        tch_secret_put_line(b, tch_hook_names[hook], tch_run_hook_line(plan, index, hook),
                            plan->keep_env);
    if (plan->check_output)
        tch_json_put_text(b, "check_output", plan->check_output->text);
    if (plan->check_command)
        tch_secret_put_line(b, "check_command", plan->check_command, plan->keep_env);
    tch_json_end_object(b);
}

static void write_config(struct tch_buf *b, const struct tch_run_plan *plan,
                         const struct tch_surroundings *s)
{
    if (!s->config) {
        tch_json_null(b);
        return;
    }
    tch_json_begin_object(b);
    tch_json_put_text(b, "path", plan->config);
    tch_json_put_text(b, "sha256", s->config_hash);
    tch_json_key(b, "document");
    tch_json_raw(b, s->config, s->config_len);
    tch_json_end_object(b);
}

static void write_work(struct tch_buf *b, const struct tch_run_plan *plan)
{
    if (plan->work <= 0) {
        tch_json_null(b);
        return;
    }
    tch_json_begin_object(b);
    tch_json_put_f64(b, "amount", plan->work);
    tch_json_put_text(b, "unit", plan->work_unit);
    tch_json_end_object(b);
}

static void add_surroundings(struct tch_receipt *r, const struct tch_run_plan *plan,
                             const struct tch_surroundings *s)
{
    add_text(r, "machine_class", s->machine_class);
    tch_json_raw(begin_member(r, "environment"), s->environment, s->environment_len);
    end_member(r);
    add_text(r, "environment_hash", s->environment_hash);
    add_text(r, "commit", s->vcs.sha[0] ? s->vcs.sha : NULL);
    tch_vcs_write(begin_member(r, "vcs"), &s->vcs);
    end_member(r);
    write_config(begin_member(r, "config"), plan, s);
    end_member(r);
    write_pairs(begin_member(r, "labels"), plan->labels, NULL);
    end_member(r);
    write_work(begin_member(r, "work"), plan);
    end_member(r);
    tch_metrics_write(begin_member(r, "metrics"), plan->metrics, plan->metric_count);
    end_member(r);
}

/* Returns a copy in valid UTF-8, as if it had been read from the file. Returns NULL without
   memory. */
static char *copy_text(const char *text)
{
    struct tch_buf b;

    tch_buf_init(&b, TCH_RECEIPT_MAX);
    tch_utf8_add(&b, text, strlen(text));
    return tch_buf_take(&b);
}

/* Copies the texts that reports need. */
static int copy_texts(struct tch_receipt *r, const struct tch_run_plan *plan,
                      const struct tch_run_command *command, tacho_error *err)
{
    r->name = copy_text(command->name);
    r->command = copy_text(command->line);
    r->work_unit = copy_text(plan->work > 0 && plan->work_unit ? plan->work_unit : "");
    r->metrics = calloc(plan->metric_count + 1, sizeof *r->metrics);
    r->samples.metrics = r->metrics;
    if (!r->name || !r->command || !r->work_unit || !r->metrics)
        return tch_fail_memory(err);
    for (size_t i = 0; i < plan->metric_count; i++) {
        r->metrics[i].all = plan->metrics[i].id.all;
        r->metrics[i].name = copy_text(plan->metrics[i].id.name);
        if (!r->metrics[i].name)
            return tch_fail_memory(err);
        r->samples.metric_count++;
    }
    return 0;
}

/* Adds the relative path of the page that compares the commands of the plan. The page is in the
   folder of the first command, whose id is the group's. */
static void add_comparison(struct tch_receipt *r, const struct tch_run_plan *plan, size_t index)
{
    char path[PATH_MAX];

    if (plan->command_count < 2)
        return;
    snprintf(path, sizeof path, "../../%s/%s/" TCH_COMPARISON_FILE, plan->commands[0].name,
             r->group);
    add_text(r, "comparison", index == 0 ? TCH_COMPARISON_FILE : path);
}

static bool is_member(const struct tch_receipt *r, const struct tch_receipt_member *m,
                      const char *key)
{
    return strlen(key) == m->key_len && memcmp(key, r->text.data + m->key_at, m->key_len) == 0;
}

static bool is_made_after_setup(const struct tch_receipt *r, const struct tch_receipt_member *m)
{
    return is_member(r, m, "program_sha256") || is_member(r, m, "input_sha256") ||
           is_member(r, m, "fingerprint");
}

int tch_receipt_program(struct tch_receipt *r, const struct tch_run_plan *plan, size_t index,
                        tacho_error *err)
{
    char sha256[TACHO_SHA256_TEXT];
    struct tch_buf document;
    size_t kept = 0;
    int status;

    for (size_t i = 0; i < r->member_count && !r->text.failed; i++)
        if (!is_made_after_setup(r, &r->member[i]))
            r->member[kept++] = r->member[i];
    r->member_count = kept;
    tch_program_sha256(plan, &plan->commands[index], sha256);
    add_text(r, "program_sha256", sha256[0] ? sha256 : NULL);
    tch_input_sha256(plan, sha256);
    add_text(r, "input_sha256", sha256[0] ? sha256 : NULL);
    tch_buf_init(&document, HEAD_MAX);
    status =
        r->text.failed ? tch_fail_memory(err) : tch_receipt_fingerprint(r, &document, sha256, err);
    tch_buf_release(&document);
    if (status < 0)
        return status;
    add_text(r, "fingerprint", sha256);
    return r->text.failed ? tch_fail_memory(err) : 0;
}

int tch_receipt_begin(struct tch_receipt *r, const struct tch_run_plan *plan, size_t index,
                      const struct tch_folder *folder, const char *group, double alpha,
                      const struct tch_surroundings *s, tacho_error *err)
{
    const struct tch_run_command *command = &plan->commands[index];
    uint64_t now = tch_wall_ns();

    *r = (struct tch_receipt){
        .state = "running",
        .work = plan->work,
        .alpha = alpha,
        .precision = plan->runs > 0 ? 0 : plan->precision,
    };
    tch_buf_init(&r->text, HEAD_MAX);
    snprintf(r->id, sizeof r->id, "%s", folder->id);
    snprintf(r->group, sizeof r->group, "%s", group ? group : "");
    tch_utc_text(r->started_at, now);
    add_text(r, "schema", TCH_RUN_SCHEMA);
    add_text(r, "tacho_version", TACHO_VERSION);
    add_text(r, "name", command->name);
    add_text(r, "id", r->id);
    add_text(r, "group", group);
    if (plan->command_count > 1)
        add_u64(r, "order_seed", plan->order_seed);
    add_comparison(r, plan, index);
    add_text(r, "started_at", r->started_at);
    add_u64(r, "started_unix_ns", now);
    add_u64(r, "started_monotonic_ns", tch_now_ns());
    write_command(begin_member(r, "command"), plan, command);
    end_member(r);
    write_plan(begin_member(r, "plan"), plan, index, alpha);
    end_member(r);
    add_surroundings(r, plan, s);
    add_text(r, "state", r->state);
    return tch_receipt_program(r, plan, index, err) < 0 ? TACHO_ENOMEM
                                                        : copy_texts(r, plan, command, err);
}

/* --- The outcome --- */

static bool is_outcome(const struct tch_receipt *r, const struct tch_receipt_member *m)
{
    static const char *const names[] = {
        "state", "ended_at",   "ended_unix_ns", "stopped", "precision", "server", "power",
        "costs", "statistics", "warnings",      "samples", "latency",   "counts", "layouts"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_member(r, m, names[i]))
            return true;
    return false;
}

static void write_precision(struct tch_buf *b, const struct tch_receipt *r)
{
    double reached =
        r->rows.count > 0 ? tch_run_summary_precision(&r->rows.row[0].summary) : INFINITY;

    tch_json_begin_object(b);
    tch_json_key(b, "target");
    if (r->precision > 0)
        tch_json_f64(b, r->precision);
    else
        tch_json_null(b);
    tch_json_put_f64(b, "reached", reached); /* null without an interval */
    tch_json_put_f64(b, "alpha", r->alpha);
    tch_json_end_object(b);
}

static void write_costs(struct tch_buf *b, const struct tch_run_end *end,
                        const struct tch_recording_cost *recording)
{
    tch_json_begin_object(b);
    tch_json_put_f64(b, "tacho_cpu_ns", end->tacho_cpu_ns);
    tch_json_put_u64(b, "polls", end->polls);
    tch_json_put_f64(b, "polls_cpu_ns", end->polls_cpu_ns);
    for (int i = 0; i < TCH_RECORDINGS; i++)
        if (recording->records[i] > 0) {
            tch_json_put_f64(b, tch_recording_keys[i][0], recording->records[i]);
            tch_json_put_f64(b, tch_recording_keys[i][1], recording->each_ns[i]);
        }
    tch_json_end_object(b);
}

static void write_server(struct tch_buf *b, const struct tch_run_server_use *use)
{
    tch_json_begin_object(b);
    tch_json_put_f64(b, "ready_s", use->ready_s);
    tch_json_put_f64(b, "cpu_ns", use->cpu_ns);
    tch_json_put_f64(b, "peak_rss_bytes", use->peak_bytes);
    if (!isnan(use->energy_j)) {
        tch_json_put_f64(b, "energy_j", use->energy_j);
        tch_json_put_text(b, "energy_status", "estimated");
    }
    tch_json_end_object(b);
}

static void write_power(struct tch_buf *b, const struct tch_receipt *r,
                        const struct tch_run_end *end)
{
    struct tch_power_origin o = end->power;

    for (size_t i = 0; i < r->samples.count; i++)
        o.short_runs +=
            o.source[0] && tch_power_too_short(&o, r->samples.items[i].field[TCH_WALL] / 1e9);
    tch_json_begin_object(b);
    tch_power_origin_write(b, &o);
    tch_json_end_object(b);
}

static bool has_counts(const struct tch_counts *counts)
{
    for (int i = 0; i < TCH_COUNTS; i++)
        if (counts->of[i].asked)
            return true;
    return false;
}

static void add_layouts(struct tch_receipt *r)
{
    struct tch_layout_spread s;

    tch_run_layout_spread(&r->samples, TCH_WALL, &s);
    if (s.layouts == 0)
        return;
    tch_layout_spread_write(begin_member(r, "layouts"), &s);
    end_member(r);
}

int tch_receipt_end(struct tch_receipt *r, const struct tch_run_end *end, tacho_error *err)
{
    char ended_at[TCH_TIME_TEXT];
    size_t kept = 0;
    int status;

    if (r->precision > 0 && strcmp(end->stopped, "precise") != 0)
        r->alpha = tch_run_alpha_left(
            r->samples.count, (uint64_t)tch_receipt_number(r, "plan", "max_runs", TCH_RUNS_UNTIL));
    status = tch_receipt_sum(r, err);
    if (status < 0)
        return status;
    for (size_t i = 0; i < r->member_count; i++)
        if (!is_outcome(r, &r->member[i]))
            r->member[kept++] = r->member[i];
    r->member_count = kept < HEAD_MEMBERS ? kept : HEAD_MEMBERS;
    snprintf(r->state, sizeof r->state, "%s", end->state);
    tch_utc_text(ended_at, end->ended_unix_ns);
    add_text(r, "state", end->state);
    add_text(r, "ended_at", ended_at);
    add_u64(r, "ended_unix_ns", end->ended_unix_ns);
    add_text(r, "stopped", end->stopped);
    write_precision(begin_member(r, "precision"), r);
    end_member(r);
    write_costs(begin_member(r, "costs"), end, &r->recording);
    end_member(r);
    if (end->server.ready_s > 0) {
        write_server(begin_member(r, "server"), &end->server);
        end_member(r);
    }
    write_power(begin_member(r, "power"), r, end);
    end_member(r);
    if (r->latency.wall.n > 0) {
        tch_latency_summary_write(begin_member(r, "latency"), &r->latency);
        end_member(r);
    }
    add_layouts(r);
    if (has_counts(&r->counts)) {
        tch_counts_write(begin_member(r, "counts"), &r->counts);
        end_member(r);
    }
    tch_receipt_title_energy(r);
    r->ended = true;
    return r->text.failed ? tch_fail_memory(err) : 0;
}

/* --- Writing --- */

void tch_receipt_write(struct tch_buf *b, const struct tch_receipt *r)
{
    tch_json_begin_object(b);
    for (size_t i = 0; i < r->member_count; i++) {
        tch_json_key_n(b, r->text.data + r->member[i].key_at, r->member[i].key_len);
        tch_json_raw(b, r->text.data + r->member[i].raw_at, r->member[i].raw_len);
    }
    if (r->ended) {
        tch_json_key(b, "statistics");
        tch_run_rows_write(b, &r->rows);
        tch_json_key(b, "warnings");
        tch_warnings_write(b, &r->warnings);
        tch_json_key(b, "samples");
        tch_json_begin_array(b);
        for (size_t i = 0; i < r->samples.count; i++)
            tch_run_sample_write(b, &r->samples.items[i], &r->samples);
        tch_json_end_array(b);
    }
    tch_json_end_object(b);
    tch_buf_addc(b, '\n');
}

int tch_receipt_save(const struct tch_receipt *r, const char *folder, tacho_error *err)
{
    struct tch_buf b;
    int status;

    tch_buf_init(&b, TCH_RECEIPT_MAX);
    tch_receipt_write(&b, r);
    status = b.failed ? tch_fail_memory(err)
                      : tch_found_write(folder, "run.json", b.data, b.len, false, err);
    tch_buf_release(&b);
    return status;
}
