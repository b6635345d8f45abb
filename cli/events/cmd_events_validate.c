/* tacho events validate: checks that every line is a valid event and that all required groups
   occur. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/text.h"
#include "cmd_events_parts.h"
#include "kit/event/event_json.h"
#include "lib/event/event_parse.h"

enum {
    JSON_ERRORS = 10000, /* limit of errors listed by --json, unless --max-errors is given */
    MOST_GROUPS = 1000,
    OUT_MAX = 64 << 20,
};

struct validate {
    struct args *args;
    unsigned jobs;
    uint64_t max_errors;
    const char *required[MOST_GROUPS];
    size_t required_count;
    /* One per thread; the first is the union in the end. */
    tacho_event_groups *groups[TCH_SCAN_THREADS];

    const char *path; /* the file being read */
    uint64_t listed;  /* errors of that file that were listed */
    struct tch_buf json;
    struct tch_scan_counts total;
    bool unreadable;
};

static int add_groups_of(void *groups, const tacho_event_view *event, tacho_error *err)
{
    (void)err;
    tacho_event_groups_see(groups, event);
    return 0;
}

static void report_bad(void *ctx, const tacho_error *why)
{
    struct validate *v = ctx;
    struct tch_buf b;

    if (v->listed >= v->max_errors)
        return;
    v->listed++;
    if (v->args->json) {
        tch_validate_json_error(&v->json, why);
        return;
    }
    tch_buf_init(&b, OUT_MAX);
    cli_add_clean(&b, v->path, v->args->out.utf8);
    tch_buf_addf(&b, ":%" PRIu64 ": ", why->line);
    cli_add_clean(&b, why->message, v->args->out.utf8);
    tch_buf_addc(&b, '\n');
    cli_print(&b);
}

static uint64_t faulty_lines(const struct tch_scan_counts *c)
{
    return c->bad + c->salvaged;
}

static void print_counts(const struct validate *v, const char *name,
                         const struct tch_scan_counts *c, uint64_t listed)
{
    uint64_t left_out = faulty_lines(c) - listed;
    struct tch_buf b;

    tch_buf_init(&b, OUT_MAX);
    cli_add_clean(&b, name, v->args->out.utf8);
    tch_buf_addf(&b, ": %" PRIu64 " events, %" PRIu64 " bad lines", c->events, c->bad);
    if (c->torn > 0)
        tch_buf_addf(&b, ", %" PRIu64 " torn (%" PRIu64 " events salvaged)", c->torn, c->salvaged);
    if (left_out > 0)
        tch_buf_addf(&b, "; %" PRIu64 " messages not shown", left_out);
    tch_buf_addc(&b, '\n');
    cli_print(&b);
}

