/*
 * Reads the files of a program that was killed, or whose disk was full.
 *
 *     ./salvage FILE...
 *
 *     *.tacho          a recording of spans: converted to a Perfetto trace beside it
 *     *.witness.jsonl  a witness log: checked as far as it goes
 *     *.jsonl          profile events: counted, also after torn lines
 *     *.hlog           a log of histograms: merged
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tacho/tacho.h>

enum { FILE_MAX = 64 << 20, PATH_SIZE = 4096 };

static int complain(const char *path, const tacho_error *err)
{
    char text[512];

    fprintf(stderr, "salvage: %s: %s\n", path, tacho_error_text(err, text, sizeof text));
    return -1;
}

/* Returns the content of a file, or NULL. The caller frees it. */
static char *read_whole(const char *path, size_t *len)
{
    FILE *in = fopen(path, "rb");
    char *data = in ? malloc(FILE_MAX) : NULL;

    *len = data ? fread(data, 1, FILE_MAX, in) : 0;
    if (!data)
        perror(path);
    if (in)
        fclose(in);
    return data;
}

static int salvage_spans(const char *path)
{
    char out[PATH_SIZE];
    tacho_error err;

    snprintf(out, sizeof out, "%.*s.pftrace", (int)(strlen(path) - strlen(".tacho")), path);
    if (tacho_trace_convert(path, out, &err) < 0)
        return complain(path, &err);
    printf("%s: written to %s\n", path, out);
    return 0;
}

static int salvage_events(const char *path, const char *data, size_t len)
{
    tacho_event_view event = TACHO_EVENT_VIEW_INIT;
    tacho_event_reader *reader = NULL;
    unsigned long good = 0, bad = 0;
    tacho_error err;
    int more;

    if (tacho_event_reader_open_mem(data, len, &reader, &err) < 0)
        return complain(path, &err);
    while ((more = tacho_event_next(reader, &event, &err)) != 0) {
        if (more == 1) {
            good++;
        } else if (more == TACHO_EPARSE || more == TACHO_ELIMIT) {
            complain(path, &err);
            bad++;
        } else {
            break;
        }
    }
    printf("%s: %lu events, %lu lines without one, %llu torn\n", path, good, bad,
           (unsigned long long)tacho_event_reader_torn(reader));
    tacho_event_reader_close(reader);
    return more < 0 ? complain(path, &err) : 0;
}

static int salvage_witness(const char *path, const char *data, size_t len)
{
    tacho_witness_reader *reader = NULL;
    tacho_witness_entry entry;
    tacho_error err;
    int more;

    if (tacho_witness_reader_open_mem(data, len, &reader, &err) < 0)
        return complain(path, &err);
    do
        more = tacho_witness_next(reader, &entry, &err);
    while (more == 1);
    printf("%s: %llu entries, %s\n", path,
           (unsigned long long)tacho_witness_reader_entry_count(reader),
           tacho_witness_reader_is_closed(reader) ? "closed"
                                                  : "not closed: the last may be missing");
    tacho_witness_reader_close(reader);
    return more < 0 ? complain(path, &err) : 0;
}

/* Reads one histogram per line. Other lines, such as comments and a truncated last line, are
   skipped. */
static int salvage_histograms(const char *path, const char *data, size_t len)
{
    tacho_histogram *all = NULL, *one = NULL;
    unsigned long lines = 0;
    tacho_error err;

    if (tacho_histogram_new(&all, &err) < 0)
        return complain(path, &err);
    for (const char *at = data, *end = data + len, *line_end; at < end; at = line_end + 1) {
        line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end)
            line_end = end;
        if (tacho_histogram_parse_line(at, (size_t)(line_end - at), &one, NULL) < 0)
            continue;
        tacho_histogram_merge(all, one);
        tacho_histogram_free(one);
        lines++;
    }
    printf("%s: %lu histograms, %llu values, p99 %llu\n", path, lines,
           (unsigned long long)tacho_histogram_count(all),
           (unsigned long long)tacho_histogram_percentile(all, 99));
    tacho_histogram_free(all);
    return 0;
}

static int ends_with(const char *path, const char *end)
{
    size_t len = strlen(path), end_len = strlen(end);

    return len >= end_len && strcmp(path + len - end_len, end) == 0;
}

static int salvage(const char *path)
{
    size_t len;
    char *data;
    int status;

    if (ends_with(path, ".tacho"))
        return salvage_spans(path);
    data = read_whole(path, &len);
    if (!data)
        return -1;
    if (ends_with(path, ".witness.jsonl"))
        status = salvage_witness(path, data, len);
    else if (ends_with(path, ".hlog"))
        status = salvage_histograms(path, data, len);
    else
        status = salvage_events(path, data, len);
    free(data);
    return status;
}

int main(int argc, char **argv)
{
    int status = EXIT_SUCCESS;

    for (int i = 1; i < argc; i++)
        if (salvage(argv[i]) < 0)
            status = EXIT_FAILURE;
    return status;
}
