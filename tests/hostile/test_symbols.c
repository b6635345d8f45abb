/*
 * Program files that a profiled user made for the profiler of somebody else: sparse files of
 * terabytes, symbols that share long names, devices in place of libraries. Each must cost as much
 * as the data that it has.
 */
#include "support/test.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32.h"
#include "kit/symbol/object/debug_file.h"
#include "kit/symbol/symbol.h"
#include "kit/symbol/symbol_table.h"
#include "support/system.h"

enum {
    CODE = 0x1000,
    HEADERS = 0x1000, /* offset of the sections' data */
    SECTIONS_MAX = 8,
    MEGABYTE = 1 << 20,
};

/* Gigabytes and terabytes do not fit an enum. */
static const uint64_t giga = UINT64_C(1) << 30;
static const uint64_t tera = UINT64_C(1) << 40;

/* An ELF file under construction. */
struct made {
    int fd;
    Elf64_Shdr list[SECTIONS_MAX];
    size_t count;
    char names[256];
    size_t names_len;
    uint64_t at; /* offset for the next section */
};

static void put_at(int fd, const void *data, size_t len, uint64_t offset)
{
    assert_int_equal(pwrite(fd, data, len, (off_t)offset), len);
}

static void begin(struct made *m, const char *name)
{
    *m = (struct made){.fd = open(test_at(name), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600),
                       .count = 1,
                       .names_len = 1,
                       .at = HEADERS};
    assert_true(m->fd >= 0);
}

/* Adds a section. data NULL: a hole. Returns its number. */
static uint32_t add(struct made *m, const char *name, uint32_t type, uint64_t flags,
                    const void *data, uint64_t len)
{
    Elf64_Shdr *s = &m->list[m->count];

    s->sh_name = (Elf64_Word)m->names_len;
    s->sh_type = type;
    s->sh_flags = flags;
    s->sh_offset = m->at;
    s->sh_addr = flags & SHF_EXECINSTR ? CODE : 0;
    s->sh_size = len;
    m->names_len +=
        (size_t)snprintf(m->names + m->names_len, sizeof m->names - m->names_len, "%s", name) + 1;
    if (data)
        put_at(m->fd, data, len, m->at);
    m->at = (m->at + len + 0xfff) & ~UINT64_C(0xfff);
    return (uint32_t)m->count++;
}

/* Writes the headers, and lets the file end at `size`, or after the last section if that is 0. */
static void finish(struct made *m, uint64_t size)
{
    Elf64_Ehdr head = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, 1},
                       .e_machine = EM_X86_64,
                       .e_ehsize = sizeof head,
                       .e_shoff = sizeof head,
                       .e_shentsize = sizeof(Elf64_Shdr)};

    head.e_shstrndx = (Elf64_Half)add(m, ".shstrtab", SHT_STRTAB, 0, m->names, sizeof m->names);
    put_at(m->fd, m->names, sizeof m->names, m->list[head.e_shstrndx].sh_offset);
    head.e_shnum = (Elf64_Half)m->count;
    put_at(m->fd, &head, sizeof head, 0);
    put_at(m->fd, m->list, m->count * sizeof m->list[0], sizeof head);
    assert_int_equal(ftruncate(m->fd, (off_t)(size > m->at ? size : m->at)), 0);
    close(m->fd);
}

/* A capture of one object, the file `name`. */
struct capture {
    struct tch_code_objects objects;
    struct tch_code_object *object;
};

static void load(struct capture *c, const char *name, uint64_t inode)
{
    assert_true(tch_code_objects_init(&c->objects));
    assert_int_equal(tch_code_objects_add(&c->objects, test_at(name), inode, (uint32_t)getpid()),
                     2);
    c->object = c->objects.list[2];
}

