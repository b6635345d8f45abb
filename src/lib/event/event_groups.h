/*
 * Required groups that several threads looked for.
 */
#ifndef TCH_EVENT_GROUPS_H
#define TCH_EVENT_GROUPS_H

#include <tacho/event.h>

/** What was seen by `from` was seen. Both were made from the same names. */
void tch_event_groups_merge(tacho_event_groups *to, const tacho_event_groups *from);

#endif
