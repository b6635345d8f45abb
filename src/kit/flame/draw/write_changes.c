/* Writes the functions that changed most between the two profiles of a differential. */
#include "base/fail.h"
#include "change_text.h"
#include "profile_formats.h"

int tch_write_changes(const struct tch_profile *profile, const struct tch_format_options *options,
                      struct tch_sink *sink)
{
    struct tch_changes changes;
    int status;

    if (!profile->stacks->before)
        return tch_fail(sink->err, TACHO_EINVAL, 0,
                        "'%s' has one count per line; changes need two profiles: use tacho flame "
                        "diff",
                        profile->name);
    status = tch_stacks_changes(profile->stacks, &changes, sink->err);
    if (status == 0)
        tch_changes_text(&sink->b, profile->stacks, &changes, options->columns);
    tch_sink_step(sink);
    return status < 0 ? status : sink->status;
}
