/*
 * The events of a Perfetto trace, with their arguments.
 */
#ifndef TCH_PERFETTO_READ_EVENT_H
#define TCH_PERFETTO_READ_EVENT_H

#include "perfetto_read.h"

/** Passes the event of a packet to the sink. ts is on the clock of the trace. */
int tch_pf_event(struct tch_pf_reader *p, const struct tch_pf_packet *packet, int64_t ts);

#endif
