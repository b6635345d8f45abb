/*
 * Arguments of events in the Perfetto format.
 */
#ifndef TCH_PERFETTO_WRITER_ARGS_H
#define TCH_PERFETTO_WRITER_ARGS_H

#include "perfetto_writer.h"

/** Adds the arguments to the event that is being made. */
void tch_pf_add_args(struct tch_perfetto *p, const struct tch_ev *ev);

#endif
