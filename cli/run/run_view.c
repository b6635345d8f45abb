/* Shows runs on the terminal. */
#include "run_view.h"

#include <math.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/core/cmd.h"
#include "cli/core/table.h"
#include "cli/core/text.h"
#include "kit/report/report.h"
#include "kit/report/report_text.h"
#include "kit/report/run_counts.h"
#include "kit/report/run_statistics.h"
#include "kit/stats/dependence.h"
#include "kit/text/human_number.h"
#include "process/exit_text.h"

enum { LAST_LINES = 5, FOREIGN_MAX = 16 << 20 };

const char *cli_run_folder(const char *path, char folder[PATH_MAX])
{
    size_t len = strlen(path);
    static const char file[] = "/run.json";

    if (len >= sizeof file - 1 && strcmp(path + len - (sizeof file - 1), file) == 0) {
        snprintf(folder, PATH_MAX, "%.*s", (int)(len - (sizeof file - 1)), path);
        return folder;
    }
    if (snprintf(folder, PATH_MAX, "%s/run.json", path) >= PATH_MAX || access(folder, F_OK) == 0 ||
        snprintf(folder, PATH_MAX, "%s/latest/run.json", path) >= PATH_MAX ||
        access(folder, F_OK) < 0)
        return path;
    snprintf(folder, PATH_MAX, "%s/latest", path);
    return folder;
}

void cli_warn_unfinished(const char *name, const struct tch_result *r, enum tch_run_life life)
{
    if (life == TCH_RUN_KILLED)
        cli_warn("the run '%s' was killed; its %zu completed run%s shown", name, r->run_count,
                 r->run_count == 1 ? " is" : "s are");
    else if (life == TCH_RUN_GOING && r->plan.runs > 0)
        cli_warn("the run '%s' is still in progress; %zu of %llu runs are shown", name,
                 r->run_count, (unsigned long long)r->plan.runs);
    else if (life == TCH_RUN_GOING)
        cli_warn("the run '%s' is still in progress; the first %zu run%s shown", name, r->run_count,
                 r->run_count == 1 ? " is" : "s are");
}

/* Returns the name of the tool that probably wrote this result file, or NULL. */
static const char *tool_of(const char *text)
{
    static const struct {
        const char *first;
        const char *second;
        const char *tool;
    } tools[] = {
        {"\"results\"", "\"command\"", "hyperfine"},
        {"\"benchmarks\"", "\"context\"", "Google Benchmark"},
        {"\"benchmarks\"", "\"machine_info\"", "pytest-benchmark"},
        {"\"perfgate.", "", "perfgate"},
        {TCH_RESULT_SCHEMA, "", "tacho run that is not named run.json"},
    };

    for (size_t i = 0; i < sizeof tools / sizeof tools[0]; i++)
        if (strstr(text, tools[i].first) && strstr(text, tools[i].second))
            return tools[i].tool;
    return NULL;
}

void cli_complain_of_folder(const char *path, const tacho_error *err)
{
    char folder[PATH_MAX];
    struct stat st;
    struct tch_buf b;
    const char *tool;

    if (snprintf(folder, PATH_MAX, "%s/sweep.json", path) < PATH_MAX && access(folder, F_OK) == 0) {
        cli_complain(NULL,
                     "cannot read the run '%s': it is the folder of a sweep, whose report is "
                     "report.html; '%s/cells' contains one run folder per cell",
                     path, path);
        return;
    }
    if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || cli_run_folder(path, folder) != path) {
        cli_complain(err, "cannot read the run '%s'", path);
        return;
    }
    tch_buf_init(&b, FOREIGN_MAX);
    (void)tch_file_read(path, FOREIGN_MAX, &b,
                        NULL); /* an unreadable file belongs to no known tool */
    tool = tool_of(b.data);
    cli_complain(NULL, "cannot read the run '%s': it is a file%s%s, not a run folder; %s", path,
                 tool ? " of " : "", tool ? tool : "",
                 tool ? "turn it into run folders with 'tacho import'"
                      : "name a folder that 'tacho run' wrote, such as OUT/NAME/latest");
    tch_buf_release(&b);
}

int cli_open_run(struct tch_report_run *run, const char *operand, char folder[PATH_MAX])
{
    tacho_error err;

    if (tch_report_open(run, cli_run_folder(operand, folder), &err) < 0) {
        cli_complain_of_folder(operand, &err);
        return EXIT_WORK;
    }
    cli_warn_unfinished(operand, &run->result, run->life);
    return EXIT_OK;
}

