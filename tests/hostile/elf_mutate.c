/*
 * Copies a program and changes bytes that tacho reads and the program does not need to run: section
 * headers, symbols, debug information, unwind tables.
 *
 *     hostile_elf_mutate SEED FROM TO
 */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MAX_OF_FILE = 16 << 20, REGIONS = 128, CHANGES = 64 };

struct region {
    uint64_t at, len;
};

static uint8_t data[SIZE_MAX_OF_FILE];
static size_t size;
static struct region regions[REGIONS];
static size_t region_count;
static uint64_t state;

static uint64_t next_random(void) /* splitmix64, Steele and others (2014) */
{
    uint64_t z = state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

static void add_region(uint64_t at, uint64_t len)
{
    if (region_count < REGIONS && len > 0 && at < size && len <= size - at)
        regions[region_count++] = (struct region){at, len};
}

static void find_regions(void)
{
    const Elf64_Ehdr *head = (const void *)data;
    const Elf64_Shdr *list = (const void *)(data + head->e_shoff);
    const char *names = (const char *)data + list[head->e_shstrndx].sh_offset;

    add_region(offsetof(Elf64_Ehdr, e_shoff), sizeof head->e_shoff);
    add_region(offsetof(Elf64_Ehdr, e_shentsize), 6); /* and e_shnum, e_shstrndx */
    for (int i = 0; i < 4; i++) /* chosen more often, because each byte matters */
        add_region(head->e_shoff, (uint64_t)head->e_shnum * sizeof *list);
    for (int i = 1; i < head->e_shnum; i++)
        if (!(list[i].sh_flags & SHF_ALLOC) || strstr(names + list[i].sh_name, "eh_frame") ||
            strstr(names + list[i].sh_name, "build-id"))
            add_region(list[i].sh_offset, list[i].sh_size);
}

static void change_something(void)
{
    static const uint64_t extremes[] = {0, 1, UINT64_MAX, INT64_MAX, UINT32_MAX, 1ull << 40};
    const struct region *r = &regions[next_random() % region_count];
    uint64_t at = r->at + next_random() % r->len;
    uint64_t value = next_random() % 2 ? next_random() : extremes[next_random() % 6];
    size_t len = (size_t)1 << next_random() % 4;

    if (len > r->at + r->len - at)
        len = 1;
    memcpy(data + at, &value, len);
}

int main(int argc, char **argv)
{
    FILE *in = argc == 4 ? fopen(argv[2], "rb") : NULL;
    FILE *out;
    uint64_t count;

    if (!in || (size = fread(data, 1, sizeof data, in)) < sizeof(Elf64_Ehdr))
        return 1;
    fclose(in);
    state = strtoull(argv[1], NULL, 10);
    find_regions();
    count = 1 + next_random() % CHANGES;
    for (uint64_t i = 0; i < count; i++)
        change_something();
    out = fopen(argv[3], "wb");
    return !out || fwrite(data, 1, size, out) != size || fclose(out) != 0;
}
