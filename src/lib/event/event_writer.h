/*
 * The writer that writes nothing, for who cannot do without one.
 */
#ifndef TCH_EVENT_WRITER_H
#define TCH_EVENT_WRITER_H

#include <tacho/event.h>

/** Not to be closed. */
extern tacho_event_writer tch_event_disabled;

#endif
