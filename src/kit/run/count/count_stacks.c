/*
 * Takes the stack of every system call or allocation of a command, in one more run under ptrace.
 *
 * The counter stops each call, reads the registers and the stack of its thread, and unwinds them
 * with the unwinder of flamegraphs. Allocations are system calls here, too: the preloaded object
 * makes one that does not exist at each allocation (TCH_ALLOCATION_CALL). When the command has
 * exited, the counter names the functions, adds up the calls with the same names, and writes the
 * result as JSON, in the form of run.json, to a file that it shares with tacho. tacho keeps the
 * stacks only if this run made as many calls as the counted ones.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/file.h"
#include "count_program.h"
#include "kit/flame/sample/collect_proc.h"
#include "kit/flame/sample/sample_record.h"
#include "kit/flame/sample/sample_stopped.h"
#include "kit/run/preload/allocations_shared.h"
#include "kit/symbol/symbol_worker.h"

enum {
    CALLS_MAX = 300000, /* limit of calls; a stack takes some 40 us */
    RESULT_MAX = 16 << 20,
};

/* Calls of one function with one stack of addresses. */
struct key {
    uint32_t stack;
    uint32_t part;
};

/* Numbers of one key or text. */
struct sums {
    double calls;
    double bytes;
};

/* Keys or texts, each with its sums. */
struct table {
    struct tch_intern keys;
    struct sums *sums;
};

/* The maps of a thread are as old as the generation in which they were read. */
struct seen {
    pid_t tid;
    uint64_t generation;
};

struct taker {
    const struct tch_count_target *t;
    struct tch_tally *tally;
    struct tch_collect collect;
    uint8_t room[TCH_SAMPLE_ROOM];
    struct table by_address;
    struct table by_name;
    struct seen *seen;
    size_t seen_count;
    uint64_t generation; /* changes when any process maps code */
};

static bool table_add(struct table *t, const void *key, size_t len, struct sums sums)
{
    uint32_t before = t->keys.count;
    uint32_t at = tch_intern_add(&t->keys, key, len);

    if (at == TCH_INTERN_NONE || (at == before && tch_array_extend(&t->sums, at) < 0))
        return false;
    if (at == before)
        t->sums[at] = (struct sums){0};
    t->sums[at].calls += sums.calls;
    t->sums[at].bytes += sums.bytes;
    return true;
}

/* --- During the run --- */

static bool fail(struct taker *k, const tacho_error *err)
{
    tch_tally_fail(k->tally, err->code, "%.190s", err->message);
    return false;
}

/* Reads the maps of a thread if code may have been mapped since they were read. */
static int refresh_maps(struct taker *k, pid_t tid, tacho_error *err)
{
    size_t i = 0;

    while (i < k->seen_count && k->seen[i].tid != tid)
        i++;
    if (i == k->seen_count) {
        if (tch_array_extend(&k->seen, k->seen_count) < 0)
            return tch_fail_memory(err);
        k->seen[k->seen_count++] = (struct seen){.tid = tid};
    }
    if (k->seen[i].generation == k->generation)
        return 0;
    k->seen[i].generation = k->generation;
    return tch_collect_process(&k->collect, (uint32_t)tid, err);
}

/* Adds a call to the sums of its stack. */
static bool take(struct taker *k, const struct tch_traced_call *call, uint32_t part, double bytes)
{
    struct key key = {.stack = UINT32_MAX, .part = part};
    tacho_error err;
    int64_t stack = 0;
    int status = call->first ? 0 : refresh_maps(k, call->tid, &err);

    if (status == 0 && !call->first) {
        stack = tch_sample_stopped(&k->collect, call->tid, k->room, &err);
        key.stack = (uint32_t)stack;
    }
    if (status == 0 && stack >= 0 &&
        !table_add(&k->by_address, &key, sizeof key, (struct sums){1, bytes}))
        status = tch_fail_memory(&err);
    return status == 0 && stack >= 0 ? true : fail(k, &err);
}

