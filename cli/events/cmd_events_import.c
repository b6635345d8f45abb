/* tacho events import: makes events from the log of a program. */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/lines.h"
#include "cli/core/clean_out.h"
#include "cli/core/text.h"
#include "cmd_events_parts.h"
#include "kit/event/event_import.h"
#include "lib/event/event_config.h"

enum { CHUNK = 1 << 20, OUT_MAX = 64 << 20 };

struct import {
    struct args *args;
    struct tch_import how;
    const char *output;
    bool show_skipped;
    struct tch_replace file; /* the file of --output */
    struct tch_buf out;
    uint64_t lines;
    uint64_t events;
    uint64_t skipped;
};

static int write_out(struct import *m, tacho_error *err)
{
    int status = 0;

    if (m->output)
        status = tch_replace_write(&m->file, m->out.data, m->out.len, err);
    else
        fwrite(m->out.data, 1, m->out.len, stdout);
    tch_buf_clear(&m->out);
    return status;
}

/* Counts a line that is not an event, and reports it if --show-skipped was given. */
static void skip_line(struct import *m, const struct tch_line *line, const char *why)
{
    struct tch_buf b;

    m->skipped++;
    if (!m->show_skipped)
        return;
    tch_buf_init(&b, 4L * TCH_LINES_LONGEST);
    if (line->text) {
        tch_buf_add(&b, line->text, line->len);
        cli_warn("%s:%" PRIu64 ": %s: %s", m->args->operands[0], line->number, why, b.data);
    } else {
        cli_warn("%s:%" PRIu64 ": %s", m->args->operands[0], line->number, why);
    }
    tch_buf_release(&b);
}

static int import_line(struct import *m, const struct tch_line *line, tacho_error *err)
{
    const char *why = "the line is too long";
    int status = 0;

    m->lines++;
    if (!line->too_long && line->len == 0)
        return 0;
    if (!line->too_long)
        status = tch_import_line(&m->how, line->text, line->len, &m->out, &why, err);
    if (status < 0)
        return status;
    if (status == 0)
        skip_line(m, line, why);
    m->events += status > 0;
    return m->out.len >= CHUNK ? write_out(m, err) : 0;
}

static int import_all(struct import *m, int fd, tacho_error *err)
{
    struct tch_lines lines;
    struct tch_line line;
    int more;

    tch_lines_init_fd(&lines, fd, m->args->operands[0], 0);
    while ((more = tch_lines_next(&lines, &line, err)) > 0) {
        more = import_line(m, &line, err);
        if (more < 0)
            break;
    }
    tch_lines_release(&lines);
    return more < 0 ? more : write_out(m, err);
}

static void print_counts(const struct import *m)
{
    if (m->args->quiet)
        return;
    fprintf(stderr, "%" PRIu64 " events from %" PRIu64 " lines", m->events, m->lines);
    if (m->skipped > 0)
        fprintf(stderr, "; %" PRIu64 " lines have no readable timing%s", m->skipped,
                m->show_skipped ? "" : " (--show-skipped lists them)");
    fputc('\n', stderr);
}

static int run_import(struct args *args)
{
    struct import m = {.args = args};
    const char *bad;
    int status = EXIT_WORK;
    tacho_error err;
    int fd;

    m.how.config = (tacho_event_config)TACHO_EVENT_CONFIG_INIT;
    if (cli_set_opts(args, &m, NULL) != EXIT_OK)
        return EXIT_USAGE;
    bad = tch_event_config_check(&m.how.config);
    if (bad)
        return cli_wrong_usage(args, "%s", bad);
    fd = cli_events_open(args->operands[0]);
    if (fd < 0)
        return EXIT_WORK;
    cli_stdout_is_data();
    tch_buf_init(&m.out, OUT_MAX);
    if (m.output && tch_replace_open(&m.file, m.output, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        goto out;
    }
    if (import_all(&m, fd, &err) < 0 || (m.output && tch_replace_commit(&m.file, &err) < 0)) {
        cli_complain(NULL, "%s", err.message);
        if (m.output)
            tch_replace_abort(&m.file);
        goto out;
    }
    print_counts(&m);
    status = EXIT_OK;
out:
    tch_buf_release(&m.out);
    cli_events_close(fd);
    return status;
}

static const struct opt opts[] = {
    EVENTS_META_OPTS(struct import, how.config, how.graph_enabled),
    {.name = "output",
     .letter = 'o',
     .arg = "OUT",
     .help = "write to OUT (default: standard output)",
     .complete = COMPLETE_FILE,
     CLI_TEXT(struct import, output)},
    {.name = "show-skipped",
     .help = "list the lines without a readable timing on stderr, with the reason",
     CLI_FLAG(struct import, show_skipped)},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "LOG", .help = "the log to read; - for standard input", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho events import server.log --model qwen3 --concurrency 32 -o profile.jsonl",
     "Make events from a server's log, and add what the log does not contain."},
    {NULL, NULL},
};

const struct cmd cmd_events_import = {
    .name = "import",
    .summary = "make events from a program's log",
    .usage =
        "tacho events import LOG [--model M] [--concurrency N] [--commit-sha S] [--env-hash H]\n"
        "                    [--graph-enabled BOOL] [--runtime-flags JSON] [-o OUT]",
    .about =
        "Reads lines such as '[unified-prof] iter#1 items=32 total=28000us | sample=20 (us)'. The "
        "tag becomes the event's name (unified_prof), timings become stage_us in microseconds, and "
        "other key=value pairs become shape. The whole line is kept as source_line. A number is a "
        "timing if it has a unit (ns, us, ms, s), or if its part of the line ends with a unit in "
        "parentheses.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .run = run_import,
};
