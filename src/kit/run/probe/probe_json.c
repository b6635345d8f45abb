/* The document tacho.doctor.v1. */
#include <tacho/version.h>

#include "base/json_write.h"
#include "probe.h"

size_t tch_probes_count(const struct tch_probes *probes, enum tch_probe_status status)
{
    size_t count = 0;

    for (size_t i = 0; i < probes->count; i++)
        count += probes->items[i].status == status;
    return count;
}

void tch_probes_json(struct tch_buf *b, const struct tch_probes *probes)
{
    tch_json_begin_object(b);
    tch_json_put_text(b, "schema", "tacho.doctor.v1");
    tch_json_put_text(b, "tacho_version", TACHO_VERSION);
    tch_json_key(b, "counts");
    tch_json_begin_object(b);
    for (int status = 0; status < TCH_PROBE_STATUSES; status++) {
        tch_json_put_u64(b, tch_probe_status_name((enum tch_probe_status)status),
                         tch_probes_count(probes, (enum tch_probe_status)status));
    }
    tch_json_end_object(b);
    tch_json_key(b, "probes");
    tch_json_begin_array(b);
    for (size_t i = 0; i < probes->count; i++) {
        const struct tch_probe *probe = &probes->items[i];

        tch_json_begin_object(b);
        tch_json_put_text(b, "group", probe->group->name);
        tch_json_put_bool(b, "disturbs", probe->group->chapter == TCH_PROBE_DISTURBS);
        tch_json_put_text(b, "name", probe->name);
        tch_json_put_text(b, "status", tch_probe_status_name(probe->status));
        tch_json_put_text(b, "found", probe->found);
        tch_json_put_text(b, "fix", probe->fix);
        tch_json_end_object(b);
    }
    tch_json_end_array(b);
    tch_json_end_object(b);
    tch_json_line_end(b);
}
