/* Tests the names of addresses: symbol tables, the kernel's list, a JIT's map, mangled names. */
#include "support/test.h"

#include <fcntl.h>
#include <unistd.h>

#include "kit/symbol/symbol.h"
#include "kit/symbol/symbol_demangle.h"
#include "kit/symbol/symbol_text.h"
#include "support/system.h"

static void the_nearest_symbol_in_its_size(void **state)
{
    struct tch_symbol_table t = {0};

    (void)state;
    assert_true(tch_symbol_table_add(&t, 0x2000, 0x10, 5, "local", 5));
    assert_true(tch_symbol_table_add(&t, 0x1000, 0, 0, "open_end", 8));
    assert_true(tch_symbol_table_add(&t, 0x2000, 0x10, 1, "global", 6));
    tch_symbol_table_sort(&t);
    assert_null(tch_symbol_table_find(&t, 0xfff, 0));
    assert_string_equal(tch_symbol_table_find(&t, 0x1fff, 0), "open_end");
    assert_string_equal(tch_symbol_table_find(&t, 0x2000, 0), "global");
    assert_string_equal(tch_symbol_table_find(&t, 0x200f, 0), "global");
    assert_null(tch_symbol_table_find(&t, 0x2010, 0));
    /* A symbol without a size ends where .eh_frame has another function. */
    assert_string_equal(tch_symbol_table_find(&t, 0x1010, 0x1000), "open_end");
    assert_null(tch_symbol_table_find(&t, 0x1810, 0x1800));
    tch_symbol_table_release(&t);
    assert_null(tch_symbol_table_find(&t, 0x1000, 0));
}

enum { GO_NAMES = 80, GO_TABLE = 112, GO_LEN = 200 };

static void put(unsigned char *data, size_t at, uint64_t value, size_t size)
{
    memcpy(data + at, &value, size);
}

/* Writes a .gopclntab with main.main at 0x40 and main.inner at 0x80, up to 0x100. */
static void write_go(unsigned char *data, uint64_t magic, uint64_t text)
{
    size_t size = text ? 4 : 8;
    unsigned names = text ? 3 : 2;
    unsigned table = text ? 7 : 6;
    const uint64_t rows[] = {0x40, 48, 0x80, 64, 0x100};

    memset(data, 0, GO_LEN);
    put(data, 0, magic, 4);
    data[6] = 1;
    data[7] = 8;
    put(data, 8, 2, 8);
    if (text)
        put(data, 8 + 8 * 2, text, 8);
    put(data, 8 + 8 * names, GO_NAMES, 8);
    put(data, 8 + 8 * table, GO_TABLE, 8);
    memcpy(data + GO_NAMES, "\0main.main\0main.inner", 22);
    for (size_t i = 0; i < 5; i++)
        put(data, GO_TABLE + i * size, rows[i], size);
    put(data, GO_TABLE + 48 + size, 1, 4);
    put(data, GO_TABLE + 64 + size, 11, 4);
}

/* A stripped Go program names its functions in a table of its own. */
static void go_names_of_a_stripped_program(void **state)
{
    static const uint64_t magics[] = {0xfffffff0, 0xfffffff1, 0xfffffffa};
    unsigned char data[GO_LEN];

    (void)state;
    for (int i = 0; i < 3; i++) {
        uint64_t text = i < 2 ? 0x401000 : 0;
        struct tch_symbol_table t = {0};

        write_go(data, magics[i], text);
        assert_true(tch_symbol_table_gopclntab(&t, data, sizeof data, 0));
        tch_symbol_table_sort(&t);
        assert_int_equal(t.count, 2);
        assert_null(tch_symbol_table_find(&t, text + 0x3f, 0));
        assert_string_equal(tch_symbol_table_find(&t, text + 0x7f, 0), "main.main");
        assert_string_equal(tch_symbol_table_find(&t, text + 0xff, 0), "main.inner");
        assert_null(tch_symbol_table_find(&t, text + 0x100, 0));
        tch_symbol_table_release(&t);
        /* Every truncated table is refused or gives some of the names. */
        for (size_t len = 0; len < sizeof data; len++) {
            unsigned char *part = malloc(len + 1);

            assert_non_null(part);
            memcpy(part, data, len);
            assert_true(tch_symbol_table_gopclntab(&t, part, len, 0));
            tch_symbol_table_release(&t);
            free(part);
        }
    }
    write_go(data, 0xfffffffb, 0x401000); /* an older form */
    assert_true(tch_symbol_table_gopclntab(&(struct tch_symbol_table){0}, data, sizeof data, 0));
}

