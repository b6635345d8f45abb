/* Converts profiles from text to text, for tests. */
#include "profile.h"

#include "support/test.h"

/* Reads a profile. A failed assertion leaks memory, but it ends the test anyway. */
static void read_text(struct tch_stacks *stacks, struct tch_timeline *timeline, const char *text,
                      size_t len, const struct tch_flame_read_options *options,
                      struct tch_read_notes *notes)
{
    struct tch_flame_reader reader;
    tacho_error err;

    tch_read_init(&reader, stacks, options);
    reader.timeline = timeline;
    assert_int_equal(tch_read_mem(&reader, text, len, &err), 0);
    if (notes) {
        *notes = reader.notes;
        notes->events.list = NULL;
        notes->event_counts = NULL;
    }
    tch_read_release(&reader);
}

/* Removes the comment on the unit, which readers of folded stacks skip. */
static char *without_comment(char *folded)
{
    if (strncmp(folded, "# tacho:", 8) == 0) {
        const char *rest = strchr(folded, '\n') + 1;

        memmove(folded, rest, strlen(rest) + 1);
    }
    return folded;
}

char *test_convert(const char *text, size_t len, const struct tch_flame_read_options *read,
                   const char *format, const struct tch_format_options *write,
                   struct tch_read_notes *notes)
{
    static const struct tch_flame_read_options plain_read;
    static const struct tch_format_options plain_write;
    struct tch_stacks stacks = {0};
    struct tch_timeline timeline = {0};
    struct tch_profile profile = {.stacks = &stacks, .timeline = &timeline, .name = "test"};
    struct tch_sink sink;
    struct tch_buf out;
    tacho_error err;

    tch_buf_init(&out, 1 << 28);
    read_text(&stacks, &timeline, text, len, read ? read : &plain_read, notes);
    tch_sink_init(&sink, tch_sink_to_buf, &out, &err);
    assert_int_equal(
        tch_format_by_name(format)->write(&profile, write ? write : &plain_write, &sink), 0);
    assert_int_equal(tch_sink_end(&sink), 0);
    tch_stacks_release(&stacks);
    tch_timeline_release(&timeline);
    if (out.len == 0) /* an empty buffer has no memory that could be taken */
        tch_buf_add(&out, "", 1);
    return strcmp(format, "folded") == 0 ? without_comment(tch_buf_take(&out)) : tch_buf_take(&out);
}

char *test_fold(const char *text, const struct tch_flame_read_options *read,
                struct tch_read_notes *notes)
{
    return test_convert(text, strlen(text), read, "folded", NULL, notes);
}

void test_folds(const char *text, const struct tch_flame_read_options *read, const char *wanted)
{
    char *got = test_fold(text, read, NULL);

    assert_string_equal(got, wanted);
    free(got);
}