static void add_debug_link(struct made *m, const char *name, uint32_t crc)
{
    char link[32] = "";
    size_t at = (strlen(name) + 4) & ~(size_t)3;

    memcpy(link, name, strlen(name));
    memcpy(link + at, &crc, sizeof crc);
    add(m, ".gnu_debuglink", SHT_PROGBITS, 0, link, at + sizeof crc);
}

/* Computing the checksum of the 8 TB would take hours. */
static void a_debug_file_of_terabytes(void **state)
{
    struct capture c;
    struct made m;

    (void)state;
    begin(&m, "huge.debug");
    finish(&m, 8 * tera);
    begin(&m, "linked.so");
    add_debug_link(&m, "huge.debug", 1);
    finish(&m, 0);
    load(&c, "linked.so", 0);
    assert_true(tch_code_object_load(c.object));
    assert_true(c.object->usable);
    assert_int_equal(tch_debug_file(c.object, false), -1);
    assert_non_null(c.object->share.problem);
    assert_non_null(strstr(c.object->share.problem, "sparse"));
    tch_code_objects_release(&c.objects);
}

/* A debug file with data is used, unless the capture is stopped before its checksum is known. */
static void a_checksum_stops_with_the_capture(void **state)
{
    static char bytes[MEGABYTE];
    struct capture c;
    struct made m;
    uint32_t crc = 0;
    ssize_t n;
    int ends[2];
    int fd;

    (void)state;
    memset(bytes, 'x', sizeof bytes);
    begin(&m, "dense.debug");
    add(&m, ".data", SHT_PROGBITS, 0, bytes, sizeof bytes);
    finish(&m, 0);
    fd = open(test_at("dense.debug"), O_RDONLY | O_CLOEXEC);
    while ((n = read(fd, bytes, sizeof bytes)) > 0)
        crc = tch_crc32(crc, bytes, (size_t)n);
    close(fd);
    begin(&m, "linked.so");
    add_debug_link(&m, "dense.debug", crc);
    finish(&m, 0);
    load(&c, "linked.so", 0);
    assert_true(tch_code_object_load(c.object));
    fd = tch_debug_file(c.object, false);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(pipe(ends), 0);
    c.objects.budget.stop_fd = ends[0];
    close(ends[1]);
    assert_int_equal(tch_debug_file(c.object, false), -1);
    close(ends[0]);
    tch_code_objects_release(&c.objects);
}

/* The process that reads debug information gets its limits from the data of its files. */
static void a_sparse_tail_lifts_no_limit(void **state)
{
    static char bytes[MEGABYTE];
    struct made m;
    int fd;

    (void)state;
    memset(bytes, 'x', sizeof bytes);
    begin(&m, "tail.so");
    add(&m, ".debug_info", SHT_PROGBITS, 0, bytes, sizeof bytes);
    finish(&m, 64 * giga);
    fd = open(test_at("tail.so"), O_RDONLY | O_CLOEXEC);
    assert_true(tch_data_bytes(fd, 0, 64 * giga) < 2 * MEGABYTE);
    assert_true(tch_data_bytes(fd, 0, 64 * giga) >= MEGABYTE);
    assert_true(tch_data_bytes(fd, 0, UINT64_MAX) < 2 * MEGABYTE);
    close(fd);
}

static void a_hole_is_not_read(void **state)
{
    struct capture c;
    struct made m;

    (void)state;
    begin(&m, "hollow.so");
    add(&m, ".eh_frame", SHT_PROGBITS, 0, NULL, 400 * (uint64_t)MEGABYTE);
    finish(&m, 0);
    load(&c, "hollow.so", 0);
    assert_true(tch_code_object_load(c.object));
    assert_true(c.object->usable);
    assert_null(c.object->cfi.frame);
    assert_non_null(c.object->share.problem);
    tch_code_objects_release(&c.objects);
}

