/* Writes report.html: one file, no network. */
#include <math.h>
#include <unistd.h>

#include <tacho/version.h>

#include "base/json_read.h"
#include "kit/result/costs.h"
#include "kit/result/run_folder.h"
#include "kit/result/series.h"
#include "kit/text/human_number.h"
#include "kit/text/xml.h"
#include "plot.h"
#include "report.h"
#include "report_parts.h"
#include "report_text.h"
#include "run_comparison.h"
#include "run_counts.h"
#include "run_statistics.h"

/* Forbids loading anything, whatever text or picture is in the page, because names and SVGs may
   come from somebody else. Frames of data: URLs inherit this policy. */
#define POLICY                                                                    \
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; " \
    "img-src data:; frame-src data:; base-uri 'none'; form-action 'none'"

void tch_page_open(struct tch_buf *b, const char *title)
{
    tch_buf_adds(b, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                    "<meta http-equiv=\"Content-Security-Policy\" content=\"" POLICY "\">\n"
                    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                    "<title>");
    tch_xml_adds(b, title);
    tch_buf_adds(b, " - tacho</title>\n<style>\n");
    tch_buf_add(b, tch_report_css, tch_report_css_len);
    tch_buf_adds(b, "</style></head><body>\n");
}

void tch_page_close(struct tch_buf *b, const char *from)
{
    tch_buf_adds(b, "<p class=\"sub hint\" id=\"keys\">Charts: point at data, drag to zoom, "
                    "double-click to reset. By keyboard: Tab to a chart, arrows move, + and - "
                    "zoom, Esc resets.</p>\n"
                    "<footer>Made by tacho " TACHO_VERSION " from ");
    tch_xml_adds(b, from);
    tch_buf_adds(b, ".</footer>\n<script>\n");
    tch_buf_add(b, tch_report_js, tch_report_js_len);
    tch_buf_adds(b, "</script></body></html>\n");
}

/* Links to the page that compares the commands of one `tacho run`, if there is one. */
static void add_comparison_link(struct tch_buf *b, const struct tch_report_run *run)
{
    const char *link = run->result.comparison;
    char path[PATH_MAX];

    if (!link || tch_folder_at(path, run->folder, link, NULL) < 0 || access(path, F_OK) < 0)
        return;
    tch_buf_adds(b, "<p class=\"sub\"><a href=\"");
    tch_xml_adds(b, link);
    tch_buf_adds(
        b, "\">Comparison with the commands whose runs were interleaved with these</a></p>\n");
}

static void add_title(struct tch_buf *b, const struct tch_report_run *run)
{
    const struct tch_result *r = &run->result;
    char commit[32];

    tch_buf_adds(b, "<h1>");
    tch_xml_adds(b, r->name);
    tch_buf_adds(b, "</h1>\n<p class=\"sub\"><code>");
    tch_xml_adds(b, r->command.line);
    tch_buf_addf(b, "</code></p>\n<p class=\"sub\">%zu run%s, ", r->run_count,
                 tch_plural(r->run_count));
    tch_xml_adds(b, r->started_at);
    tch_buf_adds(b, ", ");
    tch_xml_adds(b, r->state);
    tch_result_commit(r, commit, sizeof commit);
    if (commit[0]) {
        tch_buf_adds(b, ", commit ");
        tch_xml_adds(b, commit);
    }
    tch_buf_adds(b, "</p>\n");
    add_comparison_link(b, run);
}

static void add_warnings(struct tch_buf *b, const struct tch_result *r)
{
    if (r->warnings.count == 0)
        return;
    tch_buf_adds(b, "<ul class=\"warnings\">\n");
    for (size_t i = 0; i < r->warnings.count; i++) {
        tch_buf_adds(b, "<li>");
        tch_xml_adds(b, r->warnings.item[i].text);
        tch_buf_adds(b, "<span>");
        tch_xml_adds(b, r->warnings.item[i].advice);
        tch_buf_adds(b, "</span></li>\n");
    }
    tch_buf_adds(b, "</ul>\n");
}

/* Returns the key of the memory to show in large type: that of the whole tree if children of the
   command hold a part of it. */
static const char *memory_key(const struct tch_result *r)
{
    const struct tch_row *one = tch_result_row(r, "max_rss_bytes");
    const struct tch_row *tree = tch_result_row(r, "tree_rss_bytes");

    return one && tree && tree->summary.median > 1.05 * one->summary.median ? "tree_rss_bytes"
                                                                            : "max_rss_bytes";
}

