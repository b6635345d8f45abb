/*
 * Copies profile events and gives them the commit, the environment hash and the model of the
 * TACHO_PROFILE_ variables, for events of a machine that did not know them:
 *
 *     export TACHO_PROFILE_COMMIT_SHA=abc123 TACHO_PROFILE_MODEL=qwen3
 *     relabel in.jsonl out.jsonl unified_prof
 *
 * Each name after the files must be the name of an event. Nothing is written when a line is not
 * valid.
 */
#include <stdio.h>
#include <stdlib.h>

#include <tacho/event.h>

enum { MOST = 64 * 1024 * 1024 };

/* Returns the text of a file, which the caller frees, or NULL. */
static char *read_text(const char *path, size_t *len)
{
    FILE *in = fopen(path, "rb");
    char *text = in ? malloc(MOST) : NULL;

    *len = text ? fread(text, 1, MOST, in) : 0;
    if (!text || ferror(in) || !feof(in)) {
        fprintf(stderr, "relabel: cannot read '%s', or it is larger than %d bytes\n", path, MOST);
        free(text);
        text = NULL;
    }
    if (in)
        fclose(in);
    return text;
}

static int copy_events(tacho_event_list *list, const tacho_event_config *metadata,
                       tacho_event_writer *writer, tacho_error *err)
{
    int status = 0;

    for (size_t i = 0; i < tacho_event_list_count(list) && status == 0; i++) {
        tacho_event *event = tacho_event_list_at(list, i);

        event->commit_sha = metadata->commit_sha; /* borrowed */
        event->env_hash = metadata->env_hash;
        event->model = metadata->model;
        status = tacho_event_write(writer, event, err);
    }
    return status;
}

int main(int argc, char **argv)
{
    tacho_event_config to = TACHO_EVENT_CONFIG_INIT;
    tacho_event_config *metadata = NULL;
    tacho_event_writer *writer = NULL;
    tacho_event_list *list = NULL;
    char message[TACHO_ERROR_TEXT];
    tacho_error err;
    size_t len;
    char *text;
    int status;

    if (argc < 3) {
        fprintf(stderr, "usage: relabel IN OUT [GROUP...]\n");
        return 2;
    }
    text = read_text(argv[1], &len);
    if (!text)
        return 1;
    to.path = argv[2];
    status = tacho_event_list_from_jsonl(text, len, &list, &err);
    if (status == 0)
        status =
            tacho_event_list_require(list, (const char *const *)argv + 3, (size_t)argc - 3, &err);
    if (status == 0)
        status = tacho_event_metadata_from_env(NULL, &metadata, &err);
    if (status == 0)
        status = tacho_event_open(&to, &writer, &err);
    if (status == 0)
        status = copy_events(list, metadata, writer, &err);
    if (status == 0)
        status = tacho_event_sync(writer, &err);
    if (status < 0)
        fprintf(stderr, "relabel: %s: %s\n", argv[1],
                tacho_error_text(&err, message, sizeof message));
    tacho_event_close(writer);
    free(metadata);
    tacho_event_list_free(list);
    free(text);
    return status == 0 ? 0 : 1;
}
