/* Adds notes about the layouts of the compared programs. */
#include <math.h>
#include <string.h>

#include "base/json_read.h"
#include "run_compare.h"

#define LAYOUT_EFFECT 0.05 /* change of a time that a layout alone can cause: docs/layouts.md */

static void note_spread(struct tch_findings *f, const char *bench, const char *side,
                        const struct tch_receipt *r)
{
    struct tch_layout_spread spread;
    struct tch_buf text;

    tch_run_layout_spread(&r->samples, TCH_WALL, &spread);
    tch_buf_init(&text, 1024);
    tch_layout_spread_describe(&text, &spread);
    tch_findings_note(f, "%s%s%s: %s; judged over layouts, one value of each", bench,
                      bench[0] ? ", " : "", side, text.data);
    tch_buf_release(&text);
}

/* Returns the words after the program in the command's argv, as JSON. */
static struct tch_json_value arguments(const struct tch_receipt *r)
{
    struct tch_json_value argv = {.text = "", .len = 0};
    size_t len = 0;
    const char *command = tch_receipt_raw(r, "command", &len);
    const char *comma;

    if (!command || !tch_json_find(command, len, "argv", &argv) || argv.type != TCH_JSON_ARRAY)
        return (struct tch_json_value){.text = "", .len = 0};
    comma = memchr(argv.text, ',', argv.len);
    if (!comma)
        return (struct tch_json_value){.text = "]", .len = 1};
    argv.len -= (size_t)(comma - argv.text);
    argv.text = comma;
    return argv;
}

/* Returns whether both are the same command, with programs whose bytes differ. */
static bool only_bytes_differ(const struct tch_receipt *a, const struct tch_receipt *b)
{
    struct tch_json_value x = arguments(a);
    struct tch_json_value y = arguments(b);
    char before[TACHO_SHA256_TEXT];
    char now[TACHO_SHA256_TEXT];

    tch_receipt_text(a, "program_sha256", before, sizeof before);
    tch_receipt_text(b, "program_sha256", now, sizeof now);
    return before[0] && now[0] && strcmp(before, now) != 0 && x.len > 0 && x.len == y.len &&
           memcmp(x.text, y.text, x.len) == 0;
}

/* Returns whether a time changed beyond its interval, but only a little. */
static bool is_small_change(const struct tch_verdict_row *r, const struct tch_quantity *q)
{
    double change = r->ratio.estimate - 1;

    return q->unit == TCH_NS && r->ask != TCH_ASK_MAX && r->has_ratio &&
           (r->ratio.low > 1 || r->ratio.high < 1) && fabs(change) < LAYOUT_EFFECT;
}

void tch_compare_note_layouts(struct tch_findings *f, const char *bench,
                              const struct tch_receipt *a, const struct tch_receipt *b, size_t from,
                              size_t count, const char *how)
{
    if (tch_quantity_by_layout(b)) {
        if (a && tch_quantity_by_layout(a))
            note_spread(f, bench, "A", a);
        note_spread(f, bench, "B", b);
        return;
    }
    for (size_t i = from; i < from + count && (!a || only_bytes_differ(a, b)); i++)
        if (is_small_change(&f->rows[i], &f->about[i].quantity)) {
            tch_findings_note(
                f,
                "%s%s%s changed by less than 5 %%, and another layout of the program's "
                "code alone can do that; to judge over layouts: %s",
                bench, bench[0] ? ": " : "", f->about[i].quantity.title, how);
            return;
        }
}
