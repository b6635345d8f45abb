/* Adds flamegraphs, profile events and facts to report.html. */
#include "report_parts.h"

#include <dirent.h>
#include <errno.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/fail.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/number.h"
#include "kit/event/event_scan.h"
#include "kit/event/event_stages.h"
#include "kit/event/event_stages_sum.h"
#include "kit/file/found_file.h"
#include "kit/text/table_forms.h"
#include "kit/text/xml.h"

enum { SVG_MAX = 64 << 20, STAGES_SHOWN = 20, FACT_DEPTH = 6, HASH_SHOWN = 12 };

/* Flamegraphs. */

/* Sets the frame's height to that of the picture, and lets a box in the page scroll. A sandboxed
   frame is another process, and browsers scale an SVG document to such a frame instead of scrolling
   it. */
static void add_height(struct tch_buf *b, const char *svg, size_t len)
{
    static const char key[] = " height=\"";
    const char *tag = memmem(svg, len, "<svg", 4);
    const char *end = tag ? memchr(tag, '>', len - (size_t)(tag - svg)) : NULL;
    const char *at = end ? memmem(tag, (size_t)(end - tag), key, sizeof key - 1) : NULL;
    const char *number = at ? at + sizeof key - 1 : NULL;
    const char *quote = number ? memchr(number, '"', (size_t)(end - number)) : NULL;
    uint64_t height;

    if (quote && tch_parse_u64_n(number, (size_t)(quote - number), 100000, &height) == 0)
        tch_buf_addf(b, " style=\"--height:%llupx\"", (unsigned long long)height + 2);
}

void tch_part_frame(struct tch_buf *b, const char *name, const char *svg, size_t len)
{
    tch_buf_adds(b, "<h3>");
    tch_xml_adds(b, name);
    tch_buf_adds(b, "</h3>\n<div class=\"picture\"><iframe sandbox=\"allow-scripts\" title=\"");
    tch_xml_adds(b, name);
    tch_buf_adds(b, "\" src=\"data:image/svg+xml;base64,");
    tch_base64_add(b, svg, len);
    tch_buf_addc(b, '"');
    add_height(b, svg, len);
    tch_buf_adds(b, "></iframe></div>\n");
}

static int is_flamegraph(const struct dirent *entry)
{
    size_t len = strlen(entry->d_name);

    return strncmp(entry->d_name, "flamegraph-", 11) == 0 && len > 15 &&
           strcmp(entry->d_name + len - 4, ".svg") == 0;
}

static int add_flamegraph(struct tch_buf *b, const char *folder, const char *name, tacho_error *err)
{
    struct tch_buf svg;
    int status;

    tch_buf_init(&svg, SVG_MAX);
    status = tch_found_read(folder, name, SVG_MAX, &svg, err);
    if (status == 0)
        tch_part_frame(b, name, svg.data, svg.len);
    tch_buf_release(&svg);
    return status;
}