static void an_unknown_process_keeps_its_id(void **state)
{
    (void)state;
    assert_int_equal(tch_inner_pid(0x7ffffff0), 0x7ffffff0);
    assert_true(tch_inner_pid((uint32_t)getpid()) > 0);
}

static void the_kernels_list(void **state)
{
    static const char text[] = "ffffffff81000000 T _text\n"
                               "ffffffff81000100 t do_work\t[module]\n"
                               "ffffffff81000200 D some_data\n"
                               "0000000000000000 T hidden\n"
                               "nonsense\n"
                               "ffffffff81000300 W last"; /* no line end */
    struct tch_symbol_table t = {0};

    (void)state;
    assert_true(tch_symbol_table_kallsyms(&t, text, sizeof text - 1));
    assert_int_equal(t.count, 3);
    assert_string_equal(tch_symbol_table_find(&t, 0xffffffff81000000, 0), "_text");
    assert_string_equal(tch_symbol_table_find(&t, 0xffffffff81000250, 0), "do_work");
    assert_string_equal(tch_symbol_table_find(&t, 0xffffffff81000300, 0), "last");
    tch_symbol_table_release(&t);
}

static void a_jits_map_with_names_of_any_kind(void **state)
{
    static const char text[] = "7f00dead0000 40 LazyCompile:~add /srv/a b.js:1\n"
                               "0x7f00dead1000 0x10 old\n"
                               "7f00dead1000 20 moved\n"
                               "7f00dead2000 0 empty\n"
                               "7f00dead2000\n"
                               "zz 10 bad\n";
    struct tch_symbol_table t = {0};

    (void)state;
    assert_true(tch_symbol_table_perf_map(&t, text, sizeof text - 1));
    assert_int_equal(t.count, 2);
    assert_string_equal(tch_symbol_table_find(&t, 0x7f00dead003f, 0),
                        "LazyCompile:~add /srv/a b.js:1");
    assert_null(tch_symbol_table_find(&t, 0x7f00dead0040, 0));
    assert_string_equal(tch_symbol_table_find(&t, 0x7f00dead1018, 0), "moved"); /* the later line */
    tch_symbol_table_release(&t);
}

static char *map_path(void)
{
    static char path[64];

    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    return path;
}

static void a_map_must_belong_to_its_user(void **state)
{
    struct tch_perf_maps maps = {0};
    struct tch_symbol_table t = {0};
    struct tch_buf lines;
    char other[80];

    (void)state;
    tch_buf_init(&lines, 4096);
    snprintf(other, sizeof other, "%s.other", map_path());
    test_put(other, "1000 10 forged\n");
    assert_int_equal(symlink(other, map_path()), 0); /* a link is not followed */
    assert_true(tch_perf_maps_read(&maps, &t, (uint32_t)getpid(), 0));
    assert_int_equal(t.count, 0);
    unlink(map_path());
    assert_int_equal(rename(other, map_path()), 0);
    assert_true(tch_perf_maps_read(&maps, &t, (uint32_t)getpid(), 0));
    assert_string_equal(tch_symbol_table_find(&t, 0x1000, 0), "forged");
    tch_perf_maps_explain(&maps, &lines);
    assert_int_equal(lines.len, 0);
    tch_symbol_table_release(&t);
    if (chown(map_path(), 65534, 65534) == 0) { /* root only */
        assert_true(tch_perf_maps_read(&maps, &t, (uint32_t)getpid(), 0));
        assert_int_equal(t.count, 0);
        tch_perf_maps_explain(&maps, &lines);
        assert_non_null(strstr(lines.data, "belongs to another user"));
    }
    unlink(map_path());
    tch_buf_release(&lines);
}

