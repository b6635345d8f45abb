/* Makes the kernel's record of a sample that was taken without perf events. */
#include "sample_record.h"

#include <linux/perf_event.h>

static uint8_t *put_words(uint8_t *at, const void *words, size_t bytes)
{
    memcpy(at, words, bytes);
    return at + bytes;
}

static uint8_t *put_word(uint8_t *at, uint64_t word)
{
    return put_words(at, &word, sizeof word);
}

void tch_sample_record(uint8_t *room, const struct tch_ring_record *head, uint32_t stack_bytes,
                       const uint8_t *stack)
{
    struct perf_event_header *record = (void *)room;
    uint8_t *at = room + sizeof *record;

    at = put_word(at, head->regs[8]); /* IP */
    at = put_word(at, (uint64_t)head->tid << 32 | head->pid);
    at = put_word(at, head->time);
    at = put_word(at, (head->weight + 500) / 1000);
    at = put_word(at, 0); /* no callchain */
    at = put_word(at, PERF_SAMPLE_REGS_ABI_64);
    at = put_words(at, head->regs, sizeof head->regs);
    at = put_word(at, stack_bytes);
    memcpy(at, stack, head->len);
    at = put_word(at + stack_bytes, head->len);
    *record = (struct perf_event_header){
        .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .size = (uint16_t)(at - room)};
}