static bool on_call(void *ctx, const struct tch_traced_call *call)
{
    struct taker *k = ctx;
    bool fine = true;
    bool allocates =
        call->nr >= TCH_ALLOCATION_CALL && call->nr < TCH_ALLOCATION_CALL + TCH_ALLOCATORS;

    if (k->t->stacks_of == TCH_COUNT_SYSCALLS)
        fine = take(k, call, (uint32_t)call->part, 0);
    else if (allocates)
        fine = take(k, call, (uint32_t)(call->nr - TCH_ALLOCATION_CALL), (double)call->args[0]);
    if (call->nr == SYS_execve || call->nr == SYS_execveat ||
        (call->nr == SYS_mmap && call->args[2] & PROT_EXEC) ||
        (call->nr == SYS_mprotect && call->args[2] & PROT_EXEC))
        k->generation++;
    return fine;
}

/* --- After the run --- */

static bool is_preloaded(const struct taker *k, uint32_t place)
{
    const char *path = k->collect.objects.list[k->collect.places.list[place].object]->path;
    const char *slash = path ? strrchr(path, '/') : NULL;

    return slash && strcmp(slash + 1, TCH_ALLOCATIONS_LIB) == 0;
}

/* Returns how many places remain without those of the preloaded object and of what it calls, which
   are at the leaf end. */
static size_t own_places(const struct taker *k, const uint32_t *places, size_t count)
{
    size_t left = count;

    while (left > 1 && !is_preloaded(k, places[left - 1]))
        left--;
    if (left <= 1)
        return count;
    while (left > 1 && is_preloaded(k, places[left - 1]))
        left--;
    return left;
}

/* Returns the length of a name without the mark of inlined functions: two builds that inline
   differently have the same names. */
static size_t name_len(const struct tch_intern *texts, uint32_t name)
{
    size_t len = tch_intern_len(texts, name);

    return len > 4 && strcmp(tch_intern_text(texts, name) + len - 4, "_[i]") == 0 ? len - 4 : len;
}

/* Writes "main;work;malloc". A text that is too long loses its root end. The C library's function
   of the same name as the call is left out. */
static void join(char out[TCH_COUNT_STACK_TEXT], const struct tch_intern *texts,
                 const uint32_t *names, size_t count, const char *call)
{
    size_t used = strlen(call) + sizeof "...;";
    size_t at;
    size_t len;

    if (count > 0 && strcmp(tch_intern_text(texts, names[count - 1]), call) == 0)
        count--;
    at = count;
    while (at > 0 && used + name_len(texts, names[at - 1]) + 1 < TCH_COUNT_STACK_TEXT)
        used += name_len(texts, names[--at]) + 1;
    len = at > 0 ? (size_t)snprintf(out, TCH_COUNT_STACK_TEXT, "...;") : 0;
    for (; at < count; at++) {
        size_t start = len;

        len += (size_t)snprintf(out + len, TCH_COUNT_STACK_TEXT - len, "%.*s",
                                (int)name_len(texts, names[at]), tch_intern_text(texts, names[at]));
        for (char *p = memchr(out + start, ';', len - start); p; p = strchr(p, ';'))
            *p = ',';
        out[len++] = ';';
    }
    snprintf(out + len, TCH_COUNT_STACK_TEXT - len, "%s", call);
}

/* Adds the calls of one key under the names of its functions. rows has room for two stacks. */
static bool name_key(struct taker *k, const struct tch_symbols *symbols, uint32_t at,
                     uint32_t *rows)
{
    uint32_t *names = rows + TCH_STACK_DEEPEST;
    bool allocates = k->t->stacks_of != TCH_COUNT_SYSCALLS;
    char text[TCH_COUNT_STACK_TEXT];
    const char *call;
    struct key key;
    size_t count = 0;
    size_t len = 0;

    memcpy(&key, tch_intern_text(&k->by_address.keys, at), sizeof key);
    call = (allocates ? tch_allocator_names : tch_syscall_names)[key.part];
    if (key.stack != UINT32_MAX)
        count = tch_stacks_frames(&k->collect.stacks, key.stack, rows);
    if (allocates)
        count = own_places(k, rows, count);
    for (size_t i = 1; i < count; i++) { /* the first one is the name of the thread */
        struct tch_naming naming = symbols->list[rows[i]];

        for (uint32_t m = 0; m < naming.count && len < TCH_STACK_DEEPEST; m++)
            names[len++] = symbols->frames[naming.at + m];
    }
    join(text, symbols->names, names, len, call ? call : "unknown");
    return table_add(&k->by_name, text, strlen(text), k->by_address.sums[at]);
}

