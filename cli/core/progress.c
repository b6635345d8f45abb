/* Shows the progress of a long task in one line on stderr. */
#include "progress.h"

#include "bars.h"
#include "base/clock.h"
#include "clean_out.h"
#include "text.h"

enum {
    NS_BETWEEN_DRAWS = 100 * 1000 * 1000,
    LINE_MAX_BYTES = 1024,
    BAR_WIDTH = 24,
    OTHER_WIDTH = 36, /* columns besides name and bar */
};

static const char erase_line[] = "\r\033[K";

/* The progress on the terminal's last line. There is at most one; messages erase it first. */
static struct progress *shown;

static void add_clock(struct tch_buf *b, double seconds)
{
    unsigned long long s = (unsigned long long)(seconds + 0.5);

    if (s >= 3600)
        tch_buf_addf(b, "%llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
    else
        tch_buf_addf(b, "%llu:%02llu", s / 60, s % 60);
}

void cli_progress_line(struct tch_buf *b, const struct progress *p, uint64_t elapsed_ns)
{
    uint64_t done = p->total > 0 && p->done > p->total ? p->total : p->done;
    double share = p->total > 0 ? (double)done / (double)p->total : 0;
    double seconds = (double)elapsed_ns / 1e9;
    size_t width = p->term.width;

    cli_add_painted(b, &p->term, BOLD, p->what);
    if (p->total == 0) {
        tch_buf_addf(b, "  %llu  ", (unsigned long long)done);
        add_clock(b, seconds);
        return;
    }
    if (width == 0 || width >= strlen(p->what) + BAR_WIDTH + OTHER_WIDTH) {
        tch_buf_adds(b, "  ");
        cli_add_bar(b, &p->term, share, BAR_WIDTH);
    }
    tch_buf_addf(b, "  %3.0f%%  %llu/%llu", 100 * share, (unsigned long long)done,
                 (unsigned long long)p->total);
    if (done > 0 && done < p->total) {
        tch_buf_adds(b, "  ");
        add_clock(b, p->left_s > 0 ? p->left_s : seconds * (1 - share) / share);
        tch_buf_adds(b, " left");
    }
    if (p->note && p->note[0] &&
        (width == 0 || cli_text_width(b->data, b->len) + strlen(p->note) < width))
        tch_buf_addf(b, "  %s", p->note);
}

static void draw(struct progress *p, uint64_t now)
{
    char mem[LINE_MAX_BYTES];
    struct tch_buf b;

    tch_buf_init_on(&b, mem, sizeof mem, sizeof mem - 1);
    cli_stderr_control(erase_line);
    cli_progress_line(&b, p, now - p->start_ns);
    fwrite(b.data, 1, b.len, stderr);
    fflush(stderr);
    tch_buf_release(&b);
    p->drawn_ns = now;
    shown = p;
}

void cli_progress_begin(struct progress *p, const struct args *args, const char *what,
                        uint64_t total)
{
    *p = (struct progress){
        .what = what,
        .total = total,
        .start_ns = tch_now_ns(),
        .on = args->err.is_tty && !args->quiet,
        .term = args->err,
    };
    if (p->on)
        draw(p, p->start_ns);
}

void cli_progress_step(struct progress *p, uint64_t done)
{
    uint64_t now;

    p->done = done;
    if (!p->on)
        return;
    now = tch_now_ns();
    if (shown != p || now - p->drawn_ns >= NS_BETWEEN_DRAWS)
        draw(p, now);
}

void cli_progress_end(struct progress *p)
{
    if (shown == p)
        cli_progress_hide();
    p->on = false;
}

void cli_progress_hide(void)
{
    if (!shown)
        return;
    cli_stderr_control(erase_line);
    shown = NULL;
}

void cli_progress_hook(void *ctx)
{
    (void)ctx;
    cli_progress_hide();
}
