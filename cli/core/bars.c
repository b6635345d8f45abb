/* Bars and sparklines for terminals. */
#include "bars.h"

#include <math.h>

#include "text.h"

void cli_add_bar(struct tch_buf *b, const struct term *term, double share, size_t width)
{
    static const char *const eighths[] = {
        "", "\u258F", "\u258E", "\u258D", "\u258C", "\u258B", "\u258A", "\u2589",
    };
    double clamped = share > 0 ? fmin(share, 1) : 0; /* NaN counts as 0 */
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