static int name_all(struct taker *k, tacho_error *err)
{
    struct tch_symbol_options options = {0};
    struct tch_intern names = {0};
    struct tch_symbols symbols;
    struct tch_symbol_worker worker;
    uint32_t *rows = malloc(2 * TCH_STACK_DEEPEST * sizeof *rows);
    int status;

    tch_symbols_init(&symbols, &options, &names);
    status = tch_symbol_worker_start(&worker, &symbols, err);
    if (status == 0) {
        int named;

        status = tch_symbol_worker_feed(&worker, &k->collect.places, &k->collect.objects, err);
        named = tch_symbol_worker_finish(&worker, status == 0 ? err : NULL);
        status = status < 0 ? status : named;
    }
    for (uint32_t i = 0; status == 0 && i < k->by_address.keys.count; i++)
        if (!rows || !name_key(k, &symbols, i, rows))
            status = tch_fail_memory(err);
    tch_symbols_release(&symbols);
    tch_intern_release(&names);
    free(rows);
    return status;
}

/* Fills one count from the sums. The texts still belong to the table. */
static bool fill(const struct taker *k, struct tch_count *c, bool bytes)
{
    double sum = 0;

    c->asked = true;
    c->stacks = calloc(k->by_name.keys.count + 1, sizeof *c->stacks);
    for (uint32_t i = 0; c->stacks && i < k->by_name.keys.count; i++) {
        double value = bytes ? k->by_name.sums[i].bytes : k->by_name.sums[i].calls;

        c->stacks[c->stack_count++] = (struct tch_count_stack){
            .text = (char *)tch_intern_text(&k->by_name.keys, i), .value = value};
        sum += value;
    }
    return c->stacks && tch_values_add(&c->values, sum, NULL) == 0;
}

static int write_result(struct taker *k, tacho_error *err)
{
    bool allocates = k->t->stacks_of != TCH_COUNT_SYSCALLS;
    struct tch_counts counts = {0};
    struct tch_buf b;
    int status = 0;

    if (k->by_name.keys.count > TCH_COUNT_STACKS)
        return tch_fail(err, TACHO_EUNSUPPORTED, 0, "there are more than %d different stacks",
                        (int)TCH_COUNT_STACKS);
    tch_buf_init(&b, RESULT_MAX);
    if (!fill(k, &counts.of[k->t->stacks_of], false) ||
        (allocates && !fill(k, &counts.of[TCH_COUNT_ALLOCATED_BYTES], true)))
        status = tch_fail_memory(err);
    tch_counts_write(&b, &counts);
    if (status == 0 && b.failed)
        status = tch_fail(err, TACHO_EUNSUPPORTED, 0, "the stacks are larger than %d MB",
                          RESULT_MAX >> 20);
    if (status == 0)
        status = tch_write_all(k->t->stacks_fd, "the stacks", b.data, b.len, err);
    tch_buf_release(&b);
    return status; /* the counter exits now, which releases the rest */
}

static void count(const struct tch_count_target *t, struct tch_tally *tally)
{
    const struct tch_collect_options options = {.user_stack = true, .by_hand = true};
    static struct taker k;
    struct tch_count_start start = {.path = t->path, .argv = t->argv, .env = t->env};
    tacho_error err;

    k = (struct taker){.t = t, .tally = tally, .generation = 1};
    if (tch_collect_init(&k.collect, &options, &err) < 0) {
        (void)fail(&k, &err);
        return;
    }
    if (t->stacks_of != TCH_COUNT_SYSCALLS) {
        struct tch_allocation_counters *c = tch_allocations_prepare(t, &start, tally);

        if (!c)
            return;
        atomic_store(&c->announce, true);
    }
    tch_count_trace(&start, tally, on_call, &k);
    if (tally->code == 0 && (name_all(&k, &err) < 0 || write_result(&k, &err) < 0))
        (void)fail(&k, &err);
}

