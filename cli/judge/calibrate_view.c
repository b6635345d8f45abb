/* Prints a calibration on the terminal. */
#include <math.h>

#include "calibrate_parts.h"
#include "cli/core/table.h"
#include "cli/run/run_view.h"
#include "kit/report/calibration_page.h"
#include "kit/text/human_number.h"

static const struct tch_calibration_occasion *newest(const struct calibrate *c)
{
    return &c->kept.occasions[c->kept.count - 1];
}

static void add_head(struct tch_buf *b, const struct term *term, const struct calibrate *c)
{
    const struct tch_calibration_occasion *o = newest(c);
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    tch_buf_addf(&text, "%llu pairs of '%s' against itself, ", (unsigned long long)o->pairs,
                 c->name);
    tch_add_value(&text, TCH_NS, o->pair_seconds * 1e9);
    tch_buf_adds(&text, " each");
    cli_add_labelled(b, term, BOLD, "calibrated: ", text.data);
    tch_buf_release(&text);
}

static void add_notes(struct tch_buf *b, const struct term *term, const struct calibrate *c)
{
    const struct tch_calibration_occasion *o = newest(c);
    struct tch_buf text;

    tch_buf_init_part(&text, b);
    if (o->occasions > 1)
        tch_buf_addf(&text, "%llu occasions of this machine class are known",
                     (unsigned long long)o->occasions);
    else
        tch_buf_adds(&text, "this is the first occasion, so the session spread is assumed; "
                            "calibrate again on other days");
    cli_add_labelled(b, term, BOLD, "sessions:    ", text.data);
    tch_buf_release(&text);
}

void cli_add_calibration(struct tch_buf *b, const struct term *term, const struct calibrate *c,
                         bool quiet)
{
    struct cli_text_table text;

    if (c->made)
        cli_add_warnings(b, term, c->made);
    add_head(b, term, c);
    tch_buf_addc(b, '\n');
    tch_calibration_noise_table(b, cli_text_form(&text, term, 2), newest(c), c->metrics, c->count);
    tch_buf_adds(b, "\nsmallest change beyond the tolerance that 'tacho gate' detects in 9 of 10 "
                    "reports:\n");
    tch_calibration_sight_table(b, cli_text_form(&text, term, 2), newest(c), c->metrics, c->count);
    tch_buf_addc(b, '\n');
    add_notes(b, term, c);
    if (quiet)
        return;
    if (c->path[0])
        tch_buf_addf(b, "kept:   %s\n", c->path);
    tch_buf_addf(b, "report: %s\n", c->page);
}
