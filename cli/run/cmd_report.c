/* tacho report: makes reports from run folders. */
#include "kit/report/report.h"

#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "cli/cmds.h"
#include "cli/core/clean_out.h"
#include "cli/core/opt.h"
#include "kit/file/found_file.h"
#include "run_view.h"

enum { FORMAT, OUTPUT, RAW };

static const char *const format_names[] = {"html",      "md",    "json",
                                           "csv",       "junit", "prometheus",
                                           "hyperfine", "bmf",   "github-action-benchmark",
                                           NULL};

/* Writes the report to `output` if that is given; otherwise the report of one run to its folder,
   and that of several runs to standard output. */
static int write_report(const struct tch_report_format *format, const struct tch_report_run *runs,
                        size_t count, const char *output, const struct args *args)
{
    char path[PATH_MAX];
    struct tch_buf b;
    tacho_error err;
    int status = EXIT_WORK;

    tch_buf_init(&b, TCH_REPORT_MAX);
    if (format->write(&b, runs, count, &err) < 0 || (b.failed && tch_fail_memory(&err))) {
        cli_complain(&err, "cannot make the report");
    } else if (!output && count == 1 && format->file && !args->json) {
        if (tch_folder_at(path, runs[0].folder, format->file, &err) < 0 ||
            tch_found_write(runs[0].folder, format->file, b.data, b.len, false, &err) < 0) {
            cli_complain(&err, "cannot write the report");
        } else {
            printf("%s\n", path);
            status = EXIT_OK;
        }
    } else if (output && strcmp(output, "-") != 0) {
        if (tch_file_replace(output, b.data, b.len, false, &err) < 0)
            cli_complain(&err, "cannot write '%s'", output);
        else
            status = EXIT_OK;
    } else {
        if (format != &tch_report_md)
            cli_stdout_is_data();
        return cli_print(&b);
    }
    tch_buf_release(&b);
    return status;
}

/* Opens a run folder. After a kill -9 of tacho, the spawner holds the run's lock for up to a
   second. If the report has to be written to the folder and the run seems to be in progress, this
   waits for the lock. */
static int open_run(struct tch_report_run *run, const char *folder, bool patient, tacho_error *err)
{
    enum { TRIES = 20, WAIT_US = 100000 };
    int status = tch_report_open(run, folder, err);

    for (int i = 0; patient && status == 0 && run->life == TCH_RUN_GOING && i < TRIES; i++) {
        tch_report_close(run);
        usleep(WAIT_US);
        status = tch_report_open(run, folder, err);
    }
    return status;
}

/* Completes a killed run for the formats that are written to its folder, because they show files
   that a killed run has not merged yet. Leaves a run in progress alone. */
static int complete(struct tch_report_run *run, const struct tch_report_format *format,
                    const char *output)
{
    tacho_error err;
    int status;

    if (!format->file || run->life == TCH_RUN_ENDED)
        return EXIT_OK;
    if (run->life == TCH_RUN_GOING && !output) {
        cli_complain(NULL, "cannot write a report to the folder of a run in progress; "
                           "use --output FILE to report the runs so far");
        return EXIT_WORK;
    }
    if (run->life != TCH_RUN_KILLED)
        return EXIT_OK;
    status = tch_run_recover(&run->result, run->folder, &err);
    if (status < 0 && status != TACHO_EINVAL && !output) {
        cli_complain(NULL,
                     "cannot complete the killed run '%s': %s; use --output FILE to report the "
                     "completed runs",
                     run->folder, err.message);
        return EXIT_WORK;
    }
    if (status < 0)
        cli_warn("the report leaves out the files that the program wrote: %s", err.message);
    return EXIT_OK;
}