static const struct tch_count_backend backend = {.count = count};

/* --- In tacho --- */

/* Moves the stacks that the counter wrote to one count. */
static void keep(struct tch_count *c, struct tch_count *taken)
{
    if (taken->values.n == 0 || taken->values.v[0] != c->values.v[0]) {
        snprintf(c->no_stacks, sizeof c->no_stacks,
                 "the run that took stacks counted %.0f, the others %.0f",
                 taken->values.n > 0 ? taken->values.v[0] : 0, c->values.v[0]);
        return;
    }
    c->stacks = taken->stacks;
    c->stack_count = taken->stack_count;
    taken->stacks = NULL;
    taken->stack_count = 0;
}

/* Reads the stacks that the counter wrote. */
static int read_result(int fd, enum tch_count_kind kind, struct tch_counts *counts,
                       tacho_error *err)
{
    struct tch_counts taken = {0};
    struct tch_json_reader j;
    struct tch_buf b;
    char path[64];
    int status;

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    tch_buf_init(&b, RESULT_MAX);
    status = tch_file_read(path, RESULT_MAX, &b, err);
    tch_json_open(&j, b.data, b.len, err);
    if (status == 0)
        status = tch_counts_read(&j, &taken, err);
    if (status == 0) {
        keep(&counts->of[kind], &taken.of[kind]);
        if (kind == TCH_COUNT_ALLOCATIONS && counts->of[TCH_COUNT_ALLOCATED_BYTES].values.n > 0)
            keep(&counts->of[TCH_COUNT_ALLOCATED_BYTES], &taken.of[TCH_COUNT_ALLOCATED_BYTES]);
    }
    tch_counts_release(&taken);
    tch_buf_release(&b);
    return status;
}

/* Takes the stacks of one kind of calls. */
static int take_stacks(const struct tch_count_job *job, struct tch_count_target *t,
                       struct tch_counts *counts, tacho_error *err)
{
    struct tch_count *c = &counts->of[t->stacks_of];
    struct tch_tally tally = {0};
    int status;

    t->stacks_fd = memfd_create("tacho-stacks", MFD_CLOEXEC);
    if (t->stacks_fd < 0)
        return tch_fail_errno(err, errno, "cannot make the memory for stacks");
    status = tch_count_make_run(job, &backend, t, &tally, err);
    if (status == 0 && tally.code != 0)
        snprintf(c->no_stacks, sizeof c->no_stacks, "%s", tally.why);
    else if (status == 0 && tch_count_succeeded(job->plan, &tally, c->no_stacks))
        status = read_result(t->stacks_fd, t->stacks_of, counts, err);
    close(t->stacks_fd);
    return status;
}

int tch_count_take_stacks(const struct tch_count_job *job, struct tch_counts *counts,
                          tacho_error *err)
{
    static const enum tch_count_kind kinds[] = {TCH_COUNT_SYSCALLS, TCH_COUNT_ALLOCATIONS};
    struct tch_count_target target;
    int status = tch_count_target_init(&target, job->plan, job->index, err);

    for (size_t i = 0; i < 2 && status == 0; i++) {
        struct tch_count *c = &counts->of[kinds[i]];

        target.stacks_of = kinds[i];
        if (c->values.n == 0 || c->stacks)
            continue;
        if (!tch_count_exact(c))
            snprintf(c->no_stacks, sizeof c->no_stacks, "the count differs between runs");
        else if (c->values.v[0] > CALLS_MAX)
            snprintf(c->no_stacks, sizeof c->no_stacks,
                     "there are %.0f calls; stacks are taken of at most %d", c->values.v[0],
                     (int)CALLS_MAX);
        else
            status = take_stacks(job, &target, counts, err);
    }
    tch_count_target_release(&target);
    return status;
}
