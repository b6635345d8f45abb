/* Names of sites and texts. Each distinct name is written to the recording once, before its
   first use. Looking up a name takes no lock: buckets and entries are only ever added, with
   release stores. */

#include "trace_names.h"

#include <sys/mman.h>

#include "base/hash.h"
#include "recording_chunks.h"
#include "trace_start.h"

enum {
    BUCKETS = 1 << 18, /* 2 MiB of address space; a page takes memory once it is used */
    NAMES_MAX = BUCKETS / 2,
    TABLE_BYTES = TCH_REC_CHUNK - TCH_REC_CHUNK_HEADER,
    ENTRY_HEAD = 16,
};

/* A name as it is in a table of the recording. */
struct entry {
    uint64_t word;    /* kind, words, id */
    uint64_t lengths; /* of the first and the second text, number of arguments */
    char bytes[];
};

static struct tch_rec_chunk *tables[TCH_TABLES];
static unsigned table_count;
static size_t table_used; /* bytes of the last table */
static uint32_t text_count;
static uint32_t site_count = TCH_REC_SITE_FIRST - 1;
static uint32_t name_count;
static struct entry **buckets;

/* Number of values of each plain site. NO_SITE and WIDER are the site bits of a word that was not
   written and of one that starts a wide record: they are not 0, so tch_trace_all_plain() rejects
   both. */
enum { NO_SITE = 0, WIDER = TCH_REC_WIDE >> 1 };

static uint8_t site_values[WIDER + 1] = {[NO_SITE] = 1, [WIDER] = 1};

/* An argument of a site, as it is in a table. */
struct arg {
    uint32_t key;
    uint32_t type;
};

/* The key of a name in the table. The second text of a TCH_REC_TEXT is empty. */
struct key {
    enum tch_rec_entry kind;
    const char *first, *second;
    size_t first_len, second_len;
    const struct arg *args;
    size_t arg_count;
};

static uint64_t hash_of(const struct key *k)
{
    uint64_t hash = tch_hash_mix(tch_hash(k->first, k->first_len) + (uint64_t)k->kind,
                                 tch_hash(k->second, k->second_len));

    if (k->arg_count > 0)
        hash = tch_hash_mix(hash, tch_hash(k->args, k->arg_count * sizeof *k->args));
    return hash;
}

static uint64_t lengths_of(const struct key *k)
{
    return (uint64_t)k->arg_count << 32 | (k->second_len & 0xFFFF) << 16 | (k->first_len & 0xFFFF);
}

static bool is_entry(const struct entry *e, const struct key *k)
{
    const char *second = e->bytes + k->first_len, *args = second + k->second_len;

    return (e->word & 0xFF) == (uint64_t)k->kind && e->lengths == lengths_of(k) &&
           memcmp(e->bytes, k->first, k->first_len) == 0 &&
           memcmp(second, k->second, k->second_len) == 0 &&
           (k->arg_count == 0 || memcmp(args, k->args, k->arg_count * sizeof *k->args) == 0);
}

/* Returns the bucket of k, or the empty bucket where it belongs. */
static struct entry **find_bucket(struct entry **in, const struct key *k)
{
    uint32_t i = (uint32_t)(hash_of(k) % BUCKETS);
    struct entry *e;

    while ((e = __atomic_load_n(&in[i], __ATOMIC_ACQUIRE)) && !is_entry(e, k))
        i = (i + 1) % BUCKETS;
    return &in[i];
}

/* Makes room for `size` bytes in the last table. The lock is held. */
static bool make_table_room(size_t size)
{
    enum tch_rec_reason why = TCH_REC_NAMES;
    struct tch_rec_chunk *chunk;

    if (table_count > 0 && table_used + size <= TABLE_BYTES)
        return true;
    chunk = table_count < TCH_TABLES ? tch_chunk_map(NULL, NULL, 0, &why) : NULL;
    if (!chunk) {
        tch_recorder_drop(0, why);
        return false;
    }
    chunk->type = TCH_REC_TABLE;
    chunk->lane = table_count;
    __atomic_store_n(&chunk->magic, TCH_REC_CHUNK_MAGIC, __ATOMIC_RELEASE);
    tables[table_count++] = chunk;
    table_used = 0;
    return true;
}

/* Adds a name to the last table. Its first word is written last, so an entry that has it is
   complete. */
static struct entry *add_entry(const struct key *k)
{
    size_t args = k->arg_count * sizeof *k->args;
    size_t words = (ENTRY_HEAD + k->first_len + k->second_len + args + 7) / 8;
    struct entry *e;
    uint32_t id;