/* All files of a capture together may use its budget, and one file half of it. */
static void unwind_tables_have_one_budget(void **state)
{
    enum { FILES = 8 };
    static char bytes[MEGABYTE];
    struct capture c;
    size_t read = 0;
    struct made m;
    uint64_t all;

    (void)state;
    memset(bytes, 1, sizeof bytes);
    assert_true(tch_code_objects_init(&c.objects));
    all = c.objects.budget.left;
    assert_true(all > 0 && all <= tch_symbol_memory(0));
    c.objects.budget.left = 3 * MEGABYTE + MEGABYTE / 2;
    c.objects.budget.share_max = c.objects.budget.left / 2;
    for (uint32_t i = 0; i < FILES; i++) {
        char name[32];

        snprintf(name, sizeof name, "frame%u.so", (unsigned)i);
        begin(&m, name);
        add(&m, ".eh_frame", SHT_PROGBITS, 0, bytes, sizeof bytes);
        finish(&m, 0);
        assert_int_equal(tch_code_objects_add(&c.objects, test_at(name), 0, (uint32_t)getpid()),
                         2 + i);
        assert_true(tch_code_object_load(c.objects.list[2 + i]));
        read += c.objects.list[2 + i]->cfi.frame != NULL;
        assert_int_equal(c.objects.list[2 + i]->cfi.frame == NULL,
                         c.objects.list[2 + i]->share.over);
    }
    assert_int_equal(read, 3);
    tch_code_objects_release(&c.objects);
}

/* Makes a file with `count` functions whose names are ends of one string of `len` bytes. */
static void make_shared_names(const char *file, size_t count, size_t len)
{
    Elf64_Sym *symbols = calloc(count, sizeof *symbols);
    char *text = malloc(len);
    uint32_t strings;
    struct made m;

    assert_true(symbols && text);
    memset(text, '_', len);
    text[len - 2] = 'f';
    text[len - 1] = '\0';
    begin(&m, file);
    add(&m, ".text", SHT_NOBITS, SHF_EXECINSTR, NULL, count * 16);
    for (size_t i = 0; i < count; i++)
        symbols[i] = (Elf64_Sym){.st_name = (Elf64_Word)(i % 16),
                                 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                 .st_shndx = 1,
                                 .st_value = CODE + i * 16,
                                 .st_size = 16};
    strings = add(&m, ".strtab", SHT_STRTAB, 0, text, len);
    add(&m, ".symtab", SHT_SYMTAB, 0, symbols, count * sizeof *symbols);
    m.list[m.count - 1].sh_link = strings;
    finish(&m, 0);
    free(symbols);
    free(text);
}

/* A copy per symbol would need 4 GB. */
static void shared_names_are_stored_once(void **state)
{
    enum { SYMBOLS = 50000, LENGTH = 80000 };
    struct tch_symbol_table table = {0};
    const char *name;
    struct tch_elf elf;

    (void)state;
    make_shared_names("shared.so", SYMBOLS, LENGTH);
    assert_int_equal(tch_elf_open(&elf, test_at("shared.so"), NULL), 0);
    assert_true(tch_symbol_table_elf(&table, &elf));
    assert_int_equal(table.count, SYMBOLS);
    assert_true(table.text_len < 2 * LENGTH);
    name = tch_symbol_table_find(&table, CODE + 16 * 16 + 3 * 16 + 1, 0);
    assert_non_null(name);
    assert_int_equal(strlen(name), LENGTH - 1 - 3);
    tch_symbol_table_release(&table);
    tch_elf_release(&elf);
}

