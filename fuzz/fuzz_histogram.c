/* Decodes any bytes as a histogram and any text as a line of a log. A decoded histogram encodes to
   the same counts. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <tacho/latency.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Histograms with finer buckets know min and max more exactly than ours, so percentiles agree only
   within a bucket. */
static unsigned p99_bucket(const tacho_histogram *h)
{
    return tacho_histogram_index(tacho_histogram_percentile(h, 99));
}

static void round_trip(tacho_histogram *h)
{
    tacho_histogram *back = NULL;
    void *bytes;
    size_t len;

    if (tacho_histogram_encode(h, &bytes, &len, NULL) < 0)
        return;
    if (tacho_histogram_decode(bytes, len, &back, NULL) < 0 ||
        tacho_histogram_count(h) != tacho_histogram_count(back) ||
        p99_bucket(h) != p99_bucket(back))
        __builtin_trap();
    free(bytes);
    tacho_histogram_free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tacho_histogram *h = NULL;

    if (tacho_histogram_decode(data, size, &h, NULL) == 0) {
        round_trip(h);
        tacho_histogram_free(h);
    }
    if (tacho_histogram_parse_line((const char *)data, size, &h, NULL) == 0) {
        round_trip(h);
        tacho_histogram_free(h);
    }
    return 0;
}
