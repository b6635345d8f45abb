/* tacho events follow: prints events as they are written, one line each. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/json_read.h"
#include "base/utf8.h"
#include "cli/core/text.h"
#include "cmd_events_parts.h"
#include "kit/text/human_number.h"
#include "lib/event/event_parse.h"

enum {
    PAUSE_MS = 100,
    TAIL = 10,              /* events shown at the start */
    TAIL_BYTES = 256 << 10, /* the part at the end of the file that is searched for them */
    READ = 64 << 10,
    OUT_MAX = 64 << 20,
};

struct follow {
    struct args *args;
    const char *path;
    const char *only;
    int fd;
    struct tch_buf rest; /* a line whose end was not read yet */
    uint64_t offset;
    bool from_start;
    bool too_long; /* the line exceeds the limit, so the rest of it is skipped */
};

/* Adds " name=value" for each member that is neither an object nor an array. */
static void add_members(struct tch_buf *b, tacho_raw object, bool times)
{
    struct tch_json_reader r;
    struct tch_json_value key;
    struct tch_json_value value;

    tch_json_open(&r, object.text, object.len, NULL);
    tch_json_read(&r, &key);
    while (tch_json_member(&r, &key) > 0 && tch_json_read_raw(&r, &value) == 0) {
        if (value.type == TCH_JSON_OBJECT || value.type == TCH_JSON_ARRAY)
            continue;
        tch_buf_addc(b, ' ');
        tch_json_unescape(&key, b);
        tch_buf_addc(b, '=');
        if (times && value.type == TCH_JSON_NUMBER && tch_json_to_f64(&value) >= 0) {
            tch_add_value(b, TCH_NS, tch_json_to_f64(&value) * 1000);
        } else if (value.type == TCH_JSON_STRING) {
            struct tch_json_value text = tch_raw_string((tacho_raw){value.text, value.len});

            tch_json_unescape(&text, b);
        } else {
            tch_buf_add(b, value.text, value.len);
        }
    }
}

static void print_event(struct follow *f, const tacho_event_view *event)
{
    const struct term *term = &f->args->out;
    struct tch_json_value name = tch_raw_string(event->event);
    struct tch_buf line;
    struct tch_buf out;

    if (f->only && !tch_json_is(&name, f->only))
        return;
    tch_buf_init(&line, OUT_MAX);
    tch_buf_init(&out, OUT_MAX);
    tch_json_unescape(&name, &line);
    tch_buf_addc(&line, ':');
    add_members(&line, event->stage_us, true);
    tch_buf_adds(&line, " |");
    add_members(&line, event->shape, false);
    cli_add_clean(&out, line.data, term->utf8);
    tch_buf_clear(&line);
    cli_add_cut(&line, out.data, out.len, term->width > 0 ? term->width : OUT_MAX, term->utf8);
    tch_buf_addc(&line, '\n');
    cli_print(&line);
    tch_buf_release(&out);
    fflush(stdout); /* the reader of a pipe should see the event at once */
}

static void show_line(struct follow *f, const char *text, size_t len)
{
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    tacho_error err;
    bool torn;

    if (tch_utf8_is_blank(text, len))
        return;
    if (tch_event_salvage(text, len, &event, &torn, &err) == 0)
        print_event(f, &event);
    else
        cli_warn("%s: %s", f->path, err.message);
}

/* Handles every line that ends in data. The incomplete rest waits in f->rest. */
static void take_data(struct follow *f, const char *data, size_t len)
{
    const char *end = data + len;
    const char *lf;

    while ((lf = memchr(data, '\n', (size_t)(end - data)))) {
        tch_buf_add(&f->rest, data, (size_t)(lf - data));
        if (f->rest.failed || f->too_long)
            cli_warn("%s: a line of more than %d bytes was skipped", f->path, TCH_EVENT_MAX);
        else
            show_line(f, f->rest.data, f->rest.len);
        tch_buf_clear(&f->rest);
        f->too_long = false;
        data = lf + 1;
    }
    tch_buf_add(&f->rest, data, (size_t)(end - data));
    if (f->rest.failed) {
        f->too_long = true;
        tch_buf_clear(&f->rest);
    }
}

/* Reads all that the file contains now. Returns the number of bytes, or -1 after an error message.
 */
static int64_t read_more(struct follow *f)
{
    static char data[READ];
    int64_t total = 0;
    ssize_t n;

    while ((n = read(f->fd, data, sizeof data)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            tacho_error err;

            tch_fail_errno(&err, errno, "cannot read '%s'", f->path);
            cli_complain(NULL, "%s", err.message);
            return -1;
        }
        take_data(f, data, (size_t)n);
        total += n;
        if (ferror(stdout))
            break;
    }
    f->offset += (uint64_t)total;
    return total;
}