/* Returns the warning of a run that has the same cause, or NULL. */
static const struct tch_warning *same_warning(const struct tch_result *r,
                                              const struct tch_warning *w)
{
    for (size_t i = 0; i < r->warnings.count; i++)
        if (strcmp(r->warnings.item[i].code, w->code) == 0 &&
            strcmp(r->warnings.item[i].advice, w->advice) == 0)
            return &r->warnings.item[i];
    return NULL;
}

/* Returns whether other commands have the warning too. Sets *by_all if all have the same text. */
static bool is_shared(const struct tch_run *run, const struct tch_warning *w, bool *by_all)
{
    size_t have = 0;
    size_t same = 0;

    for (size_t i = 0; i < run->plan->command_count; i++) {
        const struct tch_warning *other = same_warning(&run->items[i].result, w);

        have += other != NULL;
        same += other && strcmp(other->text, w->text) == 0;
    }
    *by_all = same == run->plan->command_count;
    return have > 1;
}

static void add_advice(struct tch_buf *b, const struct term *term, const struct tch_warning *w)
{
    cli_add_labelled(b, term, PLAIN, term->utf8 ? "  \u2192 " : "  -> ", w->advice);
}

/* Adds one line if all commands have the warning, otherwise one line per command that has it; then
   the advice. */
static void add_shared_warning(struct tch_buf *b, const struct term *term,
                               const struct tch_run *run, const struct tch_warning *w, bool by_all)
{
    for (size_t i = 0; i < run->plan->command_count; i++) {
        const struct tch_result *r = &run->items[i].result;
        const struct tch_warning *its = same_warning(r, w);
        char label[256] = "warning: ";

        if (!its || (by_all && i > 0))
            continue;
        if (!by_all)
            snprintf(label, sizeof label, "warning for %.200s: ", r->name);
        cli_add_labelled(b, term, YELLOW, label, its->text);
    }
    add_advice(b, term, w);
}

void cli_add_shared_warnings(struct tch_buf *b, const struct term *term, const struct tch_run *run)
{
    bool by_all;

    for (size_t i = 0; i < run->plan->command_count; i++) {
        const struct tch_warnings *all = &run->items[i].result.warnings;

        for (size_t k = 0; k < all->count; k++) {
            bool again = false;

            for (size_t j = 0; j < i; j++)
                again |= same_warning(&run->items[j].result, &all->item[k]) != NULL;
            if (!again && is_shared(run, &all->item[k], &by_all))
                add_shared_warning(b, term, run, &all->item[k], by_all);
        }
    }
}

/* Adds the warnings that only command i has. */
static void add_own_warnings(struct tch_buf *b, const struct term *term, const struct tch_run *run,
                             size_t i)
{
    const struct tch_warnings *all = &run->items[i].result.warnings;

    for (size_t k = 0; k < all->count; k++) {
        const struct tch_warning *w = &all->item[k];
        bool by_all;

        if (is_shared(run, w, &by_all))
            continue;
        cli_add_labelled(b, term, YELLOW, "warning: ", w->text);
        add_advice(b, term, w);
    }
}

void cli_add_warnings(struct tch_buf *b, const struct term *term, const struct tch_run *run)
{
    cli_add_shared_warnings(b, term, run);
    for (size_t i = 0; i < run->plan->command_count; i++)
        add_own_warnings(b, term, run, i);
}

static void add_energy(struct tch_buf *b, const struct term *term, const struct tch_result *r)
{
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    tch_report_add_energy(&text, r);
    cli_add_labelled(b, term, PLAIN, "  ", text.data);
    tch_buf_release(&text);
}

