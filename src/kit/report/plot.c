/* Charts as SVG. */
#include "plot.h"

#include <inttypes.h>
#include <math.h>

#include "base/number.h"
#include "kit/text/human_number.h"
#include "kit/text/xml.h"

/* The picture, and the part of it that contains data. The width is that of one of two pictures side
   by side, so the text is about as large as that of the page. */
enum { WIDTH = 600, HEIGHT = 250, TOP = 12, RIGHT = 560, BOTTOM = 202 };
enum {
    LEFT_LEAST = 92,
    LEFT_MOST = 200,
    LEFT_LETTER = 11 /* width of a letter, wide enough for a phone */
};
enum { DATA_HEIGHT = BOTTOM - TOP };
enum { TITLE_HEIGHT = 30 }; /* room for the title, in SVG files only */
enum { TICKS_MOST = 20 };
enum { LONG_LABEL = 1000 }; /* a value of this many steps needs labels of more than four digits */
enum { KEY_HEIGHT = 20, KEY_SHORT = 26 /* names up to this many characters share a row */ };

void tch_plot_range_y(struct tch_plot *p, const double *values, size_t n, bool zero)
{
    double low = n > 0 ? values[0] : 0;
    double high = low;

    for (size_t i = 0; i < n; i++) {
        low = fmin(low, values[i]);
        high = fmax(high, values[i]);
    }
    p->y0 = zero ? 0 : low - 0.08 * (high - low);
    p->y1 = high + 0.08 * (high - p->y0);
    if (!(p->y1 > p->y0)) {
        p->y0 = zero ? 0 : low * 0.9;
        p->y1 = high > 0 ? high * 1.1 : 1;
    }
}

void tch_plot_range_x(struct tch_plot *p, double low, double high)
{
    double room = high > low ? 0.04 * (high - low) : low != 0 ? fabs(low) / 100 : 1;

    p->x0 = low - room;
    p->x1 = high + room;
}

/* Returns the position of x between two values: 0 at the first, 1 at the second. */
static double share(double x, double from, double to, bool logarithmic)
{
    return logarithmic ? log(x / from) / log(to / from) : (x - from) / (to - from);
}

static double data_width(const struct tch_plot *p)
{
    return RIGHT - p->left;
}

static double px(const struct tch_plot *p, double x)
{
    return p->x1 > p->x0 ? share(x, p->x0, p->x1, p->x_log) * data_width(p) : data_width(p) / 2;
}

static double py(const struct tch_plot *p, double y)
{
    return DATA_HEIGHT - share(y, p->y0, p->y1, p->y_log) * DATA_HEIGHT;
}

/* Returns the distance of ticks: 1, 2 or 5 times a power of ten of the unit in which `most` is
   shown. There are at most `count` + 1 ticks. */
static double tick_step(double range, double most, int count, enum tch_unit unit)
{
    double base = 1;
    double step;
    double power;

    if (unit == TCH_BYTES)
        while (most >= base * 1024)
            base *= 1024;
    step = range / count / base;
    power = pow(10, floor(log10(step)));
    step /= power;
    return base * power * (step < 1.01 ? 1 : step < 2.02 ? 2 : step < 5.05 ? 5 : 10);
}

static void add_tick_y(struct tch_plot *p, double y, double step)
{
    tch_buf_addf(p->b, "<path d=\"M%d %.1fH%d\"/><text x=\"%d\" y=\"%.1f\">", p->left,
                 TOP + py(p, y), RIGHT, p->left - 6, TOP + py(p, y) + 4);
    tch_add_short(p->b, p->yu, y, step);
    tch_buf_adds(p->b, "</text>");
}

static void add_tick_x(struct tch_plot *p, double x, double step)
{
    tch_buf_addf(p->b, "<text x=\"%.1f\" y=\"%d\">", p->left + px(p, x), BOTTOM + 18);
    tch_add_short(p->b, p->xu, x, step);
    tch_buf_adds(p->b, "</text>");
}

/* Adds ticks at powers of ten and, if these are few, also at twice and five times them. */
static void add_ticks_log(struct tch_plot *p, double low, double high, double most,
                          void (*add)(struct tch_plot *p, double value, double step))
{
    bool few = log10(high / low) * 3 <= most;
    double skip = ceil(log10(high / low) / most);

    for (double e = floor(log10(low)); e <= log10(high) + 1e-9; e += few ? 1 : skip)
        for (int i = 0; i < (few ? 3 : 1); i++) {
            double value = pow(10, e) * (i == 0 ? 1 : i == 1 ? 2 : 5);

            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
                add(p, value, 0);
        }
}

