/* Measures checking every line of 200 MB of profile events: in memory, compared with JSON parsers
   that only parse, and from a file on one and two threads, with the peak memory. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tacho/event.h>

#include "bench.h"
#include "event_file.h"
#include "json_lines.h"
#include "kit/event/event_scan.h"

enum { SIZE = 200 * 1000 * 1000, QUICK_SIZE = 20 * 1000 * 1000 };

/* The checker has no state, so any pointer but NULL will do. */
static void *open_checker(void)
{
    return malloc(1);
}

static bool check_event(void *checker, const char *line, size_t len)
{
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;

    (void)checker;
    return tacho_event_parse(line, len, &event, NULL) == 0;
}

static const struct json_peer ours = {"tacho, every check", NULL, open_checker, check_event, free};

static int compare(struct json_input *in, const struct bench_options *options)
{
    const struct bench_contender contenders[] = {
        json_contender(BENCH_OURS, &ours),
        json_contender(BENCH_PEER, &peer_simdjson),
        json_contender(BENCH_PEER, &peer_jsonc),
    };
    const struct bench_target targets[] = {
        {ours.name, peer_simdjson.name, 1},
        {ours.name, peer_jsonc.name, 8},
    };
    const struct bench_case c = {
        .name = "events: validating lines of 388 bytes; the peers only parse",
        .work = in,
        .bytes = in->len,
        .operations = in->lines,
        .operation = "line",
        .contenders = contenders,
        .contender_count = sizeof contenders / sizeof contenders[0],
        .targets = targets,
        .target_count = sizeof targets / sizeof targets[0],
    };

    return bench_compare(&c, options);
}

int main(int argc, char **argv)
{
    struct bench_options options;
    struct json_input in;
    int status = -1;

    if (bench_parse(&argc, argv, &options) < 0)
        return 64;
    if (argc == 4 && strcmp(argv[1], "--scan") == 0)
        return event_file_scan(argv[2], argv[3]) < 0 ? 1 : 0;
    if (argc > 1) {
        fputs("usage: bench_event [--rounds N] [--quick] [--json]\n", stderr);
        return 64;
    }
    if (json_input_events(&in, options.quick ? QUICK_SIZE : SIZE) == 0) {
        status = compare(&in, &options);
        if (status == 0)
            status = event_file_compare(argv[0], &in, &options);
    }
    json_input_release(&in);
    return status < 0 ? 1 : 0;
}