static void validate_file(struct validate *v, const char *path)
{
    const struct tch_scan scan = {
        .threads = v->jobs,
        .workers = (void *const *)v->groups,
        .event = v->required_count > 0 ? add_groups_of : NULL,
        .bad = report_bad,
        .ctx = v,
    };
    struct tch_scan_counts counts = {0};
    int fd = cli_events_open(path);
    tacho_error err;
    bool readable = fd >= 0;

    v->path = path;
    v->listed = 0;
    tch_validate_json_file(&v->json, path);
    if (readable && tch_scan_fd(fd, path, &scan, &counts, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        readable = false;
    }
    cli_events_close(fd);
    tch_validate_json_file_end(&v->json, readable, &counts, v->listed);
    v->unreadable |= !readable;
    cli_events_add_counts(&v->total, &counts);
    if (readable && !v->args->json && !v->args->quiet)
        print_counts(v, path, &counts, v->listed);
}

/* Splits "A,B" into names. The copy lives until the process exits. */
static int take_groups(void *into, const struct args *args, const struct opt *opt)
{
    struct validate *v = into;

    (void)opt;
    for (char *name = (char *)args->value; name;) {
        char *comma = strchr(name, ',');

        if (comma)
            *comma++ = '\0';
        if (!*name)
            return cli_wrong_usage(args, "--require contains an empty group name");
        if (v->required_count == MOST_GROUPS)
            return cli_wrong_usage(args, "--require takes at most %d groups", MOST_GROUPS);
        v->required[v->required_count++] = name;
        name = comma;
    }
    return EXIT_OK;
}

/* Prints "missing profile event groups: a, b", whatever their number and length. */
static void print_missing(const struct validate *v, const char *name)
{
    const char *before = "missing profile event groups: ";
    struct tch_buf b;

    tch_buf_init(&b, OUT_MAX);
    for (; name; name = tacho_event_groups_missing(v->groups[0], name)) {
        tch_buf_adds(&b, before);
        cli_add_clean(&b, name, v->args->out.utf8);
        before = ", ";
    }
    tch_buf_addc(&b, '\n');
    cli_print(&b);
}

static int print_result(struct validate *v)
{
    const char *missing;
    bool valid;

    for (unsigned i = 1; i < v->jobs; i++)
        tch_event_groups_merge(v->groups[0], v->groups[i]);
    missing = tacho_event_groups_missing(v->groups[0], NULL);
    valid = !missing && !v->unreadable && faulty_lines(&v->total) == 0;
    if (v->args->json) {
        tch_validate_json_end(&v->json, v->groups[0], valid);
        if (cli_print(&v->json) != EXIT_OK)
            return EXIT_WORK;
    }
    if (!v->args->json && missing)
        print_missing(v, missing);
    if (!v->args->json && !v->args->quiet && v->args->count > 1)
        print_counts(v, "all files", &v->total, faulty_lines(&v->total));
    if (v->unreadable)
        return EXIT_WORK;
    return valid ? EXIT_OK : EXIT_CHECK;
}

static int run_validate(struct args *args)
{
    struct validate *v = calloc(1, sizeof *v);
    tacho_error err;
    int status;

    if (!v)
        return cli_no_memory();
    v->args = args;
    v->jobs = cli_events_default_jobs();
    v->max_errors = args->json ? JSON_ERRORS : UINT64_MAX;
    tch_buf_init(&v->json, OUT_MAX);
    status = cli_set_opts(args, v, NULL);
    for (unsigned i = 0; i < v->jobs && status == EXIT_OK; i++)
        if (tacho_event_groups_new(v->required, v->required_count, &v->groups[i], &err) < 0) {
            cli_complain(NULL, "%s", err.message);
            status = EXIT_WORK;
        }
    if (status == EXIT_OK) {
        tch_validate_json_begin(&v->json);
        for (size_t i = 0; i < args->count; i++)
            validate_file(v, args->operands[i]);
        status = print_result(v);
    }
    for (unsigned i = 0; i < TCH_SCAN_THREADS; i++)
        tacho_event_groups_free(v->groups[i]);
    tch_buf_release(&v->json);
    free(v);
    return status;
}

static const struct opt opts[] = {
    EVENTS_JOBS_OPT(struct validate, jobs),
    {.name = "max-errors",
     .arg = "N",
     .help = "show at most N messages per file",
     .set = CLI_SET(struct validate, max_errors, .kind = TCH_SET_U64),
     .rule = "--max-errors needs a number"},
    {.name = "require",
     .arg = "A,B",
     .help = "require events with each of these names (groups), in at least one file",
     .take = take_groups},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "FILE",
     .help = "the events to read; - for standard input",
     .many = true,
     .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "a line is invalid or torn, or a group is missing"},
    {0, NULL},
};

static const struct example examples[] = {
    {"tacho events validate --require unified_prof,bucket_prof profile.jsonl",
     "Check that every line is valid and that both groups occur."},
    {NULL, NULL},
};

const struct cmd cmd_events_validate = {
    .name = "validate",
    .summary = "check every line, and that required groups occur",
    .usage = "tacho events validate [--require A,B] [--max-errors N] [--jobs N] [--json] FILE...",
    .about =
        "Prints FILE:LINE: MESSAGE for each invalid line, continues with the next one, and ends "
        "with counts. A line that a killed program or a full disk left incomplete is called torn. "
        "If a complete event follows the fragment on the same line, the event counts and the line "
        "is still reported.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .exits = exits,
    .json = true,
    .run = run_validate,
};