int tch_part_flamegraphs(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err)
{
    struct dirent **names;
    int n = scandir(run->folder, &names, is_flamegraph, alphasort);
    int status = 0;

    if (n > 0)
        tch_buf_adds(b, "<h2>Where the time went</h2>\n");
    for (int i = 0; i < n; i++) {
        if (status == 0)
            status = add_flamegraph(b, run->folder, names[i]->d_name, err);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return status;
}

/* Profile events. */

static void add_stage(struct tch_table *t, struct tch_stage *stage, double total)
{
    struct tch_stage_summary s;
    double share;

    tch_stage_summarise(stage, &s);
    share = total > 0 ? s.total / total : 0;
    tch_buf_add(tch_table_cell(t, TCH_TONE_PLAIN), stage->name, stage->name_len);
    tch_buf_addf(tch_table_cell(t, TCH_TONE_PLAIN), "%llu", (unsigned long long)stage->count);
    tch_table_value(t, TCH_TONE_PLAIN, TCH_NS, s.total * 1e3);
    tch_buf_addf(tch_table_cell(t, TCH_TONE_PLAIN), "%.1f %%", 100 * share);
    tch_buf_addf(tch_table_markup(t), "<span class=\"bar\" style=\"width:%.1fem\"></span>",
                 8 * (share < 1 ? share : 1));
    tch_table_value(t, TCH_TONE_PLAIN, TCH_NS, s.p50 * 1e3);
    tch_table_value(t, TCH_TONE_PLAIN, TCH_NS, s.p95 * 1e3);
    tch_table_value(t, TCH_TONE_PLAIN, TCH_NS, s.max * 1e3);
}

static void add_group(struct tch_buf *b, struct tch_stage_group *group)
{
    char title[64];
    const struct tch_table_column columns[] = {{.title = title},
                                               {.title = "times"},
                                               {.title = "total"},
                                               {.title = "share"},
                                               {.title = "", .css = "text"},
                                               {.title = "p50"},
                                               {.title = "p95"},
                                               {.title = "max"}};
    bool is_stage;
    double total = tch_stage_group_total(group, &is_stage);
    size_t shown = 0;
    struct tch_table t;

    tch_buf_adds(b, "<h3>");
    tch_xml_add(b, group->event, group->event_len);
    tch_buf_adds(b, "</h3>\n");
    snprintf(title, sizeof title, "stage, of %llu events", (unsigned long long)group->events);
    tch_table_init(&t, b, tch_table_html, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < group->count && shown < STAGES_SHOWN; i++)
        if (!group->stages[i].is_count) {
            add_stage(&t, &group->stages[i], total);
            shown++;
        }
    tch_table_end(&t);
}

int tch_part_events(struct tch_buf *b, const struct tch_report_run *run, tacho_error *err)
{
    struct tch_stages stages;
    void *workers[1] = {&stages};
    struct tch_scan scan = {.threads = 1, .workers = workers, .event = tch_stages_add};
    struct tch_scan_counts counts;
    int fd = tch_found_open(run->folder, "profile.jsonl", err);
    int status;

    if (fd < 0)
        return errno == ENOENT ? 0 : fd; /* most programs record no events */
    tch_stages_init(&stages, NULL, NULL);
    status = tch_scan_fd(fd, "profile.jsonl", &scan, &counts, err);
    close(fd);
    if (status == 0 && stages.count > 0) {
        tch_buf_adds(b, "<h2>Stages of the profile events</h2>\n");
        tch_stages_sort(&stages);
        for (size_t i = 0; i < stages.count; i++)
            add_group(b, &stages.groups[i]);
    }
    if (status == 0 && counts.bad > 0)
        tch_buf_addf(b,
                     "<p class=\"sub\">%llu of %llu lines of profile.jsonl are not valid events; "
                     "tacho events validate lists the reasons.</p>\n",
                     (unsigned long long)counts.bad, (unsigned long long)counts.lines);
    tch_stages_release(&stages);
    return status;
}

/* Facts. */

/* Returns whether a text is a SHA-1 or a SHA-256 in hexadecimal digits. */
static bool is_hash(const char *text, size_t len)
{
    return (len == 40 || len == 64) && strspn(text, "0123456789abcdef") >= len;
}

void tch_part_code(struct tch_buf *b, const char *text, size_t len)
{
    bool quoted = len >= 2 && text[0] == '"' && text[len - 1] == '"';
    const char *hash = text + quoted;
    size_t digits = len - 2 * (size_t)quoted;

    tch_buf_adds(b, "<code>");
    if (is_hash(hash, digits)) {
        tch_buf_adds(b, "<abbr title=\"");
        tch_xml_add(b, hash, digits);
        tch_buf_adds(b, "\">");
        tch_xml_add(b, hash, HASH_SHOWN);
        tch_buf_adds(b, "…</abbr>");
    } else {
        tch_xml_add(b, text, len);
    }
    tch_buf_adds(b, "</code>");
}

static void add_json_text(struct tch_buf *b, const struct tch_json_value *value)
{
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    if (value->type == TCH_JSON_STRING && value->len >= 2) {
        struct tch_json_value inside = *value;

        inside.text++;
        inside.len -= 2;
        inside.escaped = memchr(inside.text, '\\', inside.len) != NULL;
        tch_json_unescape(&inside, &text);
    } else {
        tch_buf_add(&text, value->text, value->len);
    }
    tch_part_code(b, text.data, text.len);
    tch_buf_release(&text);
}

static void add_object(struct tch_buf *b, const char *name, const char *json, size_t len,
                       int depth);

static void add_fact(struct tch_buf *b, const char *name, const struct tch_json_value *value,
                     int depth)
{
    if (value->type == TCH_JSON_NULL)
        return;
    if (value->type == TCH_JSON_OBJECT && depth < FACT_DEPTH) {
        add_object(b, name, value->text, value->len, depth + 1);
        return;
    }
    tch_buf_adds(b, "<tr><td>");
    tch_xml_adds(b, name);
    tch_buf_adds(b, "</td><td>");
    add_json_text(b, value);
    tch_buf_adds(b, "</td></tr>\n");
}

/* Adds the members of an object, one row each, named like "plan.runs". */
static void add_object(struct tch_buf *b, const char *name, const char *json, size_t len, int depth)
{
    struct tch_json_reader r;
    struct tch_json_value key;
    struct tch_json_value value;

    tch_json_open(&r, json, len, NULL);
    if (tch_json_read(&r, &value) < 0)
        return;
    while (tch_json_member(&r, &key) > 0) {
        char full[256];

        snprintf(full, sizeof full, "%s%s%.*s", name, name[0] ? "." : "",
                 (int)(key.len < 100 ? key.len : 100), key.text);
        if (tch_json_read_raw(&r, &value) < 0)
            return;
        add_fact(b, full, &value, depth);
    }
}

static bool is_fact(const char *key)
{
    static const char *const left_out[] = {"statistics", "warnings", "samples", "latency"};

    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
        if (strcmp(key, left_out[i]) == 0)
            return false;
    return true;
}

void tch_part_facts(struct tch_buf *b, const struct tch_result *r)
{
    struct tch_buf json;

    tch_buf_init_part(&json, b);
    tch_json_begin_object(&json);
    for (const struct tch_json_field *f = tch_result_fields; f->key; f++)
        if (is_fact(f->key))
            tch_json_field_write(&json, f, r);
    tch_json_others_write_members(&json, &r->others);
    tch_json_end_object(&json);
    tch_buf_adds(b, "<h2>Machine, configuration and plan</h2>\n"
                    "<div class=\"wide\"><table class=\"facts\">\n");
    add_object(b, "", json.data, json.len, 0);
    tch_buf_adds(b, "</table></div>\n");
    tch_buf_release(&json);
}
