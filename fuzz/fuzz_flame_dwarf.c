/*
 * Reads any bytes as debug information. The child process that reads it may crash; this process may
 * not. When the child does not crash, libdw in this process must give the same answers.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kit/symbol/dwarf_child.h"
#include "kit/symbol/object/elf_image.h"

enum { QUERIES = 32, STEP = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same_text(const char *a, const char *b)
{
    return (!a && !b) || (a && b && strcmp(a, b) == 0);
}

/* Compares the child's next answer with that of libdw in this process. */
static void compare(struct tch_dwarf_child *child, struct tch_dwarf *dwarf, uint64_t addr,
                    bool lines)
{
    struct tch_scope want[TCH_INLINE_DEEPEST];
    struct tch_scope got[TCH_INLINE_DEEPEST];
    size_t count = dwarf ? tch_dwarf_find(dwarf, addr, lines, want) : 0;

    if (tch_dwarf_child_next(child, got) != count)
        abort();
    for (size_t i = 0; i < count; i++)
        if (!same_text(want[i].name, got[i].name) || !same_text(want[i].file, got[i].file) ||
            want[i].line != got[i].line)
            abort();
}

static void ask(struct tch_dwarf_child *child, int fd, uint64_t start)
{
    struct tch_dwarf_query queries[QUERIES];
    struct tch_dwarf *dwarf = NULL;
    uint32_t object;

    for (uint32_t i = 0; i < QUERIES; i++)
        queries[i] = (struct tch_dwarf_query){.addr = start + (uint64_t)i * STEP};
    for (int lines = 0; lines <= 1; lines++) {
        if (!tch_dwarf_child_find(child, queries, QUERIES, lines))
            abort(); /* the only file cannot crash two children */
        if (tch_dwarf_child_death(child, 0, &object)) {
            if (object != 0)
                abort();
            break;
        }
        if (lines == 0)
            dwarf = tch_dwarf_open(dup(fd));
        for (size_t i = 0; i < QUERIES; i++)
            compare(child, dwarf, queries[i].addr, lines);
    }
    tch_dwarf_close(dwarf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tch_dwarf_child *child;
    struct tch_elf elf;
    uint64_t start;
    int fd;

    if (tch_elf_open_mem(&elf, data, size, NULL) <
        0) /* like a capture, which asks only about ELF files */
        return 0;
    start = elf.entry;
    tch_elf_release(&elf);
    child = tch_dwarf_child_start();
    fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (child && fd >= 0 && write(fd, data, size) == (ssize_t)size) {
        if (tch_dwarf_child_open(child, 0, dup(fd)))
            ask(child, fd, start);
    }
    tch_dwarf_child_close(child);
    if (fd >= 0)
        close(fd);
    return 0;
}
