/* Writes the results of the gate: files, the page, the terminal, GitHub. */
#include "cmd_gate_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/core/stop.h"
#include "kit/report/report.h"
#include "kit/report/run_flame_diff.h"
#include "kit/report/verdict_formats.h"
#include "verdict_view.h"

/* --- Flamegraphs of benches that FAILed --- */

static bool has_failed(const struct tch_gate *g, const struct tch_gate_bench *b)
{
    for (size_t i = 0; i < b->row_count; i++)
        if (g->findings.rows[b->first_row + i].verdict == TCH_FAIL)
            return true;
    return false;
}

static int write_diff(struct tch_gate *g, const struct tch_gate_bench *b)
{
    char before[PATH_MAX];
    char now[PATH_MAX];
    char path[PATH_MAX];
    char title[256];
    struct tch_buf svg;
    tacho_error err;
    int status = EXIT_WORK;

    snprintf(title, sizeof title, "%.100s: red costs more than before, blue costs less",
             b->bench->name);
    snprintf(path, sizeof path, "%.3900s/flamegraph-diff-%.100s.svg", g->how.out, b->bench->name);
    tch_buf_init(&svg, 64 << 20);
    if (!tch_folded_find(b->run.items[0].folder.path, before) ||
        !tch_folded_find(b->run.items[1].folder.path, now))
        cli_complain(NULL, "no differential flamegraph of '%s': a profile is missing",
                     b->bench->name);
    else if (tch_flame_diff(&svg, NULL, before, now, title, &err) < 0)
        cli_complain(&err, "no differential flamegraph of '%s'", b->bench->name);
    else if (tch_file_replace(path, svg.data, svg.len, false, &err) < 0)
        cli_complain(NULL, "%s", err.message);
    else
        status = EXIT_OK;
    tch_buf_release(&svg);
    if (status == EXIT_OK)
        tch_findings_note(&g->findings, "%s: functions that cost more than before are red in %s",
                          b->bench->name, path);
    return status;
}

/* Profiles a bench. A failure is reported but does not change the verdict. A program that is too
   short to sample gets a note. Returns whether a differential flamegraph was drawn. */
static bool draw_bench(struct tch_gate *g, struct tch_gate_bench *b)
{
    struct tch_warnings warnings = {.count = 0};
    bool drawn = true;
    tacho_error err;

    if (tch_gate_take_stacks(g, b, cli_catch_stop(), &err) < 0)
        cli_complain(&err, "no stacks of the counted calls of '%s'", b->bench->name);
    for (size_t i = 0; i < b->plan.command_count; i++)
        if (tch_run_flame(&b->run, i, &warnings, &err) < 0) {
            drawn = false;
            if (tch_run_flame_excuse(&err, &warnings))
                continue;
            cli_complain(&err, "no flamegraph of '%s'", b->bench->name);
            break;
        }
    for (size_t i = 0; i < warnings.count; i++)
        tch_findings_note(&g->findings, "%s: %s; %s", b->bench->name, warnings.item[i].text,
                          warnings.item[i].advice);
    if (!drawn)
        return false;
    if (b->plan.command_count > 1)
        return write_diff(g, b) == EXIT_OK;
    tch_findings_note(&g->findings,
                      "%s: its flamegraph is in %s; a differential one needs --against",
                      b->bench->name, b->run.items[0].folder.shown);
    return false;
}

/* Profiles the benches that FAILed. Fills flames, which has room for every bench, and returns how
   many. */
static size_t draw_failed(struct tch_gate *g, struct tch_verdict_flame *flames)
{
    size_t count = 0;

    for (size_t i = 0; i < g->count; i++) {
        struct tch_gate_bench *b = &g->benches[i];

        if (has_failed(g, b) && draw_bench(g, b))
            flames[count++] = (struct tch_verdict_flame){.title = b->bench->name,
                                                         .before = b->run.items[0].folder.path,
                                                         .now = b->run.items[1].folder.path};
    }
    return count;
}

/* --- Files --- */