/* Names the first function of the object. */
static void name_first(struct capture *c, char name[64], struct tch_buf *lines)
{
    struct tch_symbol_options options = {.no_inline = true};
    struct tch_intern names = {0};
    struct tch_symbols symbols;
    struct tch_symbol_job jobs[TCH_PLACE_PREEMPTED + 2] = {{{0}, NULL}};
    enum { FIRST = TCH_PLACE_PREEMPTED + 1 }; /* the numbers before it are not places */
    uint32_t id;

    tch_symbols_init(&symbols, &options, &names);
    assert_true(tch_code_object_load(c->object));
    for (size_t i = 0; i < FIRST; i++)
        jobs[i].object = c->objects.list[0];
    jobs[FIRST] = (struct tch_symbol_job){{.addr = CODE + 1, .object = 2}, c->object};
    assert_int_equal(tch_symbols_add(&symbols, jobs, FIRST + 1, NULL), 0);
    assert_int_equal(symbols.list[FIRST].count, 1);
    id = symbols.frames[symbols.list[FIRST].at];
    snprintf(name, 64, "%.*s", (int)tch_intern_len(&names, id), tch_intern_text(&names, id));
    tch_symbols_explain(&symbols, lines);
    tch_symbols_release(&symbols);
    tch_intern_release(&names);
}

static void over_the_budget_addresses_are_shown(void **state)
{
    struct tch_buf lines;
    struct capture c;
    char name[64];

    (void)state;
    make_shared_names("many.so", 1000, 20);
    tch_buf_init(&lines, 1 << 16);
    load(&c, "many.so", 0);
    name_first(&c, name, &lines);
    assert_string_equal(name, "__________________f");
    assert_int_equal(lines.len, 0);
    tch_code_objects_release(&c.objects);

    load(&c, "many.so", 0);
    c.objects.budget.left = 10000;
    name_first(&c, name, &lines);
    assert_string_equal(name, "[many.so]");
    assert_non_null(strstr(lines.data,
                           "many.so needs more memory than the limit that 'tacho doctor' "
                           "shows; its functions are shown by address"));
    tch_code_objects_release(&c.objects);
    tch_buf_release(&lines);
}

/* Counts the events of the queue, which must be IN_OPEN. */
static size_t count_opens(int queue)
{
    union {
        struct inotify_event event;
        char room[4096];
    } b;
    ssize_t n = read(queue, &b, sizeof b);

    return n < 0 ? 0 : (size_t)n / sizeof b.event;
}

/* Opening a device can have an effect: a tape rewinds, /dev/ptmx makes a terminal. A pipe stands
   for it here, because everybody may make one. */
static void only_the_mapped_file_is_opened(void **state)
{
    int queue = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    struct capture c;
    struct stat st;
    struct made m;

    (void)state;
    assert_true(queue >= 0);
    assert_int_equal(mkfifo(test_at("device"), 0600), 0);
    begin(&m, "mapped.so");
    finish(&m, 0);
    assert_int_equal(stat(test_at("mapped.so"), &st), 0);
    assert_true(inotify_add_watch(queue, test_at("device"), IN_OPEN) >= 0);
    assert_true(inotify_add_watch(queue, test_at("mapped.so"), IN_OPEN) >= 0);

    load(&c, "device", 0);
    assert_true(tch_code_object_load(c.object));
    assert_false(c.object->usable);
    tch_code_objects_release(&c.objects);
    assert_int_equal(count_opens(queue), 0);

    load(&c, "mapped.so", st.st_ino + 1); /* a later file of the same name */
    assert_true(tch_code_object_load(c.object));
    assert_false(c.object->usable);
    tch_code_objects_release(&c.objects);
    assert_int_equal(count_opens(queue), 0);

    load(&c, "mapped.so", st.st_ino);
    assert_true(tch_code_object_load(c.object));
    assert_true(c.object->usable);
    tch_code_objects_release(&c.objects);
    assert_int_equal(count_opens(queue), 1);
    close(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_IN_HOME(a_debug_file_of_terabytes),
        TEST_IN_HOME(a_checksum_stops_with_the_capture),
        TEST_IN_HOME(a_sparse_tail_lifts_no_limit),
        TEST_IN_HOME(a_hole_is_not_read),
        TEST_IN_HOME(unwind_tables_have_one_budget),
        TEST_IN_HOME(shared_names_are_stored_once),
        TEST_IN_HOME(over_the_budget_addresses_are_shown),
        TEST_IN_HOME(only_the_mapped_file_is_opened),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
