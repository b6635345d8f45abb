/* Finds out what stdout and stderr can display, adds colours, and prints messages on stderr. */
#include "term.h"

#include <errno.h>
#include <stdarg.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/number.h"
#include "clean_out.h"
#include "cmd.h"
#include "process/exit_text.h"
#include "progress.h"
#include "text.h"

enum { MESSAGE_MAX = 4096 };

static const char *env_text(const char *name)
{
    const char *text = getenv(name);

    return text && *text ? text : NULL;
}

/* The first of the three that is set decides, as in setlocale(), which would load tables that we do
   not need. */
static bool locale_is_utf8(void)
{
    const char *name = env_text("LC_ALL");

    if (!name)
        name = env_text("LC_CTYPE");
    if (!name)
        name = env_text("LANG");
    return name && (strcasestr(name, "utf-8") || strcasestr(name, "utf8"));
}

static size_t find_width(int fd, bool is_tty)
{
    const char *columns = env_text("COLUMNS");
    struct winsize size;
    uint64_t width;

    if (columns && tch_parse_u64(columns, TERM_MAX_WIDTH, &width) == 0 && width >= TERM_MIN_WIDTH)
        return (size_t)width;
    if (is_tty && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= TERM_MIN_WIDTH)
        return size.ws_col;
    return is_tty ? TERM_TEXT_WIDTH : 0;
}

void cli_term_init(struct term *term, int fd, enum when color, size_t width)
{
    const char *kind = env_text("TERM");
    bool is_tty = isatty(fd) == 1;
    bool may_color = is_tty && !env_text("NO_COLOR") && kind && strcmp(kind, "dumb") != 0;

    *term = (struct term){
        .width = width > 0 ? width : find_width(fd, is_tty),
        .is_tty = is_tty,
        .color = color == WHEN_ALWAYS || (color == WHEN_AUTO && may_color),
        .utf8 = locale_is_utf8(),
    };
}

size_t cli_term_text_width(const struct term *term)
{
    enum { MOST = 100 }; /* longer lines of prose are hard to read */

    if (term->width == 0)
        return TERM_TEXT_WIDTH;
    return term->width < MOST ? term->width : MOST;
}

void cli_add_painted(struct tch_buf *b, const struct term *term, enum paint paint, const char *text)
{
    static const char *const codes[] = {
        [BOLD] = "1", [DIM] = "2", [RED] = "31", [GREEN] = "32", [YELLOW] = "33", [CYAN] = "36",
    };

    if (term->color && paint != PLAIN && *text)
        tch_buf_addf(b, "\033[%sm%s\033[0m", codes[paint], text);
    else
        tch_buf_adds(b, text);
}

void cli_add_labelled(struct tch_buf *b, const struct term *term, enum paint paint,
                      const char *label, const char *text)
{
    size_t indent = cli_text_width(label, strlen(label));
    size_t columns = term->width > indent ? term->width - indent : SIZE_MAX;
    struct tch_buf clean;
    size_t from = 0;

    tch_buf_init(&clean, MESSAGE_MAX * 16);
    cli_add_clean(&clean, text, term->utf8);
    cli_add_painted(b, term, paint, label);
    do {
        size_t next;
        size_t len = cli_text_line(clean.data + from, clean.len - from, columns, &next);

        cli_add_blanks(b, from > 0 ? indent : 0);
        tch_buf_add(b, clean.data + from, len);
        tch_buf_addc(b, '\n');
        from += next;
    } while (from < clean.len);
    b->failed |= clean.failed;
    tch_buf_release(&clean);
}

/* Returns whether the error begins with the same words as the text, such as "cannot read 'x': Is a
   directory". */
static bool says_already(const tacho_error *err, const char *text)
{
    size_t len = strlen(text);

    return err->line == 0 && strncmp(err->message, text, len) == 0 && err->message[len] == ':';
}

/* Prints a message in one write, so that lines of several processes on one terminal stay whole. */
static void print_message(const char *prefix, const tacho_error *err, const char *fmt, va_list args)
{
    char raw[MESSAGE_MAX];
    char mem[2 * MESSAGE_MAX];
    struct tch_buf b;

    vsnprintf(raw, sizeof raw, fmt, args);
    if (err && says_already(err, raw)) {
        snprintf(raw, sizeof raw, "%s", err->message);
        err = NULL;
    }
    tch_buf_init_on(&b, mem, sizeof mem, sizeof mem - 1);
    tch_buf_adds(&b, prefix);
    cli_add_clean(&b, raw, locale_is_utf8());
    if (err && err->line > 0)
        tch_buf_addf(&b, ": line %llu", (unsigned long long)err->line);
    if (err && err->column > 0)
        tch_buf_addf(&b, ", column %llu", (unsigned long long)err->column);
    if (err) {
        tch_buf_adds(&b, ": ");
        cli_add_clean(&b, err->message, locale_is_utf8());
    }
    tch_buf_addc(&b, '\n');
    cli_progress_hide();
    fwrite(b.data, 1, b.len, stderr);
    fflush(stderr);
    tch_buf_release(&b);
}

void cli_complain(const tacho_error *err, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    print_message("tacho: ", err, fmt, args);
    va_end(args);
}

int cli_complain_of_status(const char *command, int status)
{
    char how[TCH_EXIT_TEXT];

    cli_complain(NULL, "'%s' %s", command,
                 tch_exit_text(status, "was killed by", "exited with", how));
    return tch_exit_code(status);
}

void cli_warn(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    print_message("tacho: warning: ", NULL, fmt, args);
    va_end(args);
}

int cli_finish_out(int status)
{
    /* Output was lost; reported once, and the exit status is a failure from then on. */
    static bool lost;
    bool failed = ferror(stdout) != 0;
    int number = errno;
    tacho_error err;

    if (fflush(stdout) == EOF) {
        failed = true;
        number = errno;
    }
    cli_clean_end();
    clearerr(stdout);
    if (failed && number != EPIPE && !lost) {
        tch_fail_errno(&err, number > 0 ? number : EIO, "cannot write to stdout");
        cli_complain(NULL, "%s", err.message);
        lost = true;
    }
    return lost ? EXIT_WORK : status;
}

int cli_print(struct tch_buf *b)
{
    int status = EXIT_WORK;

    if (b->failed) {
        cli_complain(NULL, "cannot print the result: out of memory");
    } else {
        fwrite(b->data, 1, b->len, stdout);
        status = cli_finish_out(EXIT_OK);
    }
    tch_buf_release(b);
    return status;
}