/* Adds ticks at multiples of the step. The count stops the loop for numbers so large that adding a
   step does not change them. */
static void add_ticks_linear(struct tch_plot *p, double low, double high, double step,
                             void (*add)(struct tch_plot *p, double value, double step))
{
    double first = ceil(low / step);

    for (int i = 0; i < TICKS_MOST && (first + i) * step <= high; i++)
        add(p, (first + i) * step, step);
}

static void each_tick_y(struct tch_plot *p,
                        void (*each)(struct tch_plot *p, double value, double step))
{
    double step = tick_step(p->y1 - p->y0, p->y1, 6, p->yu);

    if (p->yu == TCH_COUNT && step < 1)
        step = 1;
    if (p->y_log)
        add_ticks_log(p, p->y0, p->y1, 6, each);
    else
        add_ticks_linear(p, p->y0, p->y1, step, each);
}

/* Widens the left margin for the text of a tick. */
static void fit_tick_y(struct tch_plot *p, double y, double step)
{
    char mem[64];
    struct tch_buf text;
    int left;

    tch_buf_init_on(&text, mem, sizeof mem, sizeof mem - 1);
    tch_add_short(&text, p->yu, y, step);
    left = 10 + LEFT_LETTER * (int)text.len;
    p->left = left < p->left ? p->left : left < LEFT_MOST ? left : LEFT_MOST;
    tch_buf_release(&text);
}

static void add_ticks_x(struct tch_plot *p)
{
    double step = tick_step(p->x1 - p->x0, p->x1, 6, p->xu);

    if (p->x1 > step * LONG_LABEL) /* fewer ticks, because their labels are wider */
        step = tick_step(p->x1 - p->x0, p->x1, 3, p->xu);
    if (p->xu == TCH_COUNT && step < 1)
        step = 1;
    tch_buf_adds(p->b, "<g class=\"ticks x\">");
    if (p->x_first > 0 && step > p->x_first)
        add_tick_x(p, p->x_first, 0);
    if (p->x_log)
        add_ticks_log(p, p->x0, p->x1, 8, add_tick_x);
    else
        add_ticks_linear(p, p->x_first > 0 ? fmax(p->x0, p->x_first) : p->x0, p->x1, step,
                         add_tick_x);
    tch_buf_addf(p->b, "</g><text class=\"axis\" x=\"%d\" y=\"%d\">", (p->left + RIGHT) / 2,
                 HEIGHT - 6);
    tch_xml_adds(p->b, p->x_name);
    tch_buf_adds(p->b, "</text>");
}

/* The names of the lines, below the axis, where there is no data. */

static size_t key_columns(const struct tch_plot *p)
{
    for (size_t i = 0; i < p->key_count; i++)
        if (strlen(p->keys[i]) > KEY_SHORT)
            return 1;
    return 2;
}

static size_t keys_height(const struct tch_plot *p)
{
    size_t columns = key_columns(p);

    return (p->key_count + columns - 1) / columns * KEY_HEIGHT;
}

static void add_keys(struct tch_plot *p)
{
    size_t columns = key_columns(p);

    if (p->key_count == 0)
        return;
    tch_buf_adds(p->b, "<g class=\"legend\">");
    for (size_t i = 0; i < p->key_count; i++) {
        size_t x = (size_t)p->left + i % columns * (size_t)data_width(p) / 2;
        size_t y = HEIGHT + i / columns * KEY_HEIGHT + KEY_HEIGHT / 2;

        tch_buf_addf(p->b,
                     "<path class=\"%c\" d=\"M%zu %zuh16\"/><text class=\"name\" x=\"%zu\" "
                     "y=\"%zu\">",
                     'a' + (char)i, x, y, x + 22, y + 4);
        tch_xml_adds(p->b, p->keys[i]);
        tch_buf_adds(p->b, "</text>");
    }
    tch_buf_adds(p->b, "</g>");
}

