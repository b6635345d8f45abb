/* tacho events canon: prints every valid event in canonical form. */
#include <inttypes.h>
#include <stdio.h>

#include "cli/core/clean_out.h"
#include "cmd_events_parts.h"
#include "lib/event/event_canon.h"
#include "lib/event/event_parse.h"

/* The canonical form of a line can be longer than the line: 1e15 becomes 1000000000000000.0. */
enum { LINE_MAX_OUT = 160 << 20 };

/* Prints the next event. Returns 1, 0 at the end of the file, -EXIT_CHECK after a warning about an
   invalid line, or -EXIT_WORK after an error message. */
static int print_next(tacho_event_reader *reader, const char *path, struct tch_buf *b)
{
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    tacho_error err;
    int more = tacho_event_next(reader, &event, &err);

    if (more == TACHO_EPARSE || more == TACHO_ELIMIT) {
        cli_warn("%s:%" PRIu64 ": %s", path, err.line, err.message);
        return -EXIT_CHECK;
    }
    if (more < 0)
        cli_complain(NULL, "%s", err.message);
    if (more <= 0)
        return more < 0 ? -EXIT_WORK : 0;
    tch_buf_clear(b);
    tch_event_canon(b, &event);
    tch_buf_addc(b, '\n');
    if (b->failed) {
        cli_complain(NULL, "out of memory");
        return -EXIT_WORK;
    }
    fwrite(b->data, 1, b->len, stdout);
    if (event.torn == 0)
        return 1;
    cli_warn("%s:%" PRIu64 ": torn line, %" PRIu64 " bytes of an incomplete event were left out",
             path, event.line, event.torn);
    return -EXIT_CHECK;
}

static int run_canon(struct args *args)
{
    const char *path = args->operands[0];
    tacho_event_reader *reader = NULL;
    int fd = cli_events_open(path);
    int status = EXIT_OK;
    struct tch_buf b;
    tacho_error err;

    if (fd < 0)
        return EXIT_WORK;
    cli_stdout_is_data();
    tch_buf_init(&b, LINE_MAX_OUT);
    if (tacho_event_reader_open_fd(fd, path, &reader, &err) < 0) {
        cli_complain(NULL, "%s", err.message);
        status = EXIT_WORK;
    }
    while (status != EXIT_WORK && !ferror(stdout)) {
        int more = print_next(reader, path, &b);

        if (more == 0)
            break;
        if (more < 0)
            status = -more;
    }
    tacho_event_reader_close(reader);
    tch_buf_release(&b);
    cli_events_close(fd);
    return status;
}

static const struct arg operands[] = {
    {.name = "FILE", .help = "the events to read; - for standard input", .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct exit_note exits[] = {
    {EXIT_CHECK, "a line is invalid or torn; the others were printed"},
    {0, NULL},
};

static const struct example examples[] = {
    {"tacho events canon a.jsonl | cmp - <(tacho events canon b.jsonl)",
     "Check whether two files contain the same events, whatever their order of fields and their "
     "spelling."},
    {NULL, NULL},
};

const struct cmd cmd_events_canon = {
    .name = "canon",
    .summary = "print each event in canonical form",
    .usage = "tacho events canon FILE",
    .about =
        "Prints the fields of each event in a fixed order, without unknown fields. Keys of shape "
        "and stage_us are sorted by bytes. Numbers have their shortest form. There are no "
        "unnecessary escapes or blanks. Invalid lines are reported on stderr.",
    .args = operands,
    .examples = examples,
    .exits = exits,
    .run = run_canon,
};
