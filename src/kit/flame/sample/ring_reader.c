/* Reads samples from shared memory and turns them into the records that the kernel's perf events
   would have. */
#include "ring_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "collect_proc.h"
#include "sample_record.h"

enum {
    SLOTS_PER_CPU = 128,
    SLOTS_LEAST = 256,
    CLOCK_SLACK = 10 * 1000 * 1000, /* ns by which two clocks may differ, */
    CLOCK_ERROR = 10,               /* and a tenth of the time */
};

static uint32_t slot_count(void)
{
    long wanted = SLOTS_PER_CPU * sysconf(_SC_NPROCESSORS_ONLN);

    return wanted < SLOTS_LEAST          ? SLOTS_LEAST
           : wanted > TCH_RING_SLOTS_MAX ? TCH_RING_SLOTS_MAX
                                         : (uint32_t)wanted;
}

int tch_ring_open(struct tch_ring_reader *r, uint32_t stack_bytes, uint32_t rate, tacho_error *err)
{
    uint32_t slot = (uint32_t)sizeof(struct tch_ring_record) + stack_bytes;
    uint32_t slots = slot_count();

    *r = (struct tch_ring_reader){.fd = -1};
    slot = (slot + 63) / 64 * 64;
    r->bytes = TCH_RING_DATA + (size_t)slots * slot;
    r->record = malloc(TCH_SAMPLE_ROOM);
    if (!r->record)
        return tch_fail_memory(err);
    r->fd = memfd_create("tacho-samples", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    /* The seals keep the command from truncating the memory, which would kill us with SIGBUS. */
    if (r->fd < 0 || ftruncate(r->fd, (off_t)r->bytes) < 0 ||
        fcntl(r->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return tch_fail_errno(err, errno, "cannot make the memory for samples");
    /* Touches all pages now. In the sampled program, the first access to a page would cost more
       than the rest of a sample. */
    r->ring = mmap(NULL, r->bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd, 0);
    if (r->ring == MAP_FAILED) {
        r->ring = NULL;
        return tch_fail_errno(err, errno, "cannot map the memory for samples");
    }
    r->sizes = (struct tch_ring_head){
        .magic = TCH_RING_MAGIC,
        .version = TCH_RING_VERSION,
        .slots = slots,
        .slot_bytes = slot,
        .stack_bytes = stack_bytes,
        .period_ns = 1000000000u / rate,
    };
    *r->ring = r->sizes;
    r->opened_ns = tch_now_ns();
    r->cpus = (uint64_t)sysconf(_SC_NPROCESSORS_CONF);
    return 0;
}

void tch_ring_close(struct tch_ring_reader *r)
{
    if (r->ring)
        munmap(r->ring, r->bytes);
    if (r->fd >= 0)
        close(r->fd);
    free(r->record);
    *r = (struct tch_ring_reader){.fd = -1};
}

void tch_ring_stop(struct tch_ring_reader *r)
{
    if (r->ring)
        __atomic_store_n(&r->ring->stop, 1, __ATOMIC_RELEASE);
}

double tch_ring_rate(const struct tch_ring_reader *r)
{
    return r->weight_ns > 0 ? (double)r->samples * 1e9 / (double)r->weight_ns : 0;
}

static int add_sample(struct tch_ring_reader *r, const struct tch_ring_record *head,
                      const uint8_t *stack, struct tch_collect *c, tacho_error *err)
{
    tch_sample_record(r->record, head, r->sizes.stack_bytes, stack);
    r->samples++;
    r->weight_ns += head->weight;
    return tch_collect_record(c, (const void *)r->record, err);
}

/* Returns whether the program has overwritten the record. A thread cannot have run longer than
   this capture, and all threads together not longer than all CPUs. */
static bool is_damaged(const struct tch_ring_reader *r, const struct tch_ring_record *head)
{
    uint64_t passed = tch_now_ns() - r->opened_ns + CLOCK_SLACK;

    if (head->kind == TCH_RING_SAMPLE)
        return head->len > r->sizes.stack_bytes || head->weight > passed ||
               r->weight_ns + head->weight > (passed + passed / CLOCK_ERROR) * r->cpus;
    return head->kind > TCH_RING_EXEC || head->len > tch_ring_room(&r->sizes);
}

/* Reads the head of the slot only once, because the sampled program may write into it at any
   time. */
static int add_record(struct tch_ring_reader *r, const struct tch_ring_record *slot,
                      struct tch_collect *c, tacho_error *err)
{
    struct tch_ring_record head;
    char *text = (char *)r->record;

    memcpy(&head, slot, sizeof head);
    if (is_damaged(r, &head)) {
        r->damaged++;
        return 0;
    }
    if (head.kind == TCH_RING_SAMPLE)
        return add_sample(r, &head, slot->data, c, err);
    if (tch_collect_refuses(c))
        return 0;
    memcpy(text, slot->data, head.len);
    text[head.len] = '\0';
    if (head.kind == TCH_RING_MAPS)
        return tch_collect_maps(c, head.pid, text, err);
    return tch_maps_comm(&c->maps, head.pid, head.tid, text, head.kind == TCH_RING_EXEC)
               ? 0
               : tch_fail_memory(err);
}

/* A full slot and the time of its record, by which slots are sorted. */
struct ready {
    uint64_t time;
    uint32_t slot;
};

static int by_time(const void *left, const void *right)
{
    const struct ready *a = left;
    const struct ready *b = right;

    return a->time < b->time ? -1 : a->time > b->time;
}

/* Frees a slot that was claimed by a thread that no longer exists. */
static void free_abandoned(struct tch_ring_head *ring, uint32_t at, uint64_t state)
{
    if (kill((pid_t)(state >> 32), 0) < 0 && errno == ESRCH)
        __atomic_compare_exchange_n(&ring->state[at], &state, TCH_SLOT_FREE, false,
                                    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static struct tch_ring_record *slot_of(const struct tch_ring_reader *r, uint32_t at)
{
    return (void *)((uint8_t *)r->ring + TCH_RING_DATA + (size_t)at * r->sizes.slot_bytes);
}

int tch_ring_drain(struct tch_ring_reader *r, uint64_t until, struct tch_collect *c,
                   tacho_error *err)
{
    struct ready ready[TCH_RING_SLOTS_MAX];
    size_t count = 0;
    int status = 0;

    for (uint32_t i = 0; i < r->sizes.slots; i++) {
        uint64_t state = __atomic_load_n(&r->ring->state[i], __ATOMIC_ACQUIRE);
        uint64_t time = slot_of(r, i)->time;

        if ((uint32_t)state == TCH_SLOT_FULL && time <= until)
            ready[count++] = (struct ready){time, i};
        else if ((uint32_t)state == TCH_SLOT_CLAIMED)
            free_abandoned(r->ring, i, state);
    }
    qsort(ready, count, sizeof *ready, by_time);
    for (size_t i = 0; i < count; i++) {
        if (status == 0)
            status = add_record(r, slot_of(r, ready[i].slot), c, err);
        __atomic_store_n(&r->ring->state[ready[i].slot], TCH_SLOT_FREE, __ATOMIC_RELEASE);
    }
    tch_maps_reap(&c->maps, until, tch_now_ns());
    return status;
}