static void the_cost_of_maps_is_limited(void **state)
{
    static const char line[] = "1000 10 early\n";
    struct tch_perf_maps maps = {0};
    struct tch_symbol_table t = {0};
    struct tch_buf lines;
    int fd;

    (void)state;
    test_put(map_path(), line);
    fd = open(map_path(), O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, "\n2000 10 late\n", 14, INT64_C(300) << 20), 14); /* sparse */
    close(fd);
    assert_true(tch_perf_maps_read(&maps, &t, (uint32_t)getpid(), 0));
    assert_null(tch_symbol_table_find(&t, 0x1000, 0));
    assert_string_equal(tch_symbol_table_find(&t, 0x2000, 0), "late");
    assert_true(maps.bytes <= 64 << 20);
    tch_symbol_table_release(&t);
    maps.bytes = 256 << 20; /* spent */
    assert_true(tch_perf_maps_read(&maps, &t, (uint32_t)getpid(), 0));
    assert_int_equal(t.count, 0);
    tch_buf_init(&lines, 4096);
    tch_perf_maps_explain(&maps, &lines);
    assert_non_null(strstr(lines.data, "too large; not all"));
    assert_non_null(strstr(lines.data + strlen(lines.data) + 1, "was not read"));
    tch_buf_release(&lines);
    unlink(map_path());
}

/* Two million lines and one. */
static void the_lines_of_a_map_are_limited(void **state)
{
    struct tch_symbol_table t = {0};
    struct tch_buf b;

    (void)state;
    tch_buf_init(&b, 64 << 20);
    for (unsigned i = 1; i <= TCH_PERF_MAP_LINES + 1; i++)
        tch_buf_addf(&b, "%x 1 a\n", i);
    assert_true(tch_symbol_table_perf_map(&t, b.data, b.len));
    assert_true(t.full);
    assert_int_equal(t.count, TCH_PERF_MAP_LINES);
    tch_buf_release(&b);
    tch_symbol_table_release(&t);
}

static void cpp_and_rust_names(void **state)
{
    static const char *const names[][2] = {
        {"_ZN3foo3barEi", "foo::bar(int)"},
        {"_ZNSt6vectorIiSaIiEE9push_backERKi",
         "std::vector<int, std::allocator<int> >::push_back(int const&)"},
        {"_ZN3app4main17h0123456789abcdefE", "app::main::h0123456789abcdef"},
    };

    (void)state;
    if (!tch_demangler_load("libstdc++.so.6"))
        skip();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *text = tch_demangle(names[i][0]);

        assert_non_null(text);
        assert_string_equal(text, names[i][1]);
        free(text);
    }
    assert_null(tch_demangler_load("no-such-library.so.6"));
    assert_null(tch_demangle("main"));
    assert_null(tch_demangle("_Z"));
    assert_null(tch_demangle(""));
}

