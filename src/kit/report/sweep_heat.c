/* Heat maps of a sweep: two parameters as axes, one colour and one number per cell. */
#include <math.h>

#include "kit/text/human_number.h"
#include "kit/text/xml.h"
#include "plot.h"
#include "report_text.h"
#include "sweep_page.h"

/* The picture is as wide as the charts. Its height depends on the rows. */
enum {
    WIDTH = 600,
    TOP = 8,
    RIGHT = 590,
    LEFT_LEAST = 84,
    LABEL = 12,
    BELOW = 44,
    LEFT_MOST = 150,
    SLOT_MOST = 30,
};

/* Width of a letter on a narrow screen, where the text is larger in proportion to the cells. */
static const double letter = 8.6;

struct map {
    const struct tch_results *r;
    size_t measure;
    enum tch_heat kind;
    int row, column;
    size_t first;
    struct tch_buf *b;
    size_t rows, columns;
    double left, wide, high; /* edge and size of the cells, in pixels */
    double low, most;        /* smallest and largest value */
    int digits;              /* of the numbers in cells; 0: there is no room for them */
};

static size_t cell_at(const struct map *m, size_t row, size_t column)
{
    const struct tch_grid *grid = m->r->sweep->plan->grid;
    size_t cell = m->first + column * tch_grid_step(grid, (size_t)m->column);

    return m->row < 0 ? cell : cell + row * tch_grid_step(grid, (size_t)m->row);
}

static double value_of(const struct map *m, size_t cell)
{
    const struct tch_cell_value *v = &m->r->cells[cell].value[m->measure];

    return m->kind == TCH_HEAT_RATIO ? v->ratio.estimate : v->median;
}

/* Returns how strong a cell's colour is. Ratios count by their distance from 1, in logarithms.
   Values that span more than a decade count by their logarithms, too. */
static double strength(const struct map *m, double value)
{
    double share;

    if (m->kind == TCH_HEAT_RATIO) {
        double far = fmax(fabs(log(m->low)), fabs(log(m->most)));

        share = far > 0 ? fabs(log(value)) / far : 0;
    } else if (m->low > 0 && m->most > 10 * m->low) {
        share = log(value / m->low) / log(m->most / m->low);
    } else {
        share = m->most > m->low ? (value - m->low) / (m->most - m->low) : 0.5;
    }
    return 0.06 + 0.66 * share;
}

/* The numbers of a map have one unit, which is in its title, so that they are short. */
static const struct scale {
    enum tch_unit unit;
    double size;
    const char *name;
} scales[] = {{TCH_NS, 1e9, "s"},
              {TCH_NS, 1e6, "ms"},
              {TCH_NS, 1e3, "us"},
              {TCH_NS, 1, "ns"},
              {TCH_BYTES, 0x1p30, "GiB"},
              {TCH_BYTES, 0x1p20, "MiB"},
              {TCH_BYTES, 0x1p10, "KiB"},
              {TCH_BYTES, 1, "bytes"},
              {TCH_COUNT, 1e9, "billions"},
              {TCH_COUNT, 1e6, "millions"},
              {TCH_COUNT, 1e3, "thousands"},
              {TCH_RATE, 1e9, "billions"},
              {TCH_RATE, 1e6, "millions"},
              {TCH_RATE, 1e4, "ten thousands"},
              {TCH_JOULES, 1, "J"}};

/* Returns the unit of a map: the largest in which its largest value is at least 1. */
static struct scale scale_of(const struct map *m)
{
    enum tch_unit unit = m->r->measures[m->measure].unit;

    for (size_t i = 0; m->kind != TCH_HEAT_RATIO && i < sizeof scales / sizeof scales[0]; i++)
        if (scales[i].unit == unit && m->most >= scales[i].size)
            return scales[i];
    return (struct scale){unit, 1, ""};
}

/* Writes the number of a cell with that many digits, more only if it has them before the point.
   Returns its length. */
static int write_value(const struct map *m, double value, int digits, char text[32])
{
    double shown = value / scale_of(m).size;
    int before = fabs(shown) >= 1 ? (int)floor(log10(fabs(shown))) + 1 : 1;

    if (before > 6)
        return snprintf(text, 32, "%.*g", digits, shown);
    return snprintf(text, 32, "%.*f", shown == 0 || before >= digits ? 0 : digits - before, shown);
}

