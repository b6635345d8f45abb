/* Required groups: names of events that must occur in a file. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/fail.h"
#include "event_parse.h"

struct group {
    char *name;
    bool seen;
};

struct tacho_event_groups {
    size_t count;
    struct group groups[];
};

int tacho_event_groups_new(const char *const *names, size_t count, tacho_event_groups **ret,
                           tacho_error *err)
{
    tacho_event_groups *groups = calloc(1, sizeof *groups + count * sizeof groups->groups[0]);

    if (!groups)
        return tch_fail_memory(err);
    for (; groups->count < count; groups->count++) {
        size_t size = strlen(names[groups->count]) + 1;
        char *name = malloc(size);

        if (!name) {
            tacho_event_groups_free(groups);
            return tch_fail_memory(err);
        }
        groups->groups[groups->count].name = memcpy(name, names[groups->count], size);
    }
    *ret = groups;
    return 0;
}

void tacho_event_groups_free(tacho_event_groups *groups)
{
    if (!groups)
        return;
    for (size_t i = 0; i < groups->count; i++)
        free(groups->groups[i].name);
    free(groups);
}

void tacho_event_groups_see(tacho_event_groups *groups, const tacho_event_view *event)
{
    struct tch_json_value name = tch_raw_string(event->event);

    for (size_t i = 0; i < groups->count; i++)
        if (!groups->groups[i].seen && tch_json_is(&name, groups->groups[i].name))
            groups->groups[i].seen = true;
}

void tacho_event_groups_see_name(tacho_event_groups *groups, const char *name)
{
    for (size_t i = 0; i < groups->count; i++)
        if (strcmp(groups->groups[i].name, name) == 0)
            groups->groups[i].seen = true;
}

void tch_event_groups_merge(tacho_event_groups *to, const tacho_event_groups *from)
{
    for (size_t i = 0; i < to->count; i++)
        to->groups[i].seen |= from->groups[i].seen;
}

const char *tacho_event_groups_missing(const tacho_event_groups *groups, const char *after)
{
    for (size_t i = 0; i < groups->count; i++) {
        const struct group *group = &groups->groups[i];

        if (after) {
            if (group->name == after)
                after = NULL;
        } else if (!group->seen) {
            return group->name;
        }
    }
    return NULL;
}

int tacho_event_groups_check(const tacho_event_groups *groups, tacho_error *err)
{
    char mem[sizeof err->message];
    const char *name = tacho_event_groups_missing(groups, NULL);
    struct tch_buf b;

    if (!name)
        return 0;
    tch_buf_init_on(&b, mem, sizeof mem,
                    sizeof mem - 1); /* as many names as fit into the message */
    tch_buf_adds(&b, name);
    while ((name = tacho_event_groups_missing(groups, name))) {
        tch_buf_adds(&b, ", ");
        tch_buf_adds(&b, name);
    }
    return tch_fail(err, TACHO_EPARSE, 0, "missing profile event groups: %s", b.data);
}
