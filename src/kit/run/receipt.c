/* Writing run.json. Reading it is receipt_read.c's. */
#include "receipt.h"

#include <math.h>
#include <unistd.h>

#include <tacho/version.h>

#include "base/clock.h"
#include "base/json_write.h"

static void key_u64_or_null(struct tch_buf *b, const char *key, uint64_t value)
{
    tch_json_key(b, key);
    if (value > 0)
        tch_json_u64(b, value);
    else
        tch_json_null(b);
}

/* "K=V" strings as an object; a name given twice counts once, the last. */
static void key_pairs(struct tch_buf *b, const char *key, const char *const *pairs)
{
    tch_json_key(b, key);
    tch_json_begin_object(b);
    for (const char *const *p = pairs; p && *p; p++) {
        size_t len = strcspn(*p, "=");
        bool again = false;

        for (const char *const *q = p + 1; *q; q++)
            again |= strncmp(*p, *q, len) == 0 && (*q)[len] == '=';
        if (again || (*p)[len] == '\0')
            continue;
        tch_json_key_n(b, *p, len);
        tch_json_text(b, *p + len + 1);
    }
    tch_json_end_object(b);
}

static void key_time(struct tch_buf *b, const char *key, uint64_t unix_ns)
{
    time_t seconds = (time_t)(unix_ns / 1000000000u);
    struct tm utc;
    char text[32];

    gmtime_r(&seconds, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    tch_json_put_text(b, key, text);
}

static void write_command(struct tch_buf *b, const struct tch_run_plan *plan,
                          const struct tch_run_command *command)
{
    char here[PATH_MAX];

    tch_json_key(b, "command");
    tch_json_begin_object(b);
    tch_json_put_text(b, "line", command->line);
    tch_json_key(b, "argv");
    tch_json_begin_array(b);
    for (const char *const *arg = command->argv; *arg; arg++)
        tch_json_text(b, *arg);
    tch_json_end_array(b);
    tch_json_put_text(b, "program", command->path);
    tch_json_put_bool(b, "shell", plan->shell);
    tch_json_put_text(b, "cwd",
                      command->cwd ? command->cwd
                      : plan->cwd  ? plan->cwd
                                   : getcwd(here, sizeof here));
    key_pairs(b, "env", plan->env);
    tch_json_put_text(b, "input", plan->input);
    tch_json_put_text(b, "output",
                      plan->output == TCH_IO_NULL      ? "null"
                      : plan->output == TCH_IO_INHERIT ? "inherit"
                                                       : plan->output_path);
    tch_json_end_object(b);
}

static void write_plan(struct tch_buf *b, const struct tch_run_plan *plan, double alpha)
{
    tch_json_key(b, "plan");
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
    tch_json_put_bool(b, "allow_nonzero", plan->allow_nonzero);
    tch_json_put_text(b, "server", plan->server);
    tch_json_put_text(b, "ready", plan->ready);
    tch_json_put_text(b, "setup", plan->setup);
    tch_json_put_text(b, "prepare", plan->prepare);
    tch_json_put_text(b, "conclude", plan->conclude);
    tch_json_put_text(b, "cleanup", plan->cleanup);
    tch_json_end_object(b);
}

static void write_metrics(struct tch_buf *b, const struct tch_run_plan *plan)
{
    tch_json_key(b, "metrics");
    tch_json_begin_array(b);
    for (size_t i = 0; i < plan->metric_count; i++) {
        tch_json_begin_object(b);
        tch_json_put_text(b, "name", plan->metrics[i].id.name);
        tch_json_put_text(b, "regex", plan->metrics[i].text);
        tch_json_put_bool(b, "all", plan->metrics[i].id.all);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
}

static void write_surroundings(struct tch_buf *b, const struct tch_run_plan *plan,
                               const struct tch_run_command *command,
                               const struct tch_surroundings *s)
{
    tch_json_put_text(b, "machine_class", s->machine_class);
    tch_json_key(b, "environment");
    tch_json_raw(b, s->environment, s->environment_len);
    tch_json_put_text(b, "environment_hash", s->environment_hash);
    tch_json_put_text(b, "commit",
                      command->commit ? command->commit
                      : s->commit[0]  ? s->commit
                                      : NULL);
    tch_json_key(b, "config");
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

void tch_receipt_head(struct tch_buf *b, const struct tch_run_plan *plan, size_t index,
                      const struct tch_folder *folder, const char *group, double alpha,
                      const struct tch_surroundings *s)
{
    const struct tch_run_command *command = &plan->commands[index];
    uint64_t now = tch_wall_ns();

    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", TCH_RUN_SCHEMA);
    tch_json_put_text(b, "tacho_version", TACHO_VERSION);
    tch_json_put_text(b, "name", command->name);
    tch_json_put_text(b, "id", folder->id);
    tch_json_put_text(b, "group", group);
    key_time(b, "started_at", now);
    tch_json_put_u64(b, "started_unix_ns", now);
    tch_json_put_u64(b, "started_monotonic_ns", tch_now_ns());
    write_command(b, plan, command);
    write_plan(b, plan, alpha);
    write_surroundings(b, plan, command, s);
    key_pairs(b, "labels", plan->labels);
    tch_json_key(b, "work");
    if (plan->work > 0) {
        tch_json_begin_object(b);
        tch_json_put_f64(b, "amount", plan->work);
        tch_json_put_text(b, "unit", plan->work_unit);
        tch_json_end_object(b);
    } else {
        tch_json_null(b);
    }
    write_metrics(b, plan);
    tch_json_put_text(b, "state", "running");
    tch_json_end_object(b);
    tch_buf_addc(b, '\n');
}

/* What the head does not say. */
static bool is_outcome(const char *key, size_t len)
{
    static const char *const names[] = {"state",      "ended_at", "ended_unix_ns", "stopped",
                                        "precision",  "server",   "power",         "costs",
                                        "statistics", "warnings", "samples"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == len && memcmp(names[i], key, len) == 0)
            return true;
    return false;
}

static void write_precision(struct tch_buf *b, const struct tch_receipt *r)
{
    double reached =
        r->rows.count > 0 ? tch_run_summary_precision(&r->rows.row[0].summary) : INFINITY;

    tch_json_key(b, "precision");
    tch_json_begin_object(b);
    tch_json_key(b, "target");
    if (r->precision > 0)
        tch_json_f64(b, r->precision);
    else
        tch_json_null(b);
    tch_json_put_f64(b, "reached", reached); /* null without an interval */
    tch_json_end_object(b);
}

void tch_receipt_write(struct tch_buf *b, const struct tch_receipt *r,
                       const struct tch_run_end *end)
{
    tch_json_begin_object(b);
    for (size_t i = 0; i < r->member_count; i++) {
        if (is_outcome(r->member[i].key, r->member[i].key_len))
            continue;
        tch_json_key_n(b, r->member[i].key, r->member[i].key_len);
        tch_json_raw(b, r->member[i].raw, r->member[i].raw_len);
    }
    tch_json_put_text(b, "state", end->state);
    key_time(b, "ended_at", end->ended_unix_ns);
    tch_json_put_u64(b, "ended_unix_ns", end->ended_unix_ns);
    tch_json_put_text(b, "stopped", end->stopped);
    write_precision(b, r);
    tch_json_key(b, "costs");
    tch_json_begin_object(b);
    tch_json_put_f64(b, "tacho_cpu_ns", end->tacho_cpu_ns);
    tch_json_put_u64(b, "looks", end->looks);
    tch_json_put_f64(b, "looks_cpu_ns", end->looks_cpu_ns);
    tch_json_end_object(b);
    if (end->server) {
        tch_json_key(b, "server");
        tch_json_begin_object(b);
        tch_json_put_f64(b, "ready_s", end->server_ready_s);
        tch_json_put_f64(b, "cpu_ns", end->server_cpu_ns);
        tch_json_put_f64(b, "peak_rss_bytes", end->server_peak_bytes);
        if (!isnan(end->server_energy_j))
            tch_json_put_f64(b, "energy_j", end->server_energy_j);
        tch_json_end_object(b);
    }
    tch_json_key(b, "power");
    tch_json_begin_object(b);
    tch_json_put_text(b, "source", end->power_source);
    tch_json_put_text(b, "why_not", end->power_source ? NULL : end->power_why);
    tch_json_end_object(b);
    tch_json_key(b, "statistics");
    tch_run_rows_write(b, &r->rows);
    tch_json_key(b, "warnings");
    tch_warnings_write(b, &r->warnings);
    tch_json_key(b, "samples");
    tch_json_begin_array(b);
    for (size_t i = 0; i < r->samples.count; i++)
        tch_run_sample_write(b, &r->samples.items[i], &r->samples);
    tch_json_end_array(b);
    tch_json_end_object(b);
    tch_buf_addc(b, '\n');
}