void tch_plot_begin(struct tch_plot *p)
{
    static const char *const units[] = {
        [TCH_NS] = "ns",    [TCH_BYTES] = "bytes", [TCH_COUNT] = "count",
        [TCH_JOULES] = "j", [TCH_PLAIN] = "plain", [TCH_RATE] = "count"};

    if (!(p->x1 > p->x0))
        p->x1 = p->x0 + 1;
    if (!(p->y1 > p->y0))
        p->y1 = p->y0 + 1;
    p->left = LEFT_LEAST;
    each_tick_y(p, fit_tick_y);
    tch_buf_adds(p->b, "<figure class=\"plot\"><figcaption>");
    tch_xml_adds(p->b, p->title);
    tch_buf_addf(p->b, "</figcaption><svg viewBox=\"0 0 %d %zu\" tabindex=\"0\" role=\"img\"",
                 WIDTH, HEIGHT + keys_height(p));
    tch_buf_addf(p->b, " data-x0=\"%.17g\" data-x1=\"%.17g\" data-y0=\"%.17g\" data-y1=\"%.17g\"",
                 p->x0, p->x1, p->y0, p->y1);
    tch_buf_adds(p->b, p->x_log ? " data-xlog=\"1\"" : "");
    tch_buf_adds(p->b, p->y_log ? " data-ylog=\"1\"" : "");
    if (p->x_first > 0)
        tch_buf_addf(p->b, " data-first=\"%.17g\"", p->x_first);
    tch_buf_addf(p->b, " data-xu=\"%s\" data-yu=\"%s\" data-xn=\"", units[p->xu], units[p->yu]);
    tch_xml_adds(p->b, p->x_name);
    tch_buf_adds(p->b, "\" data-yn=\"");
    tch_xml_adds(p->b, p->y_name);
    tch_buf_adds(p->b, "\" aria-label=\"");
    tch_xml_adds(p->b, p->title);
    tch_buf_adds(p->b, "\">");
    tch_buf_adds(p->b, "<g class=\"ticks y\">");
    each_tick_y(p, add_tick_y);
    tch_buf_adds(p->b, "</g>");
    add_ticks_x(p);
    if (p->y_shown) {
        tch_buf_addf(p->b, "<text class=\"axis\" transform=\"translate(16 %d) rotate(-90)\">",
                     TOP + DATA_HEIGHT / 2);
        tch_xml_adds(p->b, p->y_name);
        tch_buf_adds(p->b, "</text>");
    }
    tch_buf_addf(p->b,
                 "<svg class=\"area\" x=\"%d\" y=\"%d\" width=\"%.0f\" height=\"%d\" "
                 "overflow=\"hidden\"><g class=\"data\">",
                 p->left, TOP, data_width(p), DATA_HEIGHT);
}

/* Returns how many digits of a pixel to write. The script computes values from pixels, and on a
   logarithmic axis a tenth of a pixel is a large difference. */
static int digits(const struct tch_plot *p)
{
    return p->x_log || p->y_log ? 3 : 1;
}

void tch_plot_dots(struct tch_plot *p, const double *x, const double *y, size_t n)
{
    tch_plot_marks(p, "", x, y, n);
}

void tch_plot_marks(struct tch_plot *p, const char *kind, const double *x, const double *y,
                    size_t n)
{
    tch_buf_addf(p->b, "<path class=\"dots%s%s\" d=\"", *kind ? " " : "", kind);
    for (size_t i = 0; i < n; i++)
        tch_buf_addf(p->b, "M%.*f %.*fh0", digits(p), px(p, x[i]), digits(p), py(p, y[i]));
    tch_buf_adds(p->b, "\"/>");
}

/* Keeps the first, lowest, highest and last point of one piece of a long line, in their order.
   Returns how many there are. */
static size_t thin(const double *y, size_t from, size_t to, size_t keep[4])
{
    size_t low = from;
    size_t high = from;
    size_t n = 0;

    for (size_t i = from; i < to; i++) {
        low = y[i] < y[low] ? i : low;
        high = y[i] > y[high] ? i : high;
    }
    keep[n++] = from;
    if ((low < high ? low : high) > keep[n - 1])
        keep[n++] = low < high ? low : high;
    if ((low < high ? high : low) > keep[n - 1])
        keep[n++] = low < high ? high : low;
    if (to - 1 > keep[n - 1])
        keep[n++] = to - 1;
    return n;
}

/* Adds the points `from` to `to` as one line, thinned out to at most four per piece. */
static void add_joined(struct tch_plot *p, const double *x, const double *y, size_t from, size_t to,
                       size_t piece, bool area)
{
    char command = 'M';

    if (area) {
        tch_buf_addf(p->b, "M%.1f %d", px(p, x[from]), DATA_HEIGHT);
        command = 'L';
    }
    for (size_t at = from; at < to; at += piece) {
        size_t keep[4];
        size_t kept = thin(y, at, at + piece < to ? at + piece : to, keep);

        for (size_t i = 0; i < kept; i++) {
            tch_buf_addf(p->b, "%c%.*f %.*f", command, digits(p), px(p, x[keep[i]]), digits(p),
                         py(p, y[keep[i]]));
            command = 'L';
        }
    }
    if (area)
        tch_buf_addf(p->b, "L%.1f %dZ", px(p, x[to - 1]), DATA_HEIGHT);
    else if (to - from == 1)
        tch_buf_adds(p->b, "h0"); /* a dot */
}

