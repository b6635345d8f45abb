/* Makes realistic lines: made-up events, and real lines with varied values. */
#include "json_input.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/json_write.h"
#include "bench.h"
#include "peers.h"

enum { MODEL_MAX = 64 << 20, MODEL_ENTRIES = 66 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static uint64_t below(uint64_t *random, uint64_t count)
{
    return bench_random(random) % count;
}

/* Adds about as many random digits as before; without a leading zero unless that is allowed. */
static void add_digits(struct tch_buf *b, size_t old, bool zero_first, uint64_t *random)
{
    size_t count = old - 1 + (size_t)below(random, 3);

    if (count == 0 || count > 17)
        count = old;
    for (size_t i = 0; i < count; i++) {
        uint64_t least = i == 0 && count > 1 && !zero_first;

        tch_buf_addc(b, (char)('0' + least + below(random, 10 - least)));
    }
}

static size_t digits(const char *text, const char *end)
{
    size_t n = 0;

    while (text + n < end && is_digit(text[n]))
        n++;
    return n;
}

/* Varies a number and returns its end. An exponent is kept, because another one might make it
   infinite. */
static const char *vary_number(struct tch_buf *b, const char *text, const char *end,
                               uint64_t *random)
{
    size_t n;

    if (*text == '-')
        tch_buf_addc(b, *text++);
    n = digits(text, end);
    add_digits(b, n, false, random);
    text += n;
    if (text < end && *text == '.') {
        tch_buf_addc(b, *text++);
        n = digits(text, end);
        add_digits(b, n, true, random);
        text += n;
    }
    while (text < end && (is_digit(*text) || strchr("eE+-", *text)))
        tch_buf_addc(b, *text++);
    return text;
}

/* Varies the text between two quotes: other digits, and up to 4 bytes more or fewer. */
static void vary_text(struct tch_buf *b, const char *text, size_t len, uint64_t *random)
{
    size_t more = (size_t)below(random, 9);
    size_t keep = more < 4 && len > 4 ? len - 4 + more : len;

    for (size_t i = 0; i < keep; i++)
        tch_buf_addc(b, is_digit(text[i]) ? (char)('0' + below(random, 10)) : text[i]);
    for (size_t i = 4; i < more; i++)
        tch_buf_addc(b, (char)('a' + below(random, 26)));
}

static bool is_plain(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (text[i] == '\\' || (unsigned char)text[i] >= 0x80)
            return false;
    return true;
}

/* Varies the string that starts at text and returns the text after its closing quote. Keys are not
   changed. */
static const char *vary_string(struct tch_buf *b, const char *text, const char *end,
                               uint64_t *random)
{
    const char *close = text + 1;

    while (close < end && *close != '"')
        close += *close == '\\' ? 2 : 1;
    if (close >= end)
        close = end - 1; /* not JSON; it is copied, and the parsers will refuse it */
    if (close + 1 >= end || close[1] == ':' || !is_plain(text + 1, (size_t)(close - text - 1))) {
        tch_buf_add(b, text, (size_t)(close + 1 - text));
    } else {
        tch_buf_addc(b, '"');
        vary_text(b, text + 1, (size_t)(close - text - 1), random);
        tch_buf_addc(b, '"');
    }
    return close + 1;
}

static void vary_line(struct tch_buf *b, const char *text, size_t len, uint64_t *random)
{
    const char *end = text + len;

    while (text < end) {
        const char *stop = text;

        while (stop < end && *stop != '"' && *stop != '-' && !is_digit(*stop))
            stop++;
        tch_buf_add(b, text, (size_t)(stop - text));
        text = stop;
        if (text < end && *text == '"')
            text = vary_string(b, text, end, random);
        else if (text < end)
            text = vary_number(b, text, end, random);
    }
    tch_buf_addc(b, '\n');
}

/* Moves the content of b to the input and leaves b empty. */
static int take(struct json_input *in, struct tch_buf *b)
{
    size_t len = b->len;

    tch_buf_add(b, (char[PEER_PADDING]){0}, PEER_PADDING);
    in->text = tch_buf_take(b);
    in->len = in->text ? len : 0;
    if (in->text)
        return 0;
    fputs("bench_json: out of memory\n", stderr);
    return -1;
}

/* Repeats the lines of `model` that are not empty, varied, until there are size bytes. */
static int vary(struct json_input *in, const struct tch_buf *model, size_t size)
{
    uint64_t random = 1;
    const char *line = model->data;
    const char *end = model->data + model->len;
    struct tch_buf b;

    *in = (struct json_input){0};
    tch_buf_init(&b, size + 2 * MODEL_MAX);
    while (b.len < size && !b.failed) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        size_t len = (size_t)((stop ? stop : end) - line);

        if (len > 0) {
            vary_line(&b, line, len, &random);
            in->lines++;
        }
        line += len + 1;
        if (line >= end)
            line = model->data;
    }
    return take(in, &b);
}

int json_input_from_files(struct json_input *in, char *const *paths, size_t count, size_t size)
{
    struct tch_buf model;
    tacho_error err;
    int status = -1;

    *in = (struct json_input){0};
    tch_buf_init(&model, MODEL_MAX);
    for (size_t i = 0; i < count; i++) {
        if (tch_file_read(paths[i], MODEL_MAX, &model, &err) < 0) {
            fprintf(stderr, "bench_json: %s\n", err.message);
            goto out;
        }
        tch_buf_addc(&model, '\n'); /* where the last line lacks it; empty lines do not count */
    }
    if (strspn(model.data, "\n") == model.len)
        fputs("bench_json: the input files are empty\n", stderr);
    else
        status = vary(in, &model, size);
out:
    tch_buf_release(&model);
    return status;
}

