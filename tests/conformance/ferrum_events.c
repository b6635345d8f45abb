/* Profile events of ferrum (ferrum_bench_core, profile.rs): its tests, against <tacho/event.h>. */
#include <tacho/event.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conformance.h"

/* Parses a file that must hold valid events alone, and copies the first one's name. Returns how
   many there are. */
static size_t count_events(const char *path, char *name, size_t size)
{
    tacho_event_reader *reader = NULL;
    tacho_event_view event;
    size_t len;
    char *text = read_whole(path, &len);
    size_t count = 0;
    int status;

    CHECK_INT(tacho_event_reader_open(text, len, &reader, NULL), 0);
    while ((status = tacho_event_next(reader, &event, NULL)) > 0)
        if (count++ == 0)
            CHECK_INT(tacho_raw_text(event.event, name, size, NULL, NULL), 0);
    CHECK_INT(status, 0);
    tacho_event_reader_close(reader);
    free(text);
    return count;
}

static void disabled_profile_writer_is_noop(void)
{
    tacho_event_writer *writer = NULL;
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;

    CHECK_INT(tacho_event_open(&config, &writer, NULL), 0);
    CHECK(!tacho_event_is_enabled(writer));
    CHECK_INT(tacho_event_push_json(writer, "iter_prof", "{\"batch_size\":1}", "{\"total\":10}",
                                    false, NULL),
              0);
    CHECK_TEXT(tacho_event_path(writer), NULL);
    tacho_event_close(writer);
}

static void enabled_profile_writer_writes_valid_jsonl(void)
{
    tacho_event_writer *writer = NULL;
    tacho_event_config config = TACHO_EVENT_CONFIG_INIT;
    char name[64];

    config.path = "profile.jsonl";
    config.commit_sha = "abc123";
    config.env_hash = "sha256:env";
    config.model = "model";
    config.concurrency = 32;
    config.runtime_flags = "{\"schema_version\":1}";
    CHECK_INT(tacho_event_open(&config, &writer, NULL), 0);
    CHECK_INT(tacho_event_push_json(writer, "bucket_prof", "{\"layers\":48}",
                                    "{\"gemm1\":1200,\"gemm3\":800}", true, NULL),
              0);
    CHECK_INT(tacho_event_flush(writer, NULL), 0);
    CHECK_INT(count_events("profile.jsonl", name, sizeof name), 1);
    CHECK_TEXT(name, "bucket_prof");
    tacho_event_close(writer);
}

static const struct conformance_case cases[] = {
    CASE(disabled_profile_writer_is_noop),
    CASE(enabled_profile_writer_writes_valid_jsonl),
};

CONFORMANCE_MAIN(cases)