/* Moves to the start of the last few events. */
static void seek_tail(struct follow *f)
{
    static char data[TAIL_BYTES];
    off_t end = lseek(f->fd, 0, SEEK_END);
    off_t start = end > TAIL_BYTES ? end - TAIL_BYTES : 0;
    ssize_t n = end > 0 ? pread(f->fd, data, (size_t)(end - start), start) : 0;
    ssize_t at = n;

    for (int lines = 0; at > 0 && lines <= TAIL; at--)
        lines += data[at - 1] == '\n';
    /* Continue after the line feed before these events, or at the start of the file if there is
       none. */
    if (at > 0)
        at++;
    else if (start > 0) {
        const char *lf = n > 0 ? memchr(data, '\n', (size_t)n) : NULL;

        at = lf ? lf + 1 - data : 0;
    }
    f->offset = (uint64_t)(start + at);
    lseek(f->fd, start + at, SEEK_SET);
}

/* Resets the state, so that the next byte starts a line. */
static void begin_anew(struct follow *f)
{
    f->offset = 0;
    f->too_long = false;
    tch_buf_clear(&f->rest);
}

/* Starts again from the beginning if the file was replaced or truncated. Returns 0, or -1 after an
   error message. */
static int look_again(struct follow *f)
{
    struct stat now;
    struct stat open_one;
    int fd;

    if (fstat(f->fd, &open_one) < 0)
        return 0;
    if ((uint64_t)open_one.st_size < f->offset) {
        cli_warn("%s: the file was truncated; reading it from its start", f->path);
        lseek(f->fd, 0, SEEK_SET);
        begin_anew(f);
    }
    if (stat(f->path, &now) < 0 || (now.st_ino == open_one.st_ino && now.st_dev == open_one.st_dev))
        return 0;
    fd = open(f->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return 0;
    if (read_more(f) < 0) { /* events written just before the file was replaced */
        close(fd);
        return -1;
    }
    if (f->rest.len > 0)
        show_line(f, f->rest.data, f->rest.len);
    cli_warn("%s: the file was replaced; reading the new one", f->path);
    close(f->fd);
    f->fd = fd;
    begin_anew(f);
    return 0;
}

static int follow_file(struct follow *f)
{
    struct stat st;
    bool file = fstat(f->fd, &st) == 0 && S_ISREG(st.st_mode) && f->fd != STDIN_FILENO;

    if (file && !f->from_start)
        seek_tail(f);
    for (;;) {
        int64_t n = read_more(f);

        if (n < 0)
            return EXIT_WORK;
        if (ferror(stdout))
            return EXIT_OK; /* the reader of stdout is gone; if the disk is full, main() reports it
                             */
        if (n == 0 && !file)
            break;
        if (n == 0) {
            poll(NULL, 0, PAUSE_MS);
            if (look_again(f) < 0)
                return EXIT_WORK;
        }
    }
    if (f->rest.len > 0)
        show_line(f, f->rest.data, f->rest.len);
    return EXIT_OK;
}

static int run_follow(struct args *args)
{
    struct follow f = {.args = args, .path = args->operands[0]};
    int status;

    cli_set_opts(args, &f, NULL);
    f.fd = cli_events_open(f.path);
    if (f.fd < 0)
        return EXIT_WORK;
    tch_buf_init(&f.rest, TCH_EVENT_MAX);
    status = follow_file(&f);
    tch_buf_release(&f.rest);
    cli_events_close(f.fd);
    return status;
}

static const struct opt opts[] = {
    EVENTS_EVENT_OPT(struct follow, only),
    {.name = "from-start",
     .help = "show all events of the file, not only the last ten",
     CLI_FLAG(struct follow, from_start)},
    {.name = NULL},
};

static const struct arg operands[] = {
    {.name = "FILE",
     .help = "the file that events are written to; - for standard input",
     .complete = COMPLETE_FILE},
    {.name = NULL},
};

static const struct example examples[] = {
    {"tacho events follow profile.jsonl", "Watch the events of a running program."},
    {NULL, NULL},
};

const struct cmd cmd_events_follow = {
    .name = "follow",
    .summary = "show events as they are written",
    .usage = "tacho events follow [--event E] [--from-start] FILE",
    .about =
        "Prints one line per event: its name, its stages, then its shape. Shows the last ten "
        "events and then waits for more, like 'tail -f', until it is interrupted. A file that is "
        "replaced or truncated is read again from its start. A pipe is read to its end.",
    .opts = opts,
    .args = operands,
    .examples = examples,
    .run = run_follow,
};