/* The names that c++filt writes, except for lifetimes. */
static void rust_names_of_today(void **state)
{
    static const char *const names[][2] = {
        {"_RNvCsdG6PfrMqD8o_3app4main", "app::main"},
        {"_RNvCs15kBYyAo9fc_7mycrate7example", "mycrate::example"},
        {"_RNvCs15kBYyAo9fc_7mycrate7example.llvm.123", "mycrate::example"},
        {"_RNCNvCsgStHSCytQ6I_7mycrate4main0B3_", "mycrate::main::{closure#0}"},
        {"_RNCNvCsgStHSCytQ6I_7mycrate4mains_0B3_", "mycrate::main::{closure#1}"},
        {"_RINvNtC3std3mem8align_ofjEC3foo", "std::mem::align_of::<usize>"},
        {"_RINvCs7QNrQ_3foo3barNtB2_3BazE", "foo::bar::<foo::Baz>"},
        {"_RNvMCs4fqI2P2rA04_13const_genericINtB2_8UnsignedKhb_E3new",
         "<const_generic::Unsigned<11>>::new"},
        {"_RNvXs_C3fooNtB4_3BarNtNtC4core3fmt5Debug3fmt", "<foo::Bar as core::fmt::Debug>::fmt"},
        {"_RINvC1a1fTRhQAtj4_SbPOeFEuFUKCcEdE", NULL}, /* its arguments do not end */
        {"_RINvC1a1fTRhQAtj4_SbPOeEE", "a::f::<(&u8, &mut [u16; 4], [bool], *const *mut str)>"},
        {"_RINvC1a1fFEuE", "a::f::<fn()>"},
        {"_RINvC1a1fFUKClEbE", "a::f::<unsafe extern \"C\" fn(i32) -> bool>"},
        {"_RINvC1a1fDNtC1b1Tp4ItemhEL_E", "a::f::<dyn b::T<Item = u8>>"},
        {"_RINvC1a1fDINtC1b1TlEp4ItemhNtBb_1UEL_E", "a::f::<dyn b::T<i32, Item = u8> + b::U>"},
        {"_RINvC1a1fTlEKb1_Kln5_Kc61_E", "a::f::<(i32,), true, -5, 'a'>"},
        {"_RNvC1a1fB", NULL},
        {"_RB_", NULL},
        {"_RNvB_1f", NULL}, /* refers to itself */
        {"_RNvC1a99f", NULL},
        {"_R", NULL},
        {"_R0NvC1a1f", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char *text = tch_demangle(names[i][0]);

        if (!names[i][1]) {
            assert_null(text);
            continue;
        }
        if (!text)
            fail_msg("'%s' was not read", names[i][0]);
        assert_string_equal(text, names[i][1]);
        free(text);
    }
}

static void a_file_that_is_not_elf(void **state)
{
    static const char text[] = "\177ELF and nothing more than that, far too short for a header....";
    struct tch_elf elf;
    tacho_error err;

    (void)state;
    assert_int_equal(tch_elf_open_mem(&elf, text, sizeof text, &err), TACHO_EPARSE);
    assert_int_equal(tch_elf_open(&elf, "/no/such/file", &err), TACHO_EIO);
    assert_non_null(strstr(err.message, "/no/such/file"));
    assert_int_equal(tch_elf_open(&elf, "/dev/null", &err), TACHO_EPARSE);
    tch_elf_release(&elf);
}

/* One place of this very program, named with every allocation failing once. */
static int name_once(void *arg)
{
    struct tch_intern names = {0};
    struct tch_symbols symbols;
    struct tch_code_objects objects;
    struct tch_symbol_options options = {.no_inline = true};
    struct tch_symbol_job jobs[3] = {{{0}, NULL}, {{0}, NULL}, {{0}, NULL}};
    int status = -1;

    (void)arg;
    tch_symbols_init(&symbols, &options, &names);
    if (tch_code_objects_init(&objects) &&
        tch_code_objects_add(&objects, "/proc/self/exe", 0, 1) == 2 &&
        tch_code_object_load(objects.list[2])) {
        jobs[0].object = objects.list[0];
        jobs[1].object = objects.list[0]; /* TCH_PLACE_PREEMPTED */
        jobs[2].object = objects.list[2];
        jobs[2].place = (struct tch_code_place){.addr = objects.list[2]->elf.entry, .object = 2};
        if (tch_symbols_add(&symbols, jobs, 3, NULL) == 0)
            status = 0;
    }
    if (status == 0 && symbols.list[2].count == 1) {
        uint32_t name = symbols.frames[symbols.list[2].at];

        /* A section that could not be read for lack of memory leaves the entry's own name. */
        assert_true(tch_intern_len(&names, name) >= 5);
        assert_memory_equal(tch_intern_text(&names, name), "_start", 5);
    }
    tch_symbols_release(&symbols);
    tch_code_objects_release(&objects);
    tch_intern_release(&names);
    return status;
}

static void no_memory_is_no_crash(void **state)
{
    (void)state;
    test_every_allocation_fails(name_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_nearest_symbol_in_its_size),
        cmocka_unit_test(go_names_of_a_stripped_program),
        cmocka_unit_test(an_unknown_process_keeps_its_id),
        cmocka_unit_test(the_kernels_list),
        cmocka_unit_test(a_jits_map_with_names_of_any_kind),
        cmocka_unit_test(a_map_must_belong_to_its_user),
        cmocka_unit_test(the_cost_of_maps_is_limited),
        cmocka_unit_test(the_lines_of_a_map_are_limited),
        cmocka_unit_test(cpp_and_rust_names),
        cmocka_unit_test(rust_names_of_today),
        cmocka_unit_test(a_file_that_is_not_elf),
        cmocka_unit_test(no_memory_is_no_crash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