static int run_report(struct args *args)
{
    static struct tch_report_run runs[TCH_REPORT_RUNS];
    static char folders[TCH_REPORT_RUNS][PATH_MAX];
    const struct tch_report_format *format = args->json ? &tch_report_json : &tch_report_html;
    const char *output = NULL;
    const struct opt *opt;
    int status = EXIT_OK;
    size_t count = 0;
    bool raw = false;

    while ((opt = cli_next_opt(args)))
        if (opt->id == FORMAT)
            format = tch_report_formats[cli_choice_index(format_names, args->value)];
        else if (opt->id == OUTPUT)
            output = args->value;
        else
            raw = true;
    if (args->json && format != &tch_report_json)
        return cli_wrong_usage(
            args, "--json cannot be combined with another --format; remove one of them");
    if (raw && format != &tch_report_csv)
        return cli_wrong_usage(args, "--raw needs --format csv");
    if (raw)
        format = &tch_report_raw_csv;
    if (args->count > TCH_REPORT_RUNS)
        return cli_wrong_usage(args, "a report can show at most %d runs; name fewer",
                               TCH_REPORT_RUNS);
    while (count < args->count && status == EXIT_OK) {
        const char *folder = cli_run_folder(args->operands[count], folders[count]);
        tacho_error err;

        if (open_run(&runs[count], folder, format->file && !output, &err) < 0) {
            cli_complain_of_folder(args->operands[count], &err);
            status = EXIT_WORK;
        } else {
            cli_warn_unfinished(folder, &runs[count].result, runs[count].life);
            status = complete(&runs[count], format, output);
        }
        count++;
    }
    if (status == EXIT_OK)
        status = write_report(format, runs, count, output, args);
    for (size_t i = 0; i < count; i++)
        tch_report_close(&runs[i]);
    return status;
}

static const struct opt opts[] = {
    {.id = FORMAT,
     .name = "format",
     .letter = 'f',
     .arg = "FORMAT",
     .help = "write html (default), md, json, csv, junit, prometheus, hyperfine, bmf or "
             "github-action-benchmark",
     .choices = format_names},
    {.id = OUTPUT,
     .name = "output",
     .letter = 'o',
     .arg = "FILE",
     .help = "write to FILE (-: standard output; default: html and md of one run to its folder, "
             "everything else to standard output)",
     .complete = COMPLETE_FILE},
    {.id = RAW,
     .name = "raw",
     .help = "csv: write names unchanged, even if a spreadsheet takes them for formulas"},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "RUN",
     .help = "a run folder, its run.json, or OUT/NAME for the latest run",
     .many = true,
     .complete = COMPLETE_RUN},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho report tacho-out/prog/latest", "Write report.html again."},
    {"tacho report -o both.html tacho-out/old/latest tacho-out/new/latest",
     "Show two runs side by side."},
    {"tacho report -f csv tacho-out/prog/latest > samples.csv",
     "Write every sample, for a spreadsheet."},
    {"tacho report -f bmf tacho-out/prog/latest > results.json",
     "Write a file for Bencher's dashboard."},
    {NULL, NULL},
};

static const struct man_item files[] = {
    {"tacho-out/NAME/ID/", "A run folder: run.json (schema tacho.run.v1), report.html, CSV files, "
                           "flamegraphs, and what the program recorded."},
    {"tacho-out/NAME/latest", "A link to the newest run folder of that name."},
    {NULL, NULL},
};

const struct cmd cmd_report = {
    .name = "report",
    .summary = "write HTML, Markdown, JSON, CSV or other reports of run folders",
    .usage = "tacho report [--format FORMAT] [--output FILE] RUN...",
    .about =
        "Makes a report from the files of a run folder. The HTML or Markdown report of one run is "
        "written to its folder, every other report to standard output, unless --output is "
        "given. Several runs are shown side by side.\n"
        "\n"
        "hyperfine, bmf (Bencher Metric Format) and github-action-benchmark are files that other "
        "tools and dashboards read. hyperfine has the times, memory and exit codes of every run. "
        "bmf has the median of each metric with its interval. github-action-benchmark "
        "(customSmallerIsBetter) has the medians of the metrics of which less is better; its "
        "format has no room for the others.\n"
        "\n"
        "For HTML and Markdown, a run that was killed is completed first: run.json is written "
        "from samples.jsonl, unless the folder belongs to another user. The other formats "
        "write nothing to the folder. For a run in progress, give --output; the report shows "
        "the runs so far.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .json = true,
    .run = run_report,
    .files = files,
};
