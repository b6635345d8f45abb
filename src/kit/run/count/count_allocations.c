/*
 * Counts allocations and allocated bytes with tacho-allocations.so, which is preloaded into the
 * command and into all programs that it executes (kit/run/preload/allocations.c).
 *
 * The dynamic linker preloads nothing into a static program. Functions that a program defines
 * itself take precedence over ours. In both cases the count would be a wrong 0, so both are
 * detected in the program's file before the run.
 */
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/fail.h"
#include "count_program.h"
#include "kit/run/preload/allocations_shared.h"
#include "kit/symbol/object/elf_image.h"
#include "process/preload_path.h"

const char *const tch_allocator_names[TCH_COUNT_PARTS] = {
    [TCH_ALLOC_MALLOC] = "malloc",
    [TCH_ALLOC_CALLOC] = "calloc",
    [TCH_ALLOC_REALLOC] = "realloc",
    [TCH_ALLOC_REALLOCARRAY] = "reallocarray",
    [TCH_ALLOC_MEMALIGN] = "memalign",
    [TCH_ALLOC_ALIGNED] = "aligned_alloc",
    [TCH_ALLOC_POSIX_MEMALIGN] = "posix_memalign",
    [TCH_ALLOC_VALLOC] = "valloc",
    [TCH_ALLOC_PVALLOC] = "pvalloc",
    [TCH_ALLOC_NEW] = "operator new",
    [TCH_ALLOC_NEW_ARRAY] = "operator new[]",
};

/* --- The program's file --- */

/* Returns a description of the program's own allocator if a symbol belongs to one, or NULL. */
static const char *own_allocator(const char *symbol)
{
    static const struct {
        const char *symbol;
        const char *what;
    } known[] = {
        {"malloc", "defines malloc itself"},
        {"je_malloc", "contains jemalloc"},
        {"_rjem_malloc", "contains jemalloc"},
        {"mi_malloc", "contains mimalloc"},
        {"tc_malloc", "contains tcmalloc"},
        {"runtime.mallocgc", "allocates by the runtime of Go"},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(symbol, known[i].symbol) == 0)
            return known[i].what;
    return NULL;
}

/* Searches one symbol table for definitions of allocators. */
static const char *search_symbols(const struct tch_elf *elf, const char *table, const char *strings)
{
    const Elf64_Shdr *section = tch_elf_section(elf, table);
    const Elf64_Shdr *names = tch_elf_section(elf, strings);
    const char *found = NULL;
    size_t len = 0;
    size_t text_len = 0;
    Elf64_Sym *symbols = section ? tch_elf_read(elf, section, &len) : NULL;
    char *text = names ? tch_elf_read(elf, names, &text_len) : NULL;

    for (size_t i = 0; symbols && text && i < len / sizeof *symbols && !found; i++)
        if (symbols[i].st_shndx != SHN_UNDEF && symbols[i].st_name < text_len &&
            ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC)
            found = own_allocator(text + symbols[i].st_name);
    free(symbols);
    free(text);
    return found;
}

/* Returns whether the object can be preloaded into a program. A file that is not an ELF file for
   this machine is a script, whose interpreter is counted, or fails to run. */
static bool can_preload(const char *file, char why[TCH_COUNT_TEXT])
{
    struct tch_elf elf = {.fd = -1};
    const char *own = NULL;
    bool dynamic = true;

    if (tch_elf_open(&elf, file, NULL) == 0) {
        dynamic = tch_elf_is_dynamic(&elf);
        own = search_symbols(&elf, ".dynsym", ".dynstr");
        if (!own)
            own = search_symbols(&elf, ".symtab", ".strtab");
    }
    tch_elf_release(&elf);
    if (!dynamic)
        snprintf(why, TCH_COUNT_TEXT, "the program is static, so nothing can be preloaded into it");
    else if (own)
        snprintf(why, TCH_COUNT_TEXT, "the program %s, which a preloaded object does not see", own);
    return dynamic && !own;
}

static bool check(const struct tch_count_target *t, char source[TCH_COUNT_TEXT],
                  char why[TCH_COUNT_TEXT])
{
    char path[PATH_MAX];
    tacho_error err;

    (void)source;
    if (!can_preload(t->file, why))
        return false;
    if (tch_preload_path(TCH_ALLOCATIONS_LIB, path, &err) < 0) {
        snprintf(why, TCH_COUNT_TEXT, "%.190s", err.message);
        return false;
    }
    return true;
}

/* --- A run --- */

static void sum_up(const struct tch_allocation_counters *c, struct tch_tally *tally)
{
    for (size_t i = 0; i < TCH_ALLOCATION_SLOTS; i++) {
        for (size_t k = 0; k < TCH_ALLOCATORS; k++) {
            double calls = (double)atomic_load(&c->slot[i].calls[k]);

            tally->part[k] += calls;
            tally->value[TCH_COUNT_ALLOCATIONS] += calls;
        }
        tally->value[TCH_COUNT_ALLOCATED_BYTES] += (double)atomic_load(&c->slot[i].bytes);
    }
}

/* Returns the environment with LD_PRELOAD, in which our object precedes that of --env, and with the
   variable for the file of the counters. */
static char **make_env(const struct tch_count_target *t, int fd)
{
    struct tch_count_target with = *t;
    const char *before = "";
    char path[PATH_MAX];
    char preload[2 * PATH_MAX];
    char into[64];

    for (char **pair = t->env; *pair; pair++)
        if (strncmp(*pair, "LD_PRELOAD=", 11) == 0)
            before = *pair + 11;
    if (tch_preload_path(TCH_ALLOCATIONS_LIB, path, NULL) < 0)
        return NULL;
    snprintf(preload, sizeof preload, "%s%s%s", path, before[0] ? ":" : "", before);
    snprintf(into, sizeof into, "/proc/%d/fd/%d", (int)getpid(), fd);
    with.env = tch_count_env_with(t, "LD_PRELOAD", preload);
    return with.env ? tch_count_env_with(&with, TCH_ALLOCATIONS_INTO, into) : NULL;
}

struct tch_allocation_counters *tch_allocations_prepare(const struct tch_count_target *t,
                                                        struct tch_count_start *start,
                                                        struct tch_tally *tally)
{
    struct tch_allocation_counters *c = MAP_FAILED;
    int fd = memfd_create("tacho-allocations", MFD_CLOEXEC);

    if (fd >= 0 && ftruncate(fd, sizeof *c) == 0)
        c = mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    *start = (struct tch_count_start){
        .path = t->path, .argv = t->argv, .env = c != MAP_FAILED ? make_env(t, fd) : NULL};
    if (start->env)
        return c;
    tch_tally_fail(tally, TACHO_EIO, "there is no memory for the counters");
    return NULL;
}

static void count(const struct tch_count_target *t, struct tch_tally *tally)
{
    struct tch_count_start start;
    struct tch_allocation_counters *c = tch_allocations_prepare(t, &start, tally);
    pid_t pid = c ? tch_count_start(&start, tally) : -1;

    if (pid < 0)
        return;
    tch_count_wait(pid, tally);
    if (atomic_load(&c->loaded) == 0 && tally->status == 0)
        tch_tally_fail(tally, TACHO_EUNSUPPORTED, "the program did not load tacho-allocations.so");
    sum_up(c, tally);
}

const struct tch_count_backend tch_count_allocations = {
    .counts = 1u << TCH_COUNT_ALLOCATIONS | 1u << TCH_COUNT_ALLOCATED_BYTES,
    .source = "preloaded counters, with descendants that are not static",
    .check = check,
    .count = count,
    .part_names = tch_allocator_names,
};
