/* Reads any bytes as records of the kernel. Their lengths are right; nothing else in them is
   trusted. */
#include <linux/perf_event.h>

#include "kit/flame/sample/collect_records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tch_collect_options options = {.user_stack = size % 2 == 0, .off_cpu = size % 3 == 0};
    struct tch_collect c;
    int status = tch_collect_init(&c, &options, NULL);

    while (status == 0 && size >= sizeof(struct perf_event_header)) {
        struct perf_event_header head;
        struct perf_event_header *record;
        size_t len;

        memcpy(&head, data, sizeof head);
        head.type %= 20; /* the known kinds */
        len = head.size < sizeof head ? sizeof head : head.size < size ? head.size : size;
        head.size = (uint16_t)len;
        record =
            malloc(len); /* of exactly its size, so that a sanitizer detects a read past its end */
        if (!record)
            break;
        memcpy(record, data, len);
        memcpy(record, &head, sizeof head);
        status = tch_collect_record(&c, record, NULL);
        free(record);
        data += len;
        size -= len;
    }
    tch_collect_release(&c);
    return 0;
}