void cli_add_run(struct tch_buf *b, const struct term *term, const struct tch_run *run, size_t i)
{
    const struct tch_result *r = &run->items[i].result;
    double level = r->row_count > 0 ? r->rows[0].summary.level : 0;
    struct cli_text_table text;
    struct tch_buf head;

    add_own_warnings(b, term, run, i);
    tch_buf_init_part(&head, b);
    tch_buf_addf(&head, "  %zu run%s", r->run_count, tch_plural(r->run_count));
    if (level > 0)
        tch_buf_addf(&head, ", intervals at %.4g %%%s", floor(1000 * level) / 10,
                     r->rows[0].summary.n < TCH_DEPENDENCE_SURE ? " if they are independent" : "");
    tch_buf_adds(&head, "  (");
    cli_add_clean(&head, r->command.line, term->utf8);
    tch_buf_addc(&head, ')');
    cli_add_painted(b, term, BOLD, r->name);
    cli_add_cut(b, head.data, head.len,
                term->width > strlen(r->name) ? term->width - strlen(r->name) : SIZE_MAX,
                term->utf8);
    tch_buf_addc(b, '\n');
    tch_buf_release(&head);
    if (tch_report_nothing(r))
        tch_buf_addf(b, "  no statistics: %s\n", tch_report_nothing(r));
    else
        tch_statistics_table(b, cli_text_form(&text, term, 2), r);
    tch_buf_init_part(&head, b);
    tch_report_add_layouts(&head, r);
    if (head.len > 0)
        cli_add_labelled(b, term, PLAIN, "  layouts: ", head.data);
    tch_buf_clear(&head);
    tch_report_add_recording(&head, r);
    if (head.len > 0)
        cli_add_labelled(b, term, PLAIN, "  recording: ", head.data);
    tch_buf_release(&head);
    tch_counts_table(b, cli_text_form(&text, term, 2), r);
    if (r->latency.wall.n > 0) {
        tch_buf_adds(b, "  ");
        tch_report_add_latencies(b, r);
        tch_buf_addc(b, '\n');
    }
    if (run->plan->idle_ns > 0 || run->meter.origin.source[0])
        add_energy(b, term, r);
}

void cli_add_comparison(struct tch_buf *b, const struct term *term, const struct tch_comparison *c)
{
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    tch_comparison_add_fastest(&text, c);
    tch_buf_adds(b, "\n");
    cli_add_painted(b, term, BOLD, "compared");
    tch_buf_addf(b, "  wall time%s, joint 95 %% intervals\n", c->paired ? " in pairs" : "");
    cli_add_labelled(b, term, GREEN, "  fastest: ", text.data);
    for (size_t i = 0; i < c->count; i++) {
        if (i == c->fastest)
            continue;
        tch_buf_clear(&text);
        tch_comparison_add_sentence(&text, c, i);
        cli_add_labelled(b, term, PLAIN, "  ", text.data);
    }
    tch_buf_release(&text);
}

void cli_complain_of_run(const struct tch_run *run)
{
    const struct tch_run_sample *bad = &run->bad;
    const struct tch_run_item *item = &run->items[run->bad_index];
    const char *name = run->plan->commands[run->bad_index].line;
    char which[64];
    char how[TCH_EXIT_TEXT];
    struct tch_buf b;

    if (run->bad_warmup)
        snprintf(which, sizeof which, "a warm-up run of");
    else
        snprintf(which, sizeof which, "run %zu of", item->result.run_count);
    if (bad->run.timed_out)
        cli_complain(NULL,
                     "%s '%s' was killed by --timeout; increase the timeout, or find what the "
                     "command waits for",
                     which, name);
    else
        cli_complain(
            NULL, "%s '%s' %s%s", which, name,
            tch_exit_text(bad->run.status, "was killed by", "failed with", how),
            WIFSIGNALED(bad->run.status) ? "" : "; use --allow-nonzero to continue after failures");
    tch_buf_init(&b, 1 << 16);
    tch_run_last_words(run, LAST_LINES, &b);
    if (b.len > 0)
        fprintf(stderr, "its last lines on standard error:\n%s\n", b.data);
    tch_buf_release(&b);
}

int cli_finish_runs(struct tch_run *run, int measured, const tacho_error *err,
                    const char *interrupted, const char *unwritten)
{
    tacho_error end_err;
    int finished = tch_run_finish(run, &end_err);

    if (measured < 0)
        cli_complain(NULL, "%s", err->message);
    else if (run->state == TCH_RUN_FAILED)
        cli_complain_of_run(run);
    else if (run->state == TCH_RUN_INTERRUPTED)
        cli_complain(NULL, "%s", interrupted);
    if (finished < 0)
        cli_complain(&end_err, "%s", unwritten);
    return measured < 0 || finished < 0 || run->state != TCH_RUN_COMPLETE ? EXIT_WORK : EXIT_OK;
}
