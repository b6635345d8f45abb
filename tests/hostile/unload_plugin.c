/* A plugin that is linked with libtacho.a: records a span and counts a latency in the thread that
   calls it. */
#include <tacho/latency.h>
#include <tacho/trace.h>

__attribute__((visibility("default"))) void plugin_work(void);

void plugin_work(void)
{
    tacho_latency_recorder *latency = NULL;
    TACHO_SPAN("plugin", "test");

    if (tacho_latency_recorder_new(&latency, NULL) == 0)
        tacho_latency_recorder_record(latency, 1);
    tacho_latency_recorder_free(latency);
}
