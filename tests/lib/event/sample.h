/*
 * Sample events for tests.
 */
#ifndef TEST_EVENT_SAMPLE_H
#define TEST_EVENT_SAMPLE_H

/* A valid event with this name, shape, stage_us and runtime_flags. */
#define EVENT_OF(name, shape, stage_us, flags)                                                  \
    "{\"event\":\"" name "\",\"commit_sha\":\"abc\",\"env_hash\":\"sha256:0\",\"model\":\"m\"," \
    "\"concurrency\":4,\"shape\":" shape ",\"stage_us\":" stage_us                              \
    ",\"graph_enabled\":true,\"runtime_flags\":" flags "}"

#define EVENT EVENT_OF("e", "{}", "{\"a\":1}", "{}")

#endif
