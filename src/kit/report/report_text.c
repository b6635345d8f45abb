/* Parts of the text formats: intervals, JUnit XML, Prometheus. */
#include "report_text.h"

#include <math.h>
#include <stdint.h>

#include "base/float_text.h"
#include "kit/text/xml.h"

void tch_add_interval(struct tch_buf *b, enum tch_unit unit, double low, double high, double level,
                      const char *to)
{
    tch_add_value(b, unit, low);
    tch_buf_adds(b, to);
    tch_add_value(b, unit, high);
    tch_buf_adds(b, level > 0 ? "" : " (range)");
}

void tch_add_ratio_interval(struct tch_buf *b, const struct tch_ratio *ratio, const char *to)
{
    bool sure = ratio->level > 0;

    tch_buf_addf(b, "%.4g%s%.4g%s", sure ? ratio->low : ratio->least, to,
                 sure ? ratio->high : ratio->most, sure ? "" : " (range)");
}

void tch_junit_begin(struct tch_buf *b, const char *name, size_t tests, size_t failures,
                     size_t errors, size_t skipped)
{
    tch_buf_addf(b,
                 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<testsuite name=\"%s\" tests=\"%zu\" failures=\"%zu\"",
                 name, tests, failures);
    if (errors > 0)
        tch_buf_addf(b, " errors=\"%zu\"", errors);
    if (skipped != SIZE_MAX)
        tch_buf_addf(b, " skipped=\"%zu\"", skipped);
    tch_buf_adds(b, ">\n");
}

void tch_junit_add(struct tch_buf *b, const struct tch_junit_case *test)
{
    tch_buf_adds(b, "  <testcase classname=\"");
    tch_xml_add_attribute(b, test->group);
    tch_buf_adds(b, "\" name=\"");
    tch_xml_add_attribute(b, test->name);
    if (!isnan(test->seconds))
        tch_buf_addf(b, "\" time=\"%.9f", test->seconds);
    tch_buf_adds(b, "\">\n");
    if (test->problem) {
        tch_buf_addf(b, "    <%s message=\"", test->problem);
        tch_xml_add_attribute(b, test->message);
        tch_buf_adds(b, "\"/>\n");
    }
    tch_buf_adds(b, "    <system-out>");
    tch_xml_adds(b, test->output);
    tch_buf_adds(b, "</system-out>\n  </testcase>\n");
}

void tch_junit_end(struct tch_buf *b)
{
    tch_buf_adds(b, "</testsuite>\n");
}

void tch_prometheus_name(struct tch_prometheus *family, const char *prefix, const char *name,
                         enum tch_unit unit)
{
    static const struct {
        const char *own; /* suffix of the unit in tacho's names */
        const char *base;
        double divisor;
    } units[] = {[TCH_NS] = {"_ns", "_seconds", 1e9}, [TCH_BYTES] = {"_bytes", "_bytes", 1},
                 [TCH_COUNT] = {"", "", 1},           [TCH_JOULES] = {"_j", "_joules", 1},
                 [TCH_PLAIN] = {"", "", 1},           [TCH_RATE] = {"", "", 1}};
    size_t len = strlen(name);
    size_t own = strlen(units[unit].own);

    if (len > own && strcmp(name + len - own, units[unit].own) == 0)
        len -= own;
    snprintf(family->name, sizeof family->name, "%.20s_%.*s%s", prefix, len < 100 ? (int)len : 100,
             name, units[unit].base);
    for (char *p = family->name; *p; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", *p))
            *p = '_';
    family->divisor = units[unit].divisor;
}

void tch_prometheus_begin(struct tch_buf *b, const struct tch_prometheus *family, const char *help)
{
    tch_buf_addf(b, "# HELP %s %s\n# TYPE %s gauge\n", family->name, help, family->name);
}

void tch_prometheus_add(struct tch_buf *b, const struct tch_prometheus *family,
                        const char *const *labels, double value)
{
    char text[TCH_PLAIN_TEXT];

    tch_buf_addf(b, "%s%s", family->name, labels[0] ? "{" : "");
    for (size_t i = 0; labels[i]; i += 2) {
        tch_buf_addf(b, "%s%s=\"", i > 0 ? "," : "", labels[i]);
        for (const char *p = labels[i + 1]; *p; p++)
            if (*p == '\\' || *p == '"')
                tch_buf_addf(b, "\\%c", *p);
            else if (*p == '\n')
                tch_buf_adds(b, "\\n");
            else
                tch_buf_addc(b, *p);
        tch_buf_addc(b, '"');
    }
    tch_buf_adds(b, labels[0] ? "} " : " ");
    tch_buf_add(b, text, tch_f64_plain(text, value / family->divisor));
    tch_buf_addc(b, '\n');
}
