/* A library with spans that is loaded and unloaded. */
#include <tacho/trace.h>

__attribute__((visibility("default"))) void plugin_work(void);

void plugin_work(void)
{
    TACHO_SPAN("plugin", "test");
}
