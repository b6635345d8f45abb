/* tacho stats: reads a column of numbers and prints their distribution. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/u128.h"
#include "cli/cmds.h"
#include "kit/measure/hdr_log.h"
#include "kit/stats/dependence.h"
#include "stats_view.h"

enum {
    OUT_MAX = 1 << 20,
    NINES_MAX = 18,
    DEFAULT_MEMORY = 256,
    DEPENDENCE_MOST = 1 << 20, /* so many numbers show their dependence */
};

static const char *const unit_names[] = {"none", "ns", "us", "ms", "s", NULL};
static const double unit_sizes[] = {0, 1, 1e3, 1e6, 1e9};

/* Parses a percentile: "99.9" gives 999 / 1000. */
static bool parse_percentile(const char *text, size_t len, struct tch_percentile *ret)
{
    uint64_t digits = 0;
    uint64_t scale = 1;
    bool point = false;
    size_t count = 0;

    if (len == 0 || len >= sizeof ret->text)
        return false;
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '.' && !point && i > 0 && i + 1 < len) {
            point = true;
        } else if (text[i] >= '0' && text[i] <= '9' && count++ < NINES_MAX) {
            digits = digits * 10 + (uint64_t)(text[i] - '0');
            scale *= point ? 10 : 1;
        } else {
            return false;
        }
    }
    if (scale > UINT64_MAX / 100 || digits > 100 * scale)
        return false;
    *ret = (struct tch_percentile){.num = digits, .den = 100 * scale};
    memcpy(ret->text, text, len);
    return true;
}

static int parse_percentiles(struct tch_stats_report *job, const char *list,
                             const struct args *args)
{
    job->count = 0;
    for (;;) {
        size_t len = strcspn(list, ",");

        if (job->count == TCH_STATS_PERCENTILES)
            return cli_wrong_usage(args, "more than %d percentiles", TCH_STATS_PERCENTILES);
        if (!parse_percentile(list, len, &job->percentiles[job->count++]))
            return cli_wrong_usage(args, "'%.*s' is not a percentile from 0 to 100", (int)len,
                                   list);
        if (!list[len])
            return EXIT_OK;
        list += len + 1;
    }
}

static int take_percentiles(void *into, const struct args *args, const struct opt *opt)
{
    (void)opt;
    return parse_percentiles(into, args->value, args);
}

static void add_values(void *ctx, const double *values, size_t n)
{
    tch_stream_add_all(ctx, values, n);
}

/* Adds up the histograms of a log. --column is the tag of its lines. */
static int read_log(struct tch_stats_report *job, struct tch_lines *lines, tacho_error *err)
{
    struct tch_hdr_log log;
    int status = tch_hdr_log_read(lines, job->column, job->skip, &log, err);

    for (size_t i = 0; status == 0 && i < log.count; i++)
        status =
            tch_stream_add_weight(&job->stream, log.buckets[i].middle, log.buckets[i].count, err);
    job->stream.min = (double)log.min;
    job->stream.max = (double)log.max;
    job->intervals = log.intervals;
    job->relative = log.relative;
    job->coarse = (double)log.coarse;
    job->found = (struct tch_numbers){.skipped = log.skipped, .first_skipped = log.first_skipped};
    if (job->column)
        snprintf(job->found.column, sizeof job->found.column, "%s", job->column);
    tch_hdr_log_release(&log);
    return status;
}

static int read_lines(struct tch_stats_report *job, struct tch_lines *lines, tacho_error *err)
{
    struct tch_line first;
    int status = tch_lines_peek(lines, &first, err);

    if (status > 0 && first.too_long)
        status = tch_fail(err, TACHO_EPARSE, 1, "the line is too long");
    if (status < 0)
        return status;
    if (status > 0 && tch_hdr_log_starts(first.text, first.len))
        return read_log(job, lines, err);
    return tch_numbers_read(lines, job->column, job->skip, add_values, &job->stream, &job->found,
                            err);
}

