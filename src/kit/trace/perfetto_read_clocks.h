/*
 * The clocks of a Perfetto trace.
 */
#ifndef TCH_PERFETTO_READ_CLOCKS_H
#define TCH_PERFETTO_READ_CLOCKS_H

#include "perfetto_read.h"

int tch_pf_clocks_init(struct tch_pf_reader *p);
void tch_pf_clocks_release(struct tch_pf_reader *p);

/** Reads a snapshot of clocks. */
int tch_pf_read_clocks(struct tch_pf_reader *p, uint32_t sequence,
                       const struct tch_pb_field *snapshot);

/** Converts the packet's time to the clock of the trace. Returns false if no snapshot connects the
    two clocks. */
bool tch_pf_time(struct tch_pf_reader *p, const struct tch_pf_packet *packet, int64_t *ret);

#endif