/* Adds wall time, memory, energy, throughput and metrics in large type. */
static void add_heads(struct tch_buf *b, const struct tch_result *r)
{
    const char *const names[] = {"wall_ns", "user_ns", memory_key(r), "energy_j", "throughput"};

    tch_buf_adds(b, "<div class=\"heads\">\n");
    for (size_t i = 0; i < r->row_count; i++) {
        const struct tch_row *row = &r->rows[i];
        bool shown = row->metric.unit == TCH_PLAIN || tch_metric_is_recorded(row->metric.key);
        char title[TCH_ROW_TITLE];

        for (size_t j = 0; j < sizeof names / sizeof names[0]; j++)
            shown |= strcmp(row->metric.key, names[j]) == 0;
        if (!shown)
            continue;
        tch_buf_adds(b, "<div class=\"head\"><span>");
        tch_xml_adds(b, tch_row_title(r, row, title));
        tch_buf_adds(b, "</span><b>");
        tch_add_value(b, row->metric.unit, row->summary.median);
        tch_buf_adds(b, "</b><span>");
        tch_add_interval(b, row->metric.unit, row->summary.low, row->summary.high,
                         row->summary.level, " … ");
        tch_buf_adds(b, "</span></div>\n");
    }
    tch_buf_adds(b, "</div>\n");
}

static void add_table(struct tch_buf *b, const struct tch_result *r)
{
    tch_buf_adds(b, "<h2>Statistics</h2>\n");
    tch_statistics_table(b, tch_table_html, r);
    if (tch_result_by_layout(r)) {
        tch_buf_adds(b, "<p class=\"sub\">");
        tch_report_add_layouts(b, r);
        tch_buf_adds(b, ". Medians and intervals are those of the layouts' medians.</p>\n");
    }
    if (tch_costs_counted(&r->costs)) {
        tch_buf_adds(b, "<p class=\"sub\">Recording: ");
        tch_report_add_recording(b, r);
        tch_buf_adds(b, ".</p>\n");
    }
}

static void add_energy(struct tch_buf *b, const struct tch_result *r)
{
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    tch_report_add_energy(&text, r);
    tch_buf_adds(b, text.len > 0 ? "<p class=\"sub\">" : "");
    tch_xml_adds(b, text.data);
    tch_buf_adds(b, text.len > 0 ? "</p>\n" : "");
    tch_buf_release(&text);
}

static int add_run(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err)
{
    static int (*const parts[])(struct tch_buf * b, const struct tch_report_run *run,
                                tacho_error *err) = {tch_part_latencies,  tch_charts_timeline,
                                                     tch_part_categories, tch_part_flamegraphs,
                                                     tch_part_events,     tch_part_spans};
    const struct tch_result *r = &run->result;
    const char *nothing = tch_report_nothing(r);
    int status = 0;

    tch_buf_adds(b, "<section>\n");
    add_title(b, run);
    add_warnings(b, r);
    if (nothing) {
        tch_buf_addf(b, "<p>No statistics: %s.</p>\n", nothing);
    } else {
        add_heads(b, r);
        status = tch_charts_runs(b, r, err);
    }
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == 0; i++)
        status = parts[i](b, run, err);
    if (status < 0)
        return status;
    if (!nothing)
        add_table(b, r);
    tch_part_counts(b, r);
    add_energy(b, r);
    tch_part_facts(b, r);
    tch_buf_adds(b, "</section>\n");
    return 0;
}

static int write_html(struct tch_buf *b, const struct tch_report_run *runs, size_t count,
                      tacho_error *err)
{
    struct tch_comparison all;
    struct tch_buf names;
    int status = 0;

    tch_buf_init_part(&names, b);
    for (size_t i = 0; i < count; i++)
        tch_buf_addf(&names, "%s%s", i > 0 ? ", " : "", runs[i].result.name);
    tch_page_open(b, names.data);
    tch_buf_release(&names);
    if (count > 1 && (status = tch_comparison_make(&all, runs, count, err)) == 0)
        status = tch_comparison_html(b, &all, err);
    for (size_t i = 0; i < count && status == 0; i++)
        status = add_run(b, &runs[i], err);
    tch_page_close(b, "run.json and the files beside it");
    return status;
}

const struct tch_report_format tch_report_html = {"html", "report.html", write_html};
