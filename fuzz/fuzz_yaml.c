/* Reads any bytes as YAML settings, which gives a tree within its limits or an error with a valid
   place. */
#include <stdint.h>
#include <stdlib.h>

#include "kit/config/yaml.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t count_nodes(const struct tch_yaml_node *node, unsigned depth)
{
    size_t count = 1;
    size_t children = 0;

    if (depth > TCH_YAML_DEPTH)
        abort();
    for (const struct tch_yaml_node *child = node->first; child; child = child->next) {
        count += count_nodes(child, depth + 1);
        children++;
    }
    if (children != node->count)
        abort();
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tch_yaml yaml;
    tacho_error err = {0};
    int status = tch_yaml_parse(&yaml, (const char *)data, size, &err);

    if (status == 0 && count_nodes(yaml.root, 0) != yaml.count)
        abort();
    if (status == TACHO_EPARSE && err.line == 0)
        abort();
    tch_yaml_release(&yaml);
    return 0;
}
