/* Functions that the tests of the trace tools share. */
#include "tools.h"

#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "kit/trace/trace_rewrite.h"
#include "support/system.h"
#include "support/test.h"

const struct tch_trace_read_options tools_plain = {.args = false};
const struct tch_trace_read_options tools_with_args = {.args = true};

const char tools_full[] =
    "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
    "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":7,\"args\":{\"name\":\"server \\\"x\\\"\"}},\n"
    "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":7,\"tid\":8,\"args\":{\"name\":\"main\"}},\n"
    "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":7,\"tid\":9,\"args\":{\"name\":\"work,er\"}},\n"
    "{\"name\":\"outer\",\"cat\":\"c\",\"ph\":\"B\",\"ts\":10,\"pid\":7,\"tid\":8,"
    "\"args\":{\"a\":1,\"t\":\"x\\ny\",\"n\":{\"k\":[1,2.5,null,true]}}},\n"
    "{\"name\":\"in\\u006eer\",\"cat\":\"c\",\"ph\":\"X\",\"ts\":10.5,\"dur\":2.251,\"pid\":7,"
    "\"tid\":8},\n"
    "{\"name\":\"fl\",\"cat\":\"f\",\"ph\":\"s\",\"id\":5,\"ts\":11,\"bp\":\"e\",\"pid\":7,\"tid\":"
    "8},\n"
    "{\"ph\":\"E\",\"ts\":20,\"pid\":7,\"tid\":8,\"args\":{\"b\":2}},\n"
    "{\"name\":\"consume\",\"cat\":\"c\",\"ph\":\"X\",\"ts\":15,\"dur\":5,\"pid\":7,\"tid\":9},\n"
    "{\"name\":\"fl\",\"cat\":\"f\",\"ph\":\"f\",\"bp\":\"e\",\"id\":5,\"ts\":16,\"pid\":7,\"tid\":"
    "9},\n"
    "{\"name\":\"mem\",\"ph\":\"C\",\"ts\":12,\"pid\":7,\"tid\":7,\"args\":{\"rss\":100}},\n"
    "{\"name\":\"q\",\"ph\":\"C\",\"ts\":13,\"pid\":7,\"tid\":7,\"args\":{\"value\":-3}},\n"
    "{\"name\":\"inner\",\"cat\":\"c\",\"ph\":\"X\",\"ts\":30,\"dur\":0.002,\"pid\":7,\"tid\":8},\n"
    "{\"name\":\"mark\",\"cat\":\"c\",\"ph\":\"i\",\"s\":\"t\",\"ts\":14,\"pid\":7,\"tid\":8}\n"
    "]}\n";

const char *tools_put(const char *name, const char *text)
{
    const char *path = test_at(name);

    test_put(path, text);
    return path;
}

void tools_convert(const char *in, const char *out)
{
    struct tch_write_options writing = {.object = false};
    struct tch_rewritten done;
    tacho_error err;

    if (tch_rewrite(&done, in, out, &tools_with_args, &writing, NULL, &err) < 0)
        fail_msg("%s to %s: %s", in, out, err.message);
    tch_rewritten_release(&done);
}

char *tools_content(const char *path)
{
    struct tch_buf b;
    tacho_error err;

    tch_buf_init(&b, 1 << 20);
    assert_int_equal(tch_file_read(path, 1 << 20, &b, &err), 0);
    return tch_buf_take(&b);
}

const struct tch_trace_summary_row *tools_row(const struct tch_trace_summary *s, const char *name)
{
    for (size_t i = 0; i < s->row_count; i++)
        if (strcmp(tch_intern_text(&s->model.texts, s->rows[i].key), name) == 0)
            return &s->rows[i];
    fail_msg("there is no row %s", name);
    return NULL;
}
