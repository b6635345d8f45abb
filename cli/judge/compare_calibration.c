/* The part of `tacho compare` that uses a calibration. */
#include <errno.h>

#include "compare_parts.h"

/* Reads the calibration of a name, if there is one. An unreadable calibration is not used. */
static bool read_calibration_of(struct compare *c, const char *name)
{
    const char *machine_class = c->runs[1].result.machine_class;
    char path[PATH_MAX];
    tacho_error err = {0};

    if (tch_baseline_path(path, TCH_CALIBRATIONS, name, machine_class, NULL) < 0)
        return false;
    if (tch_calibration_read(&c->calibration, path, name, machine_class, &err) == 0)
        return true;
    tch_calibration_release(&c->calibration);
    if (err.system_errno != ENOENT)
        tch_findings_note(&c->findings, "the calibration '%.150s' is not used: %.200s", path,
                          err.message);
    return false;
}

void cli_compare_read_calibration(struct compare *c)
{
    const struct tch_result *a = &c->runs[0].result;
    const struct tch_result *b = &c->runs[1].result;
    bool same = strcmp(a->name, b->name) == 0;

    if (c->force ||
        (!read_calibration_of(c, b->name) && (same || !read_calibration_of(c, a->name))))
        return;
    if (same && strcmp(a->command.line, b->command.line) == 0)
        c->findings.calibration = &c->calibration;
}

void cli_compare_note_unseen(struct compare *c)
{
    const struct tch_calibration_occasion *o =
        tch_calibration_latest(&c->calibration, c->runs[1].result.command.line);
    struct tch_unseen unseen = {0};
    char text[TCH_UNSEEN_TEXT];

    if (!o)
        o = tch_calibration_latest(&c->calibration, c->runs[0].result.command.line);
    for (size_t i = 0; o && i < c->rows[1]; i++) {
        const struct tch_about *about = &c->findings.about[i];

        if (about->ask == TCH_ASK_RATIO && about->paired && !about->exact)
            tch_unseen_add(&unseen, o, about->bench, &about->metric, &about->budget,
                           c->findings.rows[i].b_count);
    }
    if (unseen.count == 0)
        return;
    tch_unseen_describe(&unseen, "tacho run -n", text);
    tch_findings_note(&c->findings, "%s", text);
}
