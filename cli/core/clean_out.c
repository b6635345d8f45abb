/*
 * A filter for stdout and stderr. Names of files, commands, metrics and functions, and the messages
 * of programs, come from elsewhere and may contain escape sequences that move the cursor, retitle
 * the window or hide text. The filter stops them for every command: only line feeds, tabs,
 * printable characters and tacho's own colours pass. Everything else becomes '?'.
 *
 * Data for other programs, such as JSON, passes unchanged unless stdout is a terminal.
 */
#include "clean_out.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/utf8.h"

enum { LONGEST = 5 }; /* bytes of "\033[36m"; no character is longer */

struct filter {
    int fd;
    const char *name;
    char held[LONGEST]; /* the start of a character or colour that the next write completes */
    size_t held_len;
    bool colors; /* whether tacho's own colours pass */
    bool data;
    bool is_tty;
};

static struct filter out = {.fd = STDOUT_FILENO, .name = "stdout"};
static struct filter err = {.fd = STDERR_FILENO, .name = "stderr"};

void cli_clean_colors(bool on_stdout, bool on_stderr)
{
    out.colors = on_stdout;
    err.colors = on_stderr;
}

void cli_stdout_is_data(void)
{
    fflush(stdout);
    out.data = true;
}

void cli_stderr_control(const char *sequence)
{
    fflush(stderr);
    (void)tch_write_all(STDERR_FILENO, "stderr", sequence, strlen(sequence), NULL);
}

/* Returns the length of one of tacho's own colours at text, or 0. */
static size_t color_at(const char *text, size_t len)
{
    static const char *const codes[] = {"\033[0m",  "\033[1m",  "\033[2m", "\033[31m",
                                        "\033[32m", "\033[33m", "\033[36m"};

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (len >= strlen(codes[i]) && memcmp(text, codes[i], strlen(codes[i])) == 0)
            return strlen(codes[i]);
    return 0;
}

/* Returns the length of the character or colour at text that may pass, or 0. */
static size_t passes(const struct filter *f, const char *text, size_t len)
{
    uint32_t code;
    size_t step;

    if (*text == '\n' || *text == '\t' || (*text >= 0x20 && *text < 0x7F))
        return 1;
    if (*text == '\033')
        return f->colors ? color_at(text, len) : 0;
    step = tch_utf8_decode(text, len, &code);
    return step > 1 && tch_utf8_is_shown(code) ? step : 0;
}

/* Cleans text in place and returns its new length. Holds back the last bytes if the next write may
   complete them. */
static size_t clean(struct filter *f, char *text, size_t len, bool last)
{
    size_t to = 0;
    size_t from = 0;

    while (from < len) {
        size_t step = passes(f, text + from, len - from);

        if (step == 0 && !last && len - from < LONGEST && (text[from] & 0x80 || text[from] == 033))
            break;
        if (step == 0)
            text[to++] = '?';
        else
            memmove(text + to, text + from, step);
        to += step;
        from += step > 0 ? step : 1;
    }
    f->held_len = len - from;
    memcpy(f->held, text + from, f->held_len);
    return to;
}

static ssize_t write_clean(void *cookie, const char *text, size_t size)
{
    struct filter *f = cookie;
    char block[4096];

    if (f->data && !f->is_tty)
        return tch_write_all(f->fd, f->name, text, size, NULL) < 0 ? 0 : (ssize_t)size;
    for (size_t at = 0, n; at < size; at += n) {
        size_t held = f->held_len;
        size_t len;

        n = size - at < sizeof block - held ? size - at : sizeof block - held;
        memcpy(block, f->held, held);
        memcpy(block + held, text + at, n);
        len = clean(f, block, held + n, false);
        if (tch_write_all(f->fd, f->name, block, len, NULL) < 0)
            return 0;
    }
    return (ssize_t)size;
}

static void end(struct filter *f)
{
    char block[LONGEST];
    size_t len = f->held_len;

    memcpy(block, f->held, len);
    len = clean(f, block, len, true);
    (void)tch_write_all(f->fd, f->name, block, len, NULL);
}

void cli_clean_end(void)
{
    end(&out);
    end(&err);
}

static FILE *open_stream(struct filter *f)
{
    f->is_tty = isatty(f->fd) == 1;
    return fopencookie(f, "w", (cookie_io_functions_t){.write = write_clean});
}

int cli_clean_streams(void)
{
    FILE *clean_out = open_stream(&out);
    FILE *clean_err = open_stream(&err);

    if (!clean_out || !clean_err)
        return -1; /* the process exits and frees them */
    setvbuf(clean_out, NULL, out.is_tty ? _IOLBF : _IOFBF, BUFSIZ);
    setvbuf(clean_err, NULL, _IONBF, 0);
    stdout = clean_out;
    stderr = clean_err;
    return 0;
}
