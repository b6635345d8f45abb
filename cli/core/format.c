/* Numbers for people. Numbers for programs are float_text.c's. */
#include "format.h"

#include <math.h>

#include "text.h"

/* Three digits that count, and never "1000": the caller's next unit begins there. */
static void add_three(struct tch_buf *b, double value)
{
    tch_buf_addf(b, "%.*f", value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value);
}

struct unit {
    double size;
    const char *name;
};

/* In the largest unit that value reaches, counting that 999.5 would be written "1000". */
static void add_scaled(struct tch_buf *b, double value, const struct unit *units, size_t count)
{
    size_t i = count - 1;

    while (i > 0 && value < units[i].size * (1 - 0.0005))
        i--;
    add_three(b, value / units[i].size);
    tch_buf_adds(b, units[i].name);
}

void cli_add_duration(struct tch_buf *b, double ns)
{
    static const struct unit units[] = {{1, " ns"}, {1e3, " us"}, {1e6, " ms"}, {1e9, " s"}};
    double seconds = round(ns / 1e9);

    if (!isfinite(ns)) {
        tch_buf_adds(b, "-");
    } else if (ns < 0) {
        tch_buf_addc(b, '-');
        cli_add_duration(b, -ns);
    } else if (ns < 10 && ns == floor(ns)) {
        tch_buf_addf(b, "%.0f ns", ns);
    } else if (ns < 99.95e9) {
        add_scaled(b, ns, units, 4);
    } else if (seconds < 3600) {
        tch_buf_addf(b, "%.0fm%02.0fs", floor(seconds / 60), fmod(seconds, 60));
    } else {
        double minutes = round(seconds / 60);

        tch_buf_addf(b, "%.0fh%02.0fm", floor(minutes / 60), fmod(minutes, 60));
    }
}

void cli_add_size(struct tch_buf *b, uint64_t bytes)
{
    static const struct unit units[] = {
        {1, " B"},
        {1024, " KiB"},
        {1048576, " MiB"},
        {1073741824, " GiB"},
        {1099511627776, " TiB"},
        {1125899906842624, " PiB"},
    };

    if (bytes < 1024)
        tch_buf_addf(b, "%u B", (unsigned)bytes);
    else
        add_scaled(b, (double)bytes, units, sizeof units / sizeof units[0]);
}

void cli_add_count(struct tch_buf *b, uint64_t count)
{
    static const struct unit units[] = {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}};

    if (count < 1000)
        tch_buf_addf(b, "%u", (unsigned)count);
    else
        add_scaled(b, (double)count, units, sizeof units / sizeof units[0]);
}

void cli_add_percent(struct tch_buf *b, double share)
{
    double percent = 100 * share;

    if (!isfinite(share))
        tch_buf_adds(b, "-");
    else if (percent > 0 && percent < 0.05)
        tch_buf_adds(b, "<0.1%");
    else
        tch_buf_addf(b, "%.1f%%", percent);
}

void cli_add_bar(struct tch_buf *b, const struct term *term, double share, size_t width)
{
    static const char *const eighths[] = {
        "", "\u258F", "\u258E", "\u258D", "\u258C", "\u258B", "\u258A", "\u2589",
    };
    double clamped = share > 0 ? fmin(share, 1) : 0; /* NaN too is 0 */
    size_t steps = term->utf8 ? 8 : 1;
    size_t filled = (size_t)(clamped * (double)(width * steps) + 0.5);
    size_t part = filled % steps;

    for (size_t i = 0; i < filled / steps; i++)
        tch_buf_adds(b, term->utf8 ? "\u2588" : "#");
    tch_buf_adds(b, eighths[part]);
    cli_add_blanks(b, width - filled / steps - (part > 0));
}

void cli_add_spark(struct tch_buf *b, const struct term *term, const double *values, size_t count)
{
    static const char *const blocks[] = {
        "\u2581", "\u2582", "\u2583", "\u2584", "\u2585", "\u2586", "\u2587", "\u2588",
    };
    static const char *const letters[] = {"_", ".", "-", "=", "+", "*", "%", "#"};
    double low = INFINITY;
    double high = -INFINITY;

    for (size_t i = 0; i < count; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    for (size_t i = 0; i < count; i++) {
        double place = high > low ? (values[i] - low) / (high - low) : 0;
        size_t level = place > 0 ? (size_t)fmin(place * 8, 7) : 0;

        if (isnan(values[i]))
            tch_buf_addc(b, ' ');
        else
            tch_buf_adds(b, term->utf8 ? blocks[level] : letters[level]);
    }
}
