/* The "plan" of sweep.json, which identifies a sweep, and the comparison of two plans. */
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/secret.h"
#include "kit/run/count/count.h"
#include "sweep_unit.h"

static void write_parameters(struct tch_buf *b, const struct tch_grid *grid)
{
    tch_json_key(b, "parameters");
    tch_json_begin_array(b);
    for (size_t i = 0; i < grid->count; i++) {
        const struct tch_param *p = &grid->param[i];

        tch_json_begin_object(b);
        tch_json_put_text(b, "name", p->name);
        tch_json_put_bool(b, "numeric", p->numeric);
        tch_json_key(b, "values");
        tch_json_begin_array(b);
        for (size_t j = 0; j < p->count; j++)
            tch_json_text(b, p->text[j]);
        tch_json_end_array(b);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
}

void tch_sweep_plan_write(struct tch_buf *b, const struct tch_sweep_plan *plan,
                          const char *config_hash)
{
    const struct tch_run_plan *run = &plan->run;
    const char *const *keep = run->keep_env;

    tch_json_begin_object(b);
    tch_secret_put_words(b, "command", plan->argv, keep);
    tch_json_put_text(b, "baseline", plan->baseline);
    write_parameters(b, plan->grid);
    tch_json_put_u64(b, "repeat", plan->repeat);
    tch_json_put_u64(b, "seed", plan->seed);
    tch_json_put_u64(b, "warmup", run->warmup);
    tch_json_put_u64(b, "timeout_ns", run->timeout_ns);
    tch_json_put_u64(b, "interval_ns", run->interval_ns);
    tch_secret_put_words(b, "env", run->env, keep);
    tch_json_key(b, "labels");
    tch_json_begin_array(b);
    for (const char *const *label = run->labels; label && *label; label++)
        tch_json_text(b, *label);
    tch_json_end_array(b);
    tch_json_put_text(b, "cwd", run->cwd);
    tch_json_put_text(b, "input", run->input);
    tch_json_put_text(b, "output", run->output_path);
    tch_secret_put_line(b, "server", run->server, keep);
    tch_json_put_text(b, "ready", run->ready);
    tch_json_put_bool(b, "flame", run->flame);
    tch_counts_write_plan(b, run->counts, run->count_runs);
    tch_json_put_bool(b, "trace", run->trace);
    tch_json_put_text(b, "cpus", run->cpus);
    tch_json_put_bool(b, "no_aslr", run->no_aslr);
    if (run->no_record)
        tch_json_put_bool(b, "no_record", true);
    tch_json_put_bool(b, "allow_nonzero", run->allow_nonzero);
    tch_secret_put_line(b, "setup", run->setup, keep);
    tch_secret_put_line(b, "prepare", run->prepare, keep);
    tch_secret_put_line(b, "conclude", run->conclude, keep);
    tch_secret_put_line(b, "cleanup", run->cleanup, keep);
    tch_json_put_text(b, "power", run->power);
    tch_json_put_f64(b, "work", run->work);
    tch_json_put_text(b, "work_unit", run->work_unit);
    tch_json_put_text(b, "config_sha256", config_hash[0] ? config_hash : NULL);
    tch_json_key(b, "metrics");
    tch_metric_rules_write(b, run->metrics, run->metric_count);
    tch_json_end_object(b);
}

/* Returns whether two lists of parameters have the same names in the same order, and the same of
   them are numeric. */
static bool same_parameters(const struct tch_json_value *a, const struct tch_json_value *b)
{
    struct tch_json_reader x, y;
    struct tch_json_value one, two, v, w;
    int more;

    tch_json_open(&x, a->text, a->len, NULL);
    tch_json_open(&y, b->text, b->len, NULL);
    if (tch_json_read(&x, &one) < 0 || tch_json_read(&y, &two) < 0)
        return false;
    while ((more = tch_json_element(&x)) == tch_json_element(&y) && more > 0) {
        static const char *const members[] = {"name", "numeric"};

        if (tch_json_read_raw(&x, &one) < 0 || tch_json_read_raw(&y, &two) < 0)
            return false;
        for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
            if (!tch_json_find(one.text, one.len, members[i], &v) ||
                !tch_json_find(two.text, two.len, members[i], &w) || v.len != w.len ||
                memcmp(v.text, w.text, v.len) != 0)
                return false;
    }
    return more == 0 && y.status == 0;
}

/* Returns whether b is at least as long a limit as a; 0 is none. */
static bool is_longer(const struct tch_json_value *a, const struct tch_json_value *b)
{
    double was = tch_json_to_f64(a);
    double is = tch_json_to_f64(b);

    return is == 0 || (was > 0 && is >= was);
}

static bool extends(const char *member, const struct tch_json_value *a,
                    const struct tch_json_value *b)
{
    if (strcmp(member, "repeat") == 0)
        return true;
    if (strcmp(member, "parameters") == 0)
        return same_parameters(a, b);
    return strcmp(member, "timeout_ns") == 0 && is_longer(a, b);
}

/* Returns 0 when every member of a has the same value in b, or one that extends it. */
static int all_in(const char *a, size_t a_len, const char *b, size_t b_len, char *what, size_t size)
{
    struct tch_json_reader r;
    struct tch_json_value value;
    struct tch_json_value key;
    struct tch_json_value other;

    tch_json_open(&r, a, a_len, NULL);
    if (tch_json_read(&r, &value) < 0 || value.type != TCH_JSON_OBJECT)
        return -1;
    while (tch_json_member(&r, &key) > 0) {
        snprintf(what, size, "%.*s", (int)key.len, key.text);
        if (tch_json_read_raw(&r, &value) < 0 || !tch_json_find(b, b_len, what, &other))
            return -1;
        if ((other.len != value.len || memcmp(other.text, value.text, value.len) != 0) &&
            !extends(what, &value, &other))
            return -1;
    }
    return r.status;
}

/* Returns 0 when b has no member that a lacks. */
static int none_new(const char *a, size_t a_len, const char *b, size_t b_len, char *what,
                    size_t size)
{
    struct tch_json_reader r;
    struct tch_json_value value;
    struct tch_json_value key;

    tch_json_open(&r, b, b_len, NULL);
    if (tch_json_read(&r, &value) < 0)
        return -1;
    while (tch_json_member(&r, &key) > 0) {
        snprintf(what, size, "%.*s", (int)key.len, key.text);
        if (tch_json_skip(&r) < 0 || !tch_json_find(a, a_len, what, &value))
            return -1;
    }
    return r.status;
}

int tch_sweep_plan_extends(const char *a, size_t a_len, const char *b, size_t b_len, char *what,
                           size_t size)
{
    snprintf(what, size, "plan");
    return all_in(a, a_len, b, b_len, what, size) < 0 ||
                   none_new(a, a_len, b, b_len, what, size) < 0
               ? -1
               : 0;
}