/* Returns with how many digits all numbers fit into their cells; 0: they do not. */
static int find_digits(const struct map *m)
{
    for (int digits = 4; digits >= 2 && m->high >= LABEL + 2; digits--) {
        int longest = 0;

        for (size_t i = 0; i < m->rows; i++)
            for (size_t j = 0; j < m->columns; j++) {
                double value = value_of(m, cell_at(m, i, j));
                char text[32];
                int len = isnan(value) ? 0 : write_value(m, value, digits, text);

                longest = len > longest ? len : longest;
            }
        if (longest * letter + 4 <= m->wide)
            return digits;
    }
    return 0;
}

/* Adds the text of a cell's tooltip. */
static void add_words(const struct map *m, size_t cell)
{
    const struct tch_cell_result *c = &m->r->cells[cell];
    const struct tch_cell_value *v = &c->value[m->measure];
    enum tch_unit unit = m->r->measures[m->measure].unit;

    tch_buf_adds(m->b, "<title>");
    tch_xml_adds(m->b, c->name);
    tch_buf_adds(m->b, ": ");
    if (isnan(v->median))
        tch_xml_adds(m->b, c->failure ? c->failure : c->state);
    else
        tch_add_value(m->b, unit, v->median);
    if (!isnan(v->median)) {
        tch_buf_adds(m->b, " (");
        tch_add_interval(m->b, unit, v->low, v->high, v->level, " … ");
        tch_buf_adds(m->b, ")");
    }
    if (!isnan(v->ratio.estimate))
        tch_buf_addf(m->b, ", %.4g × the baseline", v->ratio.estimate);
    tch_buf_adds(m->b, "</title>");
}

static void add_cell(const struct map *m, size_t row, size_t column)
{
    size_t cell = cell_at(m, row, column);
    const struct tch_cell_result *c = &m->r->cells[cell];
    double value = value_of(m, cell);
    double x = m->left + (double)column * m->wide;
    double y = TOP + (double)row * m->high;
    bool known = !isnan(value);
    bool sure = m->kind != TCH_HEAT_RATIO || c->value[m->measure].p <= TCH_RESULT_ALPHA;

    tch_buf_addf(m->b,
                 "<g><rect class=\"%s\" fill-opacity=\"%.3f\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                 "height=\"%.1f\"/>",
                 !known                      ? "none"
                 : m->kind != TCH_HEAT_RATIO ? "much"
                 : value < 1                 ? "less"
                                             : "more",
                 known ? strength(m, value) : 1.0, x + 0.5, y + 0.5, m->wide - 1, m->high - 1);
    if (c->best == TCH_BEST_YES)
        tch_buf_addf(m->b,
                     "<rect class=\"chosen\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                     "height=\"%.1f\"/>",
                     x + 2, y + 2, m->wide - 4, m->high - 4);
    if (m->digits > 0) {
        char text[32] = "-";

        if (known)
            write_value(m, value, m->digits, text);
        tch_buf_addf(m->b, "<text%s x=\"%.1f\" y=\"%.1f\">",
                     !known  ? " class=\"dim\""
                     : !sure ? " class=\"unsure\""
                             : "",
                     x + m->wide / 2, y + m->high / 2 + 4);
        tch_buf_adds(m->b, text);
        tch_buf_adds(m->b, "</text>");
    }
    add_words(m, cell);
    tch_buf_adds(m->b, "</g>");
}

/* Adds a label. Texts longer than `most` bytes are truncated and end in dots. */
static void add_label(const struct map *m, const char *text, size_t most)
{
    size_t len = strlen(text);

    tch_xml_add(m->b, text, len <= most ? len : most - 1);
    tch_buf_adds(m->b, len <= most ? "" : "…");
}

static size_t longest_text(const struct tch_param *p)
{
    size_t longest = 1;

    for (size_t i = 0; i < p->count; i++)
        longest = strlen(p->text[i]) > longest ? strlen(p->text[i]) : longest;
    return longest;
}