static int read_file(struct tch_stats_report *job)
{
    const char *name = job->file ? job->file : "standard input";
    int fd = job->file ? open(job->file, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    struct tch_lines lines;
    tacho_error err;
    int status;

    if (fd < 0) {
        char why[128];

        cli_complain(NULL, "cannot read '%s': %s", name, strerror_r(errno, why, sizeof why));
        return EXIT_WORK;
    }
    tch_lines_init_fd(&lines, fd, name, 0);
    status = read_lines(job, &lines, &err);
    tch_lines_release(&lines);
    if (job->file)
        close(fd);
    if (status < 0) {
        if (status == TACHO_EIO)
            cli_complain(NULL, "%s", err.message); /* the message names the file */
        else
            cli_complain(&err, "cannot read '%s'", name);
        if (status == TACHO_EPARSE)
            cli_complain(NULL, "use --skip to skip and count such lines");
        return status == TACHO_EINVAL ? EXIT_USAGE : EXIT_WORK;
    }
    if (job->stream.n == 0) {
        cli_complain(NULL, "there are no numbers in '%s'", name);
        return EXIT_WORK;
    }
    return EXIT_OK;
}

/* Returns whether the name up to `end` is "per" or ends with "_per". */
static bool ends_with_per(const char *name, const char *end)
{
    return end - name >= 3 && memcmp(end - 3, "per", 3) == 0 && (end - name == 3 || end[-4] == '_');
}

/* Finds the unit in a column's name, such as wall_time_us. A rate such as tokens_per_s is not a
   time. */
static void find_unit(struct tch_stats_report *job)
{
    const char *name = job->found.column;
    const char *end = strrchr(name, '_');
    int index = job->unit                          ? cli_choice_index(unit_names, job->unit)
                : end && !ends_with_per(name, end) ? cli_choice_index(unit_names, end + 1)
                                                   : -1;

    job->unit_ns = index > 0 ? unit_sizes[index] : 0;
    job->unit = index > 0 ? unit_names[index] : NULL;
}

/* Returns n num / den, computed exactly and rounded up. */
static uint64_t rank_of(uint64_t n, const struct tch_percentile *p)
{
    uint64_t rank = tch_u128_div(tch_u128_add(tch_u128_mul(n, p->num), p->den - 1), p->den);

    return rank < 1 ? 1 : rank > n ? n : rank;
}

/* Computes the standard deviation, and bounds its error and that of the MAD. Each value is known to
   `relative` or `coarse`. A value's distance from the median has the errors of both, and a value at
   the distance of the MAD is at most median + mad. By the triangle inequality, the standard
   deviation is wrong by at most the root mean square of the values' errors. Without a histogram log
   it is exact. */
static void find_spread(struct tch_stats_report *job)
{
    double n = (double)job->stream.n;
    double sd = tch_stream_stddev(&job->stream);
    double rms = hypot(tch_stream_mean(&job->stream), sd);

    job->sd = job->definition == TCH_STATS_REFERENCE ? sd * sqrt((n - 1) / n) : sd;
    if (job->intervals > 0)
        job->sd_error = job->relative * rms + job->coarse;
    if (!tch_stream_exact(&job->stream))
        job->mad_error = job->relative * (2 * fabs(job->median) + job->mad) + 2 * job->coarse;
}

/* Adds the numbers that coordinated omission left out. */
static int correct_omission(struct tch_stats_report *job, const struct args *args)
{
    tacho_error err;

    if (job->interval_ns == 0)
        return EXIT_OK;
    if (job->unit_ns == 0)
        return cli_wrong_usage(args, "--expected-interval needs the unit of the numbers: --unit");
    if (tch_stream_correct(&job->stream, (double)job->interval_ns / job->unit_ns, &job->added,
                           &err) < 0) {
        cli_complain(&err, "cannot correct for the expected interval");
        return EXIT_WORK;
    }
    if (!tch_stream_exact(&job->stream) && job->intervals == 0)
        job->relative = TCH_STREAM_ERROR;
    /* An added number has the error of the number from which it was computed. */
    job->coarse = fmax(job->coarse, job->relative * job->stream.max);
    return EXIT_OK;
}

/* Measures how much the numbers depend on the one before, from the first ones. The order of numbers
   from a histogram is not known. */
static int find_dependence(struct tch_stats_report *job, tacho_error *err)
{
    size_t n = job->stream.n < DEPENDENCE_MOST ? (size_t)job->stream.n : DEPENDENCE_MOST;
    double *room;

    if (!tch_stream_exact(&job->stream) || job->added > 0) {
        job->assumes = "independent numbers";
        return 0;
    }
    room = malloc(2 * n * sizeof *room);
    if (!room)
        return tch_fail_memory(err);
    job->rho = tch_dependence(job->stream.values, n, room);
    free(room);
    job->assumes = job->rho >= TCH_DEPENDENCE_STRONG ? "weaker dependence"
                   : n < TCH_DEPENDENCE_SURE         ? "independent numbers"
                                                     : NULL;
    return 0;
}

/* Finds the value and the interval of every percentile, all in one pass over the ranks. */
static int find_percentiles(struct tch_stats_report *job, tacho_error *err)
{
    uint64_t ranks[3 * TCH_STATS_PERCENTILES];
    double values[3 * TCH_STATS_PERCENTILES];
    uint64_t n = job->stream.n;
    size_t count = job->count;
    int status = tch_stream_median(&job->stream, &job->median, err);

    for (size_t i = 0; i < count; i++) {
        const struct tch_percentile *p = &job->percentiles[i];
        struct tch_rank_interval at;
        bool known = tch_dependent_interval(n, (double)p->num / (double)p->den, 0.05, job->rho, &at,
                                            NULL) == 0;

        ranks[3 * i] = rank_of(n, p);
        ranks[3 * i + 1] = known ? at.low + 1 : 1;
        ranks[3 * i + 2] = known ? at.high + 1 : n;
        job->percentiles[i].low = known ? 0 : NAN;
    }
    if (status == 0)
        status = tch_stream_at(&job->stream, ranks, 3 * count, values, err);
    for (size_t i = 0; status == 0 && i < count; i++) {
        struct tch_percentile *p = &job->percentiles[i];

        p->value = p->num * 2 == p->den && job->definition == TCH_STATS_TACHO ? job->median
                                                                              : values[3 * i];
        p->high = isnan(p->low) ? NAN : values[3 * i + 2];
        p->low = isnan(p->low) ? NAN : values[3 * i + 1];
    }
    if (status == 0)
        status = tch_stream_mad(&job->stream, job->median, &job->mad, err);
    if (status == 0)
        find_spread(job);
    return status;
}

/* Sets the bins of the histogram: equal steps or, if a few numbers are far above the rest, equal
   factors. */
static void find_bins(struct tch_stats_report *job)
{
    double min = job->stream.min;
    double max = job->stream.max;
    bool by_factor = min > 0 && max / job->median > 20;

    for (int i = 0; i <= TCH_STATS_BINS; i++) {
        double share = (double)i / TCH_STATS_BINS;

        job->edges[i] = by_factor ? min * pow(max / min, share) : min + (max - min) * share;
    }
    job->edges[0] = min;
    job->edges[TCH_STATS_BINS] = nextafter(max, INFINITY);
    tch_stream_below(&job->stream, job->edges, TCH_STATS_BINS + 1, job->below);
}

static int run_stats(struct args *args)
{
    struct tch_stats_report job = {.memory = (uint64_t)DEFAULT_MEMORY << 20};
    int status = parse_percentiles(&job, "50,90,95,99,99.9", args);
    struct tch_buf b;
    tacho_error err;

    if (status == EXIT_OK)
        status = cli_set_opts(args, &job, NULL);
    if (args->count > 0 && strcmp(args->operands[0], "-") != 0)
        job.file = args->operands[0];
    if (status != EXIT_OK)
        return status;
    if (tch_stream_init(&job.stream, (size_t)job.memory, &err) < 0) {
        cli_complain(&err, "cannot allocate the buffer of --memory");
        return EXIT_WORK;
    }
    status = read_file(&job);
    if (status != EXIT_OK)
        goto out;
    find_unit(&job);
    status = correct_omission(&job, args);
    if (status != EXIT_OK)
        goto out;
    if (!tch_stream_exact(&job.stream) && job.intervals == 0)
        job.relative = TCH_STREAM_ERROR;
    if (find_dependence(&job, &err) < 0 || find_percentiles(&job, &err) < 0) {
        cli_complain(&err, "cannot find the percentiles");
        status = EXIT_WORK;
        goto out;
    }
    if (args->json || (!job.no_histogram && !args->quiet))
        find_bins(&job);
    tch_buf_init(&b, OUT_MAX);
    if (args->json)
        tch_stats_json(&b, &job);
    else
        cli_add_stats(&b, &job, args);
    status = cli_print(&b);
out:
    tch_stream_release(&job.stream);
    return status;
}

static const struct opt opts[] = {
    {.name = "column",
     .letter = 'c',
     .arg = "NAME|N",
     .help =
         "read this CSV column (name or number), key of JSON objects, or tag of a histogram log",
     CLI_TEXT(struct tch_stats_report, column)},
    {.name = "percentiles",
     .letter = 'p',
     .arg = "LIST",
     .help = "print these percentiles, with any number of digits (default 50,90,95,99,99.9)",
     .take = take_percentiles},
    {.name = "unit",
     .letter = 'u',
     .arg = "UNIT",
     .help = "take the numbers as UNIT (default: from the name of a column such as wall_time_us)",
     .choices = unit_names,
     CLI_TEXT(struct tch_stats_report, unit)},
    {.name = "definition",
     .arg = "NAME",
     .help = "define p50 and sd as tacho does, or as ruvector-profiler and <tacho/latency.h> do: "
             "p50 is nearest-rank like all percentiles, sd is divided by n (default tacho)",
     CLI_CHOICE(struct tch_stats_report, definition, tch_stats_definitions)},
    {.name = "expected-interval",
     .arg = "DURATION",
     .help =
         "correct for coordinated omission: add the requests that slow ones delayed, given that "
         "one was to be sent every DURATION",
     .set = CLI_SET(struct tch_stats_report, interval_ns, .kind = TCH_SET_DURATION, .least = 1),
     .not_a = "a duration such as 10ms"},
    {.name = "memory",
     .arg = "SIZE",
     .help = "keep at most SIZE of numbers, then use a histogram (default 256MiB)",
     .set = CLI_SET(struct tch_stats_report, memory, .kind = TCH_SET_SIZE),
     .not_a = "a size such as 256MiB"},
    {.name = "skip",
     .help = "skip lines without a number, and count them",
     CLI_FLAG(struct tch_stats_report, skip)},
    {.name = "no-histogram",
     .help = "do not draw a histogram",
     CLI_FLAG(struct tch_stats_report, no_histogram)},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "FILE",
     .help = "numbers, CSV, JSON lines or an HdrHistogram log (default or '-': standard input)",
     .optional = true,
     .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho stats latency.csv", "Show the wall times of a benchmark."},
    {"tacho stats -c stage_us.decode -u us profile.jsonl", "Show a stage of profile events."},
    {"tacho stats -u ns latency.hlog", "Add up all intervals of an HdrHistogram log."},
    {"seq 1000000 | tacho stats -p 50,99.999", "Read numbers from a pipe."},
    {NULL, NULL},
};

const struct cmd cmd_stats = {
    .name = "stats",
    .summary = "print latency statistics of a column of numbers",
    .usage = "tacho stats [--column NAME|N] [--percentiles LIST] [--unit UNIT] [--json] [FILE]",
    .about =
        "Reads numbers from plain lines, a column of a CSV file or a key of JSON lines, and "
        "prints percentiles (each with its 95 % interval by binomial order statistics), mean, "
        "standard deviation (sd, of a sample: divided by n - 1), median absolute deviation, and a "
        "histogram. p50 is the median, the mean of the two middle numbers of an even count; all "
        "other percentiles are nearest-rank. The tables of tacho run use the same definitions.\n\n"
        "While the numbers fit into --memory the results are exact. Beyond that, percentiles come "
        "from a histogram and are within 0.39 %, and the row of the MAD shows its largest error. "
        "The first line of the output says which of the two applies.\n\n"
        "A log of HdrHistogram (.hlog, version 2 of the format, 2 to 5 digits) can be read, too. "
        "The histograms of all lines without a tag, or with the tag given by --column, are added "
        "up. Their buckets are kept as they are.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .json = true,
    .run = run_stats,
};
