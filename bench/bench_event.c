/* Profile events: checking every line of 200 MB, in memory against JSON parsers that do no more
   than parse, and from a file on one thread and two, with what the process held at most. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <tacho/event.h>

#include "bench.h"
#include "event/scan.h"
#include "event_file.h"
#include "json_input.h"
#include "peers.h"

enum { SIZE = 200 * 1000 * 1000, QUICK_SIZE = 20 * 1000 * 1000 };

typedef bool check_fn(void *state, const char *line, size_t len);

/* Every line to `check`, all of which must be sound. */
static int each_line(const struct json_input *in, check_fn *check, void *state)
{
    const char *end = in->text + in->len;
    const char *line = in->text;

    while (line < end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));

        if (!check(state, line, (size_t)(stop - line)))
            return -1;
        line = stop + 1;
    }
    return 0;
}

static bool check_event(void *state, const char *line, size_t len)
{
    tacho_event event;

    (void)state;
    return tacho_event_parse(line, len, &event, NULL) == 0;
}

static int check_events(void *work, void *state)
{
    return each_line(work, check_event, state);
}

struct session {
    const struct json_peer *peer;
    void *parser;
};

static void *open_peer(void *work, void *arg)
{
    struct session *s = calloc(1, sizeof *s);

    (void)work;
    if (!s)
        return NULL;
    s->peer = arg;
    s->parser = s->peer->open();
    if (s->parser)
        return s;
    free(s);
    return NULL;
}

static int parse_lines(void *work, void *state)
{
    const struct session *s = state;

    return each_line(work, s->peer->parse, s->parser);
}

static void close_peer(void *state)
{
    struct session *s = state;

    s->peer->close(s->parser);
    free(s);
}

static struct bench_contender peer(const struct json_peer *of)
{
    return (struct bench_contender){
        .name = of->name,
        .role = BENCH_PEER,
        .missing = of->missing,
        .arg = (void *)of,
        .setup = open_peer,
        .run = of->open ? parse_lines : NULL,
        .teardown = close_peer,
    };
}

static int compare(struct json_input *in, const struct bench_options *options)
{
    const struct bench_contender contenders[] = {
        {.name = "tacho, every check", .role = BENCH_OURS, .run = check_events},
        peer(&peer_simdjson),
        peer(&peer_jsonc),
    };
    const struct bench_target targets[] = {{"tacho, every check", peer_jsonc.name, 8}};
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