/* Adds the labels of rows and columns, leaving out columns whose labels would overlap. */
static void add_labels(const struct map *m)
{
    const struct tch_grid *grid = m->r->sweep->plan->grid;
    double bottom = TOP + (double)m->rows * m->high;
    size_t longest = longest_text(&grid->param[m->column]);
    size_t fits = (size_t)((m->wide - 4) / letter);
    size_t most = fits > 8 ? fits : longest < 8 ? longest : 8;
    size_t every = (size_t)ceil(((double)(longest < most ? longest : most) * letter + 4) / m->wide);

    for (size_t j = 0; j < m->columns; j += every) {
        tch_buf_addf(m->b, "<text class=\"dim\" x=\"%.1f\" y=\"%.1f\">",
                     m->left + ((double)j + 0.5) * m->wide, bottom + 16);
        add_label(m, grid->param[m->column].text[j], most);
        tch_buf_adds(m->b, "</text>");
    }
    tch_buf_addf(m->b, "<text class=\"dim\" x=\"%.1f\" y=\"%.1f\">%s</text>", (m->left + RIGHT) / 2,
                 bottom + 36, grid->param[m->column].name);
    if (m->row < 0)
        return;
    every = (size_t)ceil(LABEL / m->high);
    for (size_t i = 0; i < m->rows; i += every) {
        tch_buf_addf(m->b, "<text class=\"row dim\" x=\"%.1f\" y=\"%.1f\">", m->left - 6,
                     TOP + ((double)i + 0.5) * m->high + 4);
        add_label(m, grid->param[m->row].text[i], (size_t)((m->left - 10) / letter));
        tch_buf_adds(m->b, "</text>");
    }
    tch_buf_addf(m->b, "<text class=\"row dim\" x=\"%.1f\" y=\"%.1f\">%s</text>", m->left - 6,
                 bottom + 36, grid->param[m->row].name);
}

static void find_range(struct map *m)
{
    m->low = INFINITY;
    m->most = -INFINITY;
    for (size_t i = 0; i < m->rows; i++)
        for (size_t j = 0; j < m->columns; j++) {
            double value = value_of(m, cell_at(m, i, j));

            if (!isnan(value)) {
                m->low = fmin(m->low, value);
                m->most = fmax(m->most, value);
            }
        }
}

/* Adds the title with the unit of the numbers or, without numbers, with their range. */
static void add_title(const struct map *m, const char *title)
{
    enum tch_unit unit = m->kind == TCH_HEAT_RATIO ? TCH_PLAIN : m->r->measures[m->measure].unit;

    tch_buf_adds(m->b, "<figure><figcaption>");
    tch_xml_adds(m->b, title);
    if (m->digits > 0 && scale_of(m).name[0])
        tch_buf_addf(m->b, "; in %s", scale_of(m).name);
    if (m->digits == 0 && m->most >= m->low) {
        tch_buf_adds(m->b, "; from ");
        tch_add_value(m->b, unit, m->low);
        tch_buf_adds(m->b, " to ");
        tch_add_value(m->b, unit, m->most);
    }
    tch_buf_addf(m->b, "</figcaption><svg viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"",
                 WIDTH, TOP + (double)m->rows * m->high + BELOW);
    tch_xml_adds(m->b, title);
    tch_buf_adds(m->b, "\"><g class=\"heat\">");
}

static struct map map_of(const struct tch_results *r, const struct tch_heat_axes *axes)
{
    const struct tch_grid *grid = r->sweep->plan->grid;

    return (struct map){.r = r,
                        .row = axes->row,
                        .column = axes->column,
                        .first = axes->first,
                        .rows = axes->row < 0 ? 1 : grid->param[axes->row].count,
                        .columns = grid->param[axes->column].count};
}

bool tch_heat_map_frames(const struct tch_results *r, const struct tch_heat_axes *axes)
{
    struct map m = map_of(r, axes);

    for (size_t i = 0; i < m.rows; i++)
        for (size_t j = 0; j < m.columns; j++)
            if (r->cells[cell_at(&m, i, j)].best == TCH_BEST_YES)
                return true;
    return false;
}

void tch_heat_map(const struct tch_results *r, size_t measure, enum tch_heat kind,
                  const struct tch_heat_axes *axes, const char *title, struct tch_buf *b)
{
    struct map m = map_of(r, axes);

    m.measure = measure;
    m.kind = kind;
    m.b = b;
    m.left = 10;
    if (m.row >= 0) {
        double longest = (double)longest_text(&r->sweep->plan->grid->param[m.row]);

        m.left = fmax(LEFT_LEAST, fmin(LEFT_MOST, 10 + longest * letter));
    }
    m.wide = (RIGHT - m.left) / (double)m.columns;
    m.high = fmax(3, fmin(fmin(SLOT_MOST, fmax(16, m.wide)), 900.0 / (double)m.rows));
    find_range(&m);
    m.digits = find_digits(&m);
    add_title(&m, title);
    for (size_t i = 0; i < m.rows; i++)
        for (size_t j = 0; j < m.columns; j++)
            add_cell(&m, i, j);
    add_labels(&m);
    tch_buf_adds(b, "</g></svg></figure>\n");
}
