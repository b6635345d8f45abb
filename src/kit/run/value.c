/* Numbers with their units. */
#include "value.h"

#include <math.h>

struct scale {
    double size;
    const char *name;
};

static const struct scale times[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}, {1e9, "s"}, {0, NULL}};
static const struct scale sizes[] = {
    {1, "B"}, {1024, "KiB"}, {1048576, "MiB"}, {1073741824, "GiB"}, {1099511627776, "TiB"},
    {0, NULL}};
static const struct scale counts[] = {{1, ""},    {1e3, "k"},  {1e6, "M"},
                                      {1e9, "G"}, {1e12, "T"}, {0, NULL}};

static void add_scaled(struct tch_buf *b, double value, const struct scale *scale)
{
    double shown;

    while (scale[1].name && fabs(value) >= scale[1].size * 0.99995)
        scale++;
    shown = value / scale->size;
    if (scale->size == 1 && value == floor(value))
        tch_buf_addf(b, "%.0f", value);
    else
        tch_buf_addf(b, "%.*f", fabs(shown) < 9.9995 ? 3 : fabs(shown) < 99.995 ? 2 : 1, shown);
    if (scale->name[0])
        tch_buf_addf(b, " %s", scale->name);
}

void tch_add_value(struct tch_buf *b, enum tch_unit unit, double value)
{
    if (!isfinite(value))
        tch_buf_adds(b, "-");
    else if (unit == TCH_NS)
        add_scaled(b, value, times);
    else if (unit == TCH_BYTES)
        add_scaled(b, value, sizes);
    else if (unit == TCH_COUNT)
        add_scaled(b, value, counts);
    else if (unit == TCH_JOULES)
        tch_buf_addf(b, "%.4g J", value);
    else
        tch_buf_addf(b, "%.5g", value);
}

void tch_add_short(struct tch_buf *b, enum tch_unit unit, double value)
{
    const struct scale *scale = unit == TCH_NS ? times : unit == TCH_BYTES ? sizes : counts;

    if (unit == TCH_JOULES || unit == TCH_PLAIN) {
        tch_buf_addf(b, "%.4g%s", value, unit == TCH_JOULES ? " J" : "");
        return;
    }
    while (scale[1].name && fabs(value) >= scale[1].size * 0.99995)
        scale++;
    tch_buf_addf(b, "%.4g%s%s", value / scale->size, scale->name[0] ? " " : "", scale->name);
}