    if (name_count == NAMES_MAX) {
        tch_recorder_drop(0, TCH_REC_NAMES);
        return NULL;
    }
    if (!make_table_room(words * 8))
        return NULL;
    e = (struct entry *)((char *)(tables[table_count - 1] + 1) + table_used);
    id = k->kind == TCH_REC_SITE ? ++site_count : ++text_count;
    e->lengths = lengths_of(k);
    memcpy(e->bytes, k->first, k->first_len);
    memcpy(e->bytes + k->first_len, k->second, k->second_len);
    if (args > 0)
        memcpy(e->bytes + k->first_len + k->second_len, k->args, args);
    if (k->kind == TCH_REC_SITE && id < TCH_REC_SITE_PLAIN)
        __atomic_store_n(&site_values[id], (uint8_t)k->arg_count, __ATOMIC_RELAXED);
    __atomic_store_n(&e->word, (uint64_t)id << 32 | words << 8 | (uint64_t)k->kind,
                     __ATOMIC_RELEASE);
    table_used += words * 8;
    name_count++;
    return e;
}

static bool make_buckets(void)
{
    void *at;

    if (buckets)
        return true;
    at = mmap(NULL, BUCKETS * sizeof *buckets, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return false;
    __atomic_store_n(&buckets, at, __ATOMIC_RELEASE);
    return true;
}

static struct entry *intern_new(const struct key *k)
{
    struct entry *e = NULL;
    struct tch_shield before;

    tch_trace_lock(&before);
    if (tch_recorder.state == TCH_TRACE_WAITING)
        tch_trace_make_waiting();
    if (tch_recorder.state == TCH_TRACE_ON && make_buckets()) {
        struct entry **bucket = find_bucket(buckets, k);

        e = *bucket;
        if (!e && (e = add_entry(k)))
            __atomic_store_n(bucket, e, __ATOMIC_RELEASE);
    }
    tch_trace_unlock(&before);
    tch_recorder_say_lost();
    return e;
}

static uint32_t intern(const struct key *k)
{
    struct entry **in = __atomic_load_n(&buckets, __ATOMIC_ACQUIRE);
    struct entry *e = in ? __atomic_load_n(find_bucket(in, k), __ATOMIC_ACQUIRE) : NULL;

    /* The empty bucket may have received another key since it was found. */
    if (!e || !is_entry(e, k))
        e = intern_new(k);
    return e ? (uint32_t)(e->word >> 32) : 0;
}

static size_t bounded_length(const char *text)
{
    size_t len = text ? strnlen(text, TCH_TEXT_MAX + 1) : 0;

    if (len <= TCH_TEXT_MAX)
        return len;
    tch_recorder_cut();
    return TCH_TEXT_MAX;
}

uint32_t tch_trace_site(const char *name, const char *category)
{
    return intern(&(struct key){.kind = TCH_REC_SITE,
                                .first = name ? name : "",
                                .second = category ? category : "",
                                .first_len = bounded_length(name),
                                .second_len = bounded_length(category)});
}

uint32_t tch_trace_site_args(const char *name, const char *category, tacho_fields args)
{
    struct arg list[TACHO_ARGS_MAX];

    for (size_t i = 0; i < args.count; i++) {
        list[i] = (struct arg){tch_trace_text(args.data[i].key), (uint32_t)args.data[i].type};
        if (list[i].key == 0)
            return 0;
    }
    return intern(&(struct key){.kind = TCH_REC_SITE,
                                .first = name,
                                .second = category,
                                .first_len = bounded_length(name),
                                .second_len = bounded_length(category),
                                .args = list,
                                .arg_count = args.count});
}

unsigned tch_trace_site_values(uint32_t site)
{
    return site > NO_SITE && site < TCH_REC_SITE_PLAIN
               ? __atomic_load_n(&site_values[site], __ATOMIC_RELAXED)
               : 0;
}

bool tch_trace_all_plain(const uint64_t *words, size_t count)
{
    unsigned values = 0;

    for (size_t i = 0; i < count; i++)
        values |= __atomic_load_n(&site_values[(words[i] & 0xFFFF) >> 1], __ATOMIC_RELAXED);
    return values == 0;
}

uint32_t tch_trace_text(const char *text)
{
    return intern(&(struct key){.kind = TCH_REC_TEXT,
                                .first = text ? text : "",
                                .second = "",
                                .first_len = bounded_length(text)});
}

static size_t used_bytes(unsigned table)
{
    return table + 1 < table_count ? TCH_REC_CHUNK : TCH_REC_CHUNK_HEADER + table_used;
}

/* Copies only the entries that this process knows: after a fork the parent continues to fill its
   own tables. */
bool tch_table_move(void)
{
    enum tch_rec_reason why;

    for (unsigned i = 0; i < table_count; i++) {
        if (!tch_chunk_map(tables[i], tables[i], used_bytes(i), &why))
            return false;
    }
    return true;
}

void tch_table_detach(void)
{
    for (unsigned i = 0; i < table_count; i++) {
        void *copy =
            mmap(NULL, TCH_REC_CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

        if (copy == MAP_FAILED)
            continue;                           /* this table stays mapped to the file */
        memcpy(copy, tables[i], used_bytes(i)); /* the rest is zero in both */
        if (mremap(copy, TCH_REC_CHUNK, TCH_REC_CHUNK, MREMAP_MAYMOVE | MREMAP_FIXED, tables[i]) ==
            MAP_FAILED)
            munmap(copy, TCH_REC_CHUNK);
    }
}