void tch_plot_line(struct tch_plot *p, const char *kind, const double *x, const double *y, size_t n,
                   bool area)
{
    size_t piece = n / (TCH_PLOT_POINTS / 4) + 1;

    if (n == 0)
        return;
    tch_buf_addf(p->b, "<path class=\"line %s%s\" d=\"", kind, area ? " filled" : "");
    for (size_t from = 0; from < n;) {
        size_t to = from;

        while (to < n && !isnan(y[to]))
            to++;
        if (to > from)
            add_joined(p, x, y, from, to, piece, area);
        from = to + 1;
    }
    tch_buf_adds(p->b, "\"/>");
}

/* Draws the horizontal parts by H, so that the script finds only the values. */
void tch_plot_ecdf(struct tch_plot *p, const char *kind, const double *sorted, const double *share,
                   size_t n)
{
    size_t piece = n / TCH_PLOT_POINTS + 1;

    tch_buf_addf(p->b, "<path class=\"line %s\" d=\"M0 %.1f", kind, py(p, 0));
    for (size_t i = 0; i < n; i += piece) {
        size_t last = i + piece < n ? i + piece - 1 : n - 1;

        tch_buf_addf(p->b, "H%.*fL%.*f %.1f", digits(p), px(p, sorted[last]), digits(p),
                     px(p, sorted[last]),
                     py(p, share ? share[last] : (double)(last + 1) / (double)n));
    }
    tch_buf_addf(p->b, "H%.0f\"/>", data_width(p));
}

void tch_plot_whiskers(struct tch_plot *p, const char *kind, const double *x, const double *low,
                       const double *high, size_t n)
{
    tch_buf_addf(p->b, "<path class=\"whisker %s\" d=\"", kind);
    for (size_t i = 0; i < n; i++)
        tch_buf_addf(p->b, "M%.1f %.1fV%.1f", px(p, x[i]), py(p, low[i]), py(p, high[i]));
    tch_buf_adds(p->b, "\"/>");
}

void tch_plot_band(struct tch_plot *p, const double *x, const double *low, const double *high,
                   size_t n)
{
    tch_buf_adds(p->b, "<path class=\"band\" d=\"");
    for (size_t i = 0; i < n; i++)
        tch_buf_addf(p->b, "%c%.1f %.1f", i > 0 ? 'L' : 'M', px(p, x[i]), py(p, high[i]));
    for (size_t i = n; i-- > 0;)
        tch_buf_addf(p->b, "L%.1f %.1f", px(p, x[i]), py(p, low[i]));
    tch_buf_adds(p->b, "\"/>");
}

void tch_plot_fit(struct tch_plot *p, const char *kind, const double *x, const double *y, size_t n)
{
    tch_buf_addf(p->b, "<path class=\"fit %s\" d=\"", kind);
    for (size_t i = 0; i < n; i++)
        tch_buf_addf(p->b, "%c%.1f %.1f", i > 0 ? 'L' : 'M', px(p, x[i]), py(p, y[i]));
    tch_buf_adds(p->b, "\"/>");
}

void tch_plot_bars(struct tch_plot *p, const double *edge, const double *height, size_t n)
{
    tch_buf_adds(p->b, "<path class=\"bars\" d=\"");
    for (size_t i = 0; i < n; i++) {
        double left = px(p, edge[i]);
        double width = px(p, edge[i + 1]) - left;
        double top = py(p, height[i]);

        if (height[i] > 0)
            tch_buf_addf(p->b, "M%.1f %dV%.1fh%.1fV%dz", left, DATA_HEIGHT, top, width,
                         DATA_HEIGHT);
    }
    tch_buf_adds(p->b, "\"/>");
}

void tch_plot_level(struct tch_plot *p, double y)
{
    tch_buf_addf(p->b, "<path class=\"level\" d=\"M0 %.1fH%.0f\"/>", py(p, y), data_width(p));
}