static const char head[] =
    "{\"event\":\"first_token_prof\",\"commit_sha\":\"5f01af002d44ec58e2242f63ff085e54ba9a9e8c\","
    "\"env_hash\":\"sha256:98a4e8ec9d1a01234aba99881ee555abfae00f4031b10444ee824946a32c6a58\","
    "\"model\":\"example-27b-gptq\",\"concurrency\":16,\"shape\":{\"chunk_len\":23,"
    "\"chunk_start\":0,\"request_id\":\"3f152c38-b6c5-43f8-a45f-e4e4b75e58ff\"},"
    "\"stage_us\":{\"model_batch\":2811421,\"queue_to_first_token\":2812686},"
    "\"graph_enabled\":false,\"runtime_flags\":{\"schema_version\":1,\"preset\":null,"
    "\"selected_gpu_devices\":[0],\"selected_max_sequences\":16,\"entries\":[";

int json_input_from_nothing(struct json_input *in, size_t size)
{
    static const char *const names[] = {"BATCH", "GRAPH", "KV_CAPACITY", "MAX_TOKENS", "ARGMAX"};
    static const char *const values[] = {"0", "1024", "auto", "legacy_paged", "512"};
    static const char *const affects[] = {"\"performance\"", "\"performance\",\"diagnostics\"",
                                          "\"memory\",\"correctness\""};
    struct tch_buf model;
    int status;

    tch_buf_init(&model, MODEL_MAX);
    tch_buf_adds(&model, head);
    for (size_t i = 0; i < MODEL_ENTRIES; i++)
        tch_buf_addf(&model,
                     "%s{\"key\":\"EXAMPLE_%s_%zu\",\"effective_value\":\"%s\","
                     "\"source\":\"memory_profile\",\"affects\":[%s]}",
                     i > 0 ? "," : "", names[i % 5], i, values[i * 7 % 5], affects[i % 3]);
    tch_buf_adds(&model, "]},\"source\":\"native\"}\n");
    status = vary(in, &model, size);
    tch_buf_release(&model);
    return status;
}

static void add_hex(struct tch_buf *b, size_t count, uint64_t *random)
{
    for (size_t i = 0; i < count; i++)
        tch_buf_addc(b, "0123456789abcdef"[below(random, 16)]);
}

/* Returns a timing or a size of one to seven digits, all lengths equally likely. */
static uint64_t some_number(uint64_t *random)
{
    uint64_t most = 10;

    for (uint64_t more = below(random, 7); more > 0; more--)
        most *= 10;
    return below(random, most);
}

static void add_members(struct tch_buf *b, const char *key, const char *const names[3],
                        uint64_t *random)
{
    tch_json_key(b, key);
    tch_json_begin_object(b);
    for (size_t i = 0; i < 3; i++) {
        tch_json_key(b, names[i]);
        tch_json_u64(b, some_number(random));
    }
    tch_json_end_object(b);
}

/* Adds the part of an event after the model's name. */
static void add_tail(struct tch_buf *b, uint64_t *random)
{
    static const char *const shape[] = {"batch", "layers", "tokens"};
    static const char *const stages[] = {"attention", "gemm", "norm"};

    tch_json_put_u64(b, "concurrency", 1 + some_number(random) % 1000);
    add_members(b, "shape", shape, random);
    add_members(b, "stage_us", stages, random);
    tch_json_put_bool(b, "graph_enabled", below(random, 2) == 0);
    tch_json_key(b, "runtime_flags");
    tch_json_begin_object(b);
    tch_json_put_u64(b, "schema_version", 1);
    tch_json_end_object(b);
    tch_json_put_text(b, "source", "native");
    tch_json_end_object(b);
    tch_json_line_end(b);
}

/* The model's name fills the line up to the size, so that the other parts move within the line. */
static void add_event(struct tch_buf *b, struct tch_buf *tail, uint64_t *random)
{
    size_t end = b->len + JSON_EVENT_SIZE;

    tch_buf_clear(tail);
    tch_json_part(tail, "\"", 1, true);
    add_tail(tail, random);
    tch_buf_adds(b, "{\"event\":\"bucket_prof\",\"commit_sha\":\"");
    add_hex(b, 32, random); /* short enough to leave room for a name */
    tch_buf_adds(b, "\",\"env_hash\":\"sha256:");
    add_hex(b, 64, random);
    tch_buf_adds(b, "\",\"model\":\"");
    while (b->len + tail->len < end && !b->failed)
        tch_buf_addc(b, (char)('a' + below(random, 26)));
    tch_buf_add(b, tail->data, tail->len);
}

int json_input_events(struct json_input *in, size_t size)
{
    uint64_t random = 1;
    struct tch_buf b, tail;

    *in = (struct json_input){0};
    tch_buf_init(&tail, JSON_EVENT_SIZE);
    tch_buf_init(&b, size + JSON_EVENT_SIZE + PEER_PADDING);
    while (b.len < size && !b.failed) {
        add_event(&b, &tail, &random);
        in->lines++;
    }
    tch_buf_release(&tail);
    return take(in, &b);
}

void json_input_release(struct json_input *in)
{
    free(in->text);
    *in = (struct json_input){0};
}
