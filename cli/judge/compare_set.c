/* tacho compare with sets: folders with many runs, and result files of other tools. */
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "cli/cmds.h"
#include "cli/run/run_view.h"
#include "compare_parts.h"
#include "kit/import/import.h"
#include "kit/judge/set_compare.h"
#include "kit/text/human_number.h"
#include "kit/text/regex_limit.h"

/* Returns whether an operand is a set: a file of another tool, or a folder without run.json and
   without a latest run. */
static bool is_set(const char *operand)
{
    char folder[PATH_MAX];
    struct stat st;

    if (stat(operand, &st) < 0 || cli_run_folder(operand, folder) != operand)
        return false;
    if (!S_ISDIR(st.st_mode))
        return true;
    return (snprintf(folder, sizeof folder, "%s/run.json", operand) >= PATH_MAX ||
            access(folder, F_OK) < 0) &&
           (snprintf(folder, sizeof folder, "%s/sweep.json", operand) >= PATH_MAX ||
            access(folder, F_OK) < 0);
}

bool cli_compare_is_sets(const struct args *args)
{
    return args->count == 2 && (is_set(args->operands[0]) || is_set(args->operands[1]));
}

/* Removes the benchmarks whose names do not match. */
static int filter(struct tch_import_set *set, const char *text)
{
    size_t kept = 0;
    regex_t regex;
    tacho_error err;
    int found = 0;

    if (tch_regex_compile(&regex, text, REG_NOSUB, &err) < 0) {
        cli_complain(NULL, "--filter: '%s' is not a regular expression: %s", text, err.message);
        return EXIT_WORK;
    }
    for (size_t i = 0; i < set->count; i++) {
        found = tch_regex_search(&regex, set->results[i].name, 0, NULL, 0);
        if (found > 0)
            set->results[kept++] = set->results[i];
        else
            tch_result_release(&set->results[i]);
    }
    set->count = kept;
    regfree(&regex);
    return found < 0 ? cli_no_memory() : EXIT_OK;
}

static int load(struct compare *c, struct tch_import_set *set, const char *operand)
{
    static const struct tch_import_options none = {0};
    char folder[PATH_MAX];
    tacho_error err = {0};
    bool imported;
    int status = tch_import_load_set(set, cli_run_folder(operand, folder), &none, &imported, &err);

    if (status == 0 && imported)
        status = tch_import_finish(set, &none, &err);
    if (status < 0) {
        cli_complain(&err, "cannot compare '%s'", operand);
        return EXIT_WORK;
    }
    for (size_t i = 0; i < set->problem_count; i++)
        tch_findings_note(&c->findings, "not compared: %s", set->problems[i].text);
    return c->filter ? filter(set, c->filter) : EXIT_OK;
}

/* --- Machines --- */

/* Checks the machine classes of all pairs at once: those of a set are nearly always the same. */
static int check_machines(struct compare *c, const struct tch_import_set *a,
                          const struct tch_import_set *b)
{
    for (size_t i = 0; i < b->count; i++)
        for (size_t k = 0; k < a->count; k++) {
            if (k > 0 && strcmp(a->results[k].machine_class, a->results[k - 1].machine_class) == 0)
                continue;
            if (i > 0 && strcmp(b->results[i].machine_class, b->results[i - 1].machine_class) == 0)
                continue;
            if (cli_compare_check_machine(c, &a->results[k], &b->results[i]) != EXIT_OK)
                return EXIT_WORK;
        }
    return EXIT_OK;
}

/* --- The comparison --- */

static int name_side(char **slot, const char *operand, const struct tch_import_set *set,
                     tacho_error *err)
{
    const struct tch_result *r = set->count > 0 ? &set->results[0] : NULL;
    char commit[TCH_VCS_HASH + 16] = "";
    char text[4096];

    if (r)
        tch_result_commit(r, commit, sizeof commit);
    snprintf(text, sizeof text, "%.2000s, %zu benchmark%s%s%s%s%s", operand, set->count,
             tch_plural(set->count), commit[0] ? ", commit " : "", commit,
             r && r->started_at[0] ? ", " : "", r ? r->started_at : "");
    return tch_findings_set(slot, text, err);
}

/* Says how to get values where a tool wrote a statistic only. */
static void note_statistics(struct compare *c, const struct tch_import_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        if (set->results[i].imported.note)
            tch_findings_note(&c->findings,
                              "%s: the file has statistics without values, so their change has no "
                              "interval; to get values: %s",
                              set->results[i].imported.tool, set->results[i].imported.note);
}

static int judge(struct compare *c, const struct args *args, const struct tch_import_set *a,
                 const struct tch_import_set *b, tacho_error *err)
{
    int status = tch_compare_sets(&c->findings, a->results, a->count, b->results, b->count,
                                  c->budgets, c->budget_count, err);

    if (status == 0)
        status = name_side(&c->findings.a_name, args->operands[0], a, err);
    if (status == 0)
        status = name_side(&c->findings.b_name, args->operands[1], b, err);
    if (status == 0)
        status = tch_findings_judge(&c->findings, c->alpha, err);
    if (status == 0)
        status = tch_sets_finish(&c->findings, err);
    if (status < 0)
        return status;
    note_statistics(c, a);
    note_statistics(c, b);
    tch_findings_note_sessions(&c->findings, "tacho run -n 20 -c OLD -c NEW");
    c->findings.set->shown = c->rows_shown;
    if (c->only_changed)
        tch_sets_keep_changed(&c->findings);
    return 0;
}

int cli_compare_sets(struct compare *c, const struct args *args)
{
    struct tch_import_set a;
    struct tch_import_set b;
    tacho_error err = {0};
    int status;

    tch_import_init(&a);
    tch_import_init(&b);
    status = load(c, &a, args->operands[0]);
    if (status == EXIT_OK)
        status = load(c, &b, args->operands[1]);
    if (status == EXIT_OK)
        status = check_machines(c, &a, &b);
    if (status == EXIT_OK && judge(c, args, &a, &b, &err) < 0) {
        cli_complain(&err, "cannot compare");
        status = EXIT_WORK;
    }
    tch_import_release(&a);
    tch_import_release(&b);
    return status;
}