void tch_plot_strip(struct tch_plot *p, double low, double high)
{
    tch_buf_addf(p->b, "<path class=\"strip\" d=\"M0 %.1fH%.0fV%.1fH0z\"/>", py(p, high),
                 data_width(p), py(p, low));
}

void tch_plot_end(struct tch_plot *p)
{
    tch_plot_end_picture(p);
    tch_buf_adds(p->b, "</figure>\n");
}

void tch_plot_end_picture(struct tch_plot *p)
{
    tch_buf_adds(p->b, "</g></svg>");
    add_keys(p);
    tch_buf_adds(p->b, "</svg>");
}

/* The rules of report.css for charts, for SVG files without the page around them. */
static const char file_style[] =
    "svg{background:#fff;font:12px system-ui,sans-serif;--fg:#1c2430;--dim:#5b6675;--line:#dde2e9;"
    "--card:#fff;--a:#2f6fd6;--b:#c2571a;--c:#2a8f5b;--d:#8a4fc7;--e:#c23a6b;--f:#0f8a99;"
    "--g:#9a7b12;--h:#5b6675}"
    ".ticks path{stroke:var(--line)}.ticks text,.axis{fill:var(--dim)}.name,.title{fill:var(--fg)}"
    ".title{font-size:14px}.ticks.y text{text-anchor:end}"
    ".ticks.x text,.axis{text-anchor:middle}.data path{fill:none;stroke:var(--a)}"
    ".dots{stroke-width:6;stroke-linecap:round;opacity:.75}.line,.legend path{stroke-width:1.6}"
    ".whisker{stroke-width:1.2;opacity:.6}.fit{stroke-dasharray:5 3;opacity:.7}"
    ".heat text{fill:var(--fg);text-anchor:middle}.heat .row{text-anchor:end}"
    ".heat .dim{fill:var(--dim)}.heat .unsure{font-style:italic;opacity:.75}"
    ".heat .chosen{fill:none;stroke:var(--fg);stroke-width:2}"
    ".heat .less{fill:var(--c)}.heat .more{fill:var(--b)}.heat .much{fill:var(--a)}"
    ".heat .none{fill:var(--line);opacity:.6}";

/* Parses the size of a chart, "720 270". Returns the text after its closing quote, or NULL. */
static const char *read_size(const char *text, uint64_t *width, uint64_t *height)
{
    size_t first = strcspn(text, " ");
    size_t second = strcspn(text + first, "\"");

    if (tch_parse_u64_n(text, first, INT32_MAX, width) < 0 || second == 0 ||
        tch_parse_u64_n(text + first + 1, second - 1, INT32_MAX, height) < 0)
        return NULL;
    *height += TITLE_HEIGHT;
    return text + first + second + 1;
}

void tch_plot_file(const struct tch_buf *chart, size_t from, const char *title, struct tch_buf *b)
{
    static const char open[] = "<svg viewBox=\"0 0 ";
    const char *at = strstr(chart->data + from, open);
    const char *rest = NULL;
    const char *end = NULL;
    uint64_t width;
    uint64_t height;

    if (at)
        rest = read_size(at + sizeof open - 1, &width, &height);
    if (!rest)
        return;
    for (const char *next = strstr(at, "</svg>"); next; next = strstr(next + 1, "</svg>"))
        end = next;
    tch_buf_addf(b,
                 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 -%d %" PRIu64 " %" PRIu64
                 "\" width=\"%" PRIu64 "\" height=\"%" PRIu64 "\"",
                 TITLE_HEIGHT, width, height, width, height);
    at = strchr(rest, '>') + 1;
    tch_buf_add(b, rest, (size_t)(at - rest)); /* the other attributes */
    tch_buf_addf(b, "<style>%s", file_style);
    for (const char *kind = "abcdefgh"; *kind; kind++)
        tch_buf_addf(b, ".data .%c,.legend .%c{stroke:var(--%c)}", *kind, *kind, *kind);
    tch_buf_addf(b,
                 ".data .ring{stroke:var(--fg);stroke-width:12;opacity:1}</style>"
                 "<rect y=\"-%d\" width=\"%" PRIu64 "\" height=\"%" PRIu64 "\" fill=\"#fff\"/>",
                 TITLE_HEIGHT, width, height);
    tch_buf_adds(b, "<text class=\"title\" x=\"12\" y=\"-10\">");
    tch_xml_adds(b, title);
    tch_buf_adds(b, "</text>");
    tch_buf_add(b, at, (size_t)(end - at));
    tch_buf_adds(b, "</svg>\n");
}