/* Sets the address of the page: --link, the CI run, or the file. */
static int set_link(struct tch_gate *g, const struct gate_options *o, const char *page)
{
    const char *server = getenv("GITHUB_SERVER_URL");
    const char *repository = getenv("GITHUB_REPOSITORY");
    const char *id = getenv("GITHUB_RUN_ID");
    const char *job = getenv("CI_JOB_URL");
    char link[PATH_MAX];
    tacho_error err;

    if (o->link)
        snprintf(link, sizeof link, "%s", o->link);
    else if (server && repository && id)
        snprintf(link, sizeof link, "%.200s/%.200s/actions/runs/%.40s", server, repository, id);
    else
        snprintf(link, sizeof link, "%s", job ? job : page);
    if (tch_findings_set(&g->findings.link, link, &err) == 0)
        return EXIT_OK;
    cli_complain(NULL, "%s", err.message);
    return EXIT_WORK;
}

/* Appends to a file that GitHub names in a variable. */
static void append_to(const char *variable, const struct tch_buf *b)
{
    const char *path = getenv(variable);
    tacho_error err;
    int fd;

    if (!path || !path[0])
        return;
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0 || b->failed || tch_write_all(fd, path, b->data, b->len, &err) < 0)
        cli_warn("cannot add to '%s'", path);
    if (fd >= 0)
        close(fd);
}

/* Writes the summary, which GitHub shows on the page of the run, and the outputs for later steps of
   the workflow. */
static void tell_github(const struct tch_findings *f, const char *page)
{
    const char *word = tch_findings_word(f);
    struct tch_buf b;

    tch_buf_init(&b, 16 << 20);
    tch_verdict_md.write(&b, f);
    append_to("GITHUB_STEP_SUMMARY", &b);
    tch_buf_clear(&b);
    if (!strpbrk(page, "\r\n"))
        tch_buf_addf(&b, "verdict=%s\nreport=%s\n", word ? word : "", page);
    append_to("GITHUB_OUTPUT", &b);
    tch_buf_release(&b);
}

static bool on_github(void)
{
    const char *value = getenv("GITHUB_ACTIONS");

    return value && strcmp(value, "true") == 0;
}

int cli_gate_check_outputs(const struct gate_options *o)
{
    const char *const paths[] = {o->md, o->junit, o->prometheus, o->json, o->badge, o->html};

    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (cli_check_output(paths[i]) != EXIT_OK)
            return EXIT_WORK;
    return EXIT_OK;
}

static int write_files(const struct tch_gate *g, const struct gate_options *o)
{
    const struct {
        const char *path;
        const struct tch_verdict_format *format;
    } files[] = {{o->md, &tch_verdict_md},
                 {o->junit, &tch_verdict_junit},
                 {o->prometheus, &tch_verdict_prometheus},
                 {o->json, &tch_verdict_json},
                 {o->badge, &tch_verdict_badge}};
    int status = EXIT_OK;

    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (files[i].path &&
            cli_write_findings(files[i].format, files[i].path, &g->findings) != EXIT_OK)
            status = EXIT_WORK;
    return status;
}

/* Prints the verdicts. page is NULL if it could not be written: an older one may be there. */
static int print_findings(const struct tch_gate *g, const struct args *args, const char *page)
{
    struct tch_buf b;

    if (args->json)
        return cli_write_findings(&tch_verdict_json, "-", &g->findings);
    tch_buf_init(&b, TCH_REPORT_MAX);
    cli_add_findings(&b, &args->out, &g->findings);
    if (!args->quiet && page)
        tch_buf_addf(&b, "report: %s\n", page);
    if (on_github())
        tch_verdict_github.write(&b, &g->findings);
    return cli_print(&b);
}

int cli_gate_report(struct tch_gate *g, const struct gate_options *o, const struct args *args)
{
    struct tch_verdict_flame *flames = calloc(g->count + 1, sizeof *flames);
    size_t drawn = 0;
    char page[PATH_MAX];
    char link;
    bool written;
    tacho_error err;
    int status;

    snprintf(page, sizeof page, "%.4000s%s", o->html ? o->html : g->how.out,
             o->html ? "" : "/gate.html");
    if (o->flame && flames)
        drawn = draw_failed(g, flames);
    status = set_link(g, o, page);
    if (!o->html &&
        readlink(page, &link, 1) >= 0) /* only a page that the user asked for may be a link */
        unlink(page);
    written = tch_mkdirs_above(page, &err) == 0 &&
              cli_write_findings_page(page, &g->findings, flames, drawn) == EXIT_OK;
    if (!written)
        status = EXIT_WORK;
    free(flames);
    if (write_files(g, o) != EXIT_OK)
        status = EXIT_WORK;
    if (on_github())
        tell_github(&g->findings, written ? page : "");
    return print_findings(g, args, written ? page : NULL) == EXIT_OK ? status : EXIT_WORK;
}
