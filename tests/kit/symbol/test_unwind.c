/* Tests unwind tables: rows by address, expressions, steps on a copied stack, and arbitrary
   bytes. */
#include "support/test.h"

#include "kit/symbol/object/elf_image.h"
#include "kit/symbol/unwind/unwind.h"

/* A CIE and one FDE for [0x1000, 0x1040): push rbp at 0x1001, mov rbp, rsp at 0x1004, as gcc
   writes them, with 8-byte absolute addresses. */
static const uint8_t plain[] = {
    /* CIE: length, id, version, "zR", code 1, data -8, ra 16, 1 byte of augmentation: absptr */
    0x14,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    1,
    'z',
    'R',
    0,
    1,
    0x78,
    16,
    1,
    0x00,
    0x0c,
    7,
    8, /* def_cfa rsp + 8 */
    0x90,
    1, /* ra at cfa - 8 */
    0,
    0, /* nop */
    /* FDE: length, back to the CIE, start, size, no augmentation */
    0x20,
    0,
    0,
    0,
    0x1c,
    0,
    0,
    0,
    0x00,
    0x10,
    0,
    0,
    0,
    0,
    0,
    0,
    0x40,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0x41, /* advance 1 */
    0x0e,
    16, /* def_cfa_offset 16 */
    0x86,
    2,    /* rbp at cfa - 16 */
    0x43, /* advance 3 */
    0x0d,
    6, /* def_cfa_register rbp */
    0,
    0,
    0,
};

static void load(struct tch_cfi *cfi, const uint8_t *bytes, size_t len)
{
    uint8_t *copy = malloc(len);

    assert_non_null(copy);
    memcpy(copy, bytes, len);
    assert_true(tch_cfi_init(cfi, copy, len, 0, NULL, 0, 0));
}

static void rows_follow_the_program(void **state)
{
    struct tch_cfi cfi;
    struct tch_cfi_row row;

    (void)state;
    load(&cfi, plain, sizeof plain);
    assert_int_equal(cfi.count, 1);
    assert_true(tch_cfi_find(&cfi, 0x1000, &row));
    assert_int_equal(row.cfa_register, TCH_REG_SP);
    assert_int_equal(row.cfa_value, 8);
    assert_int_equal(row.how[TCH_REG_RA], TCH_CFI_AT);
    assert_int_equal(row.value[TCH_REG_RA], -8);
    assert_true(tch_cfi_find(&cfi, 0x1001, &row));
    assert_int_equal(row.cfa_value, 16);
    assert_int_equal(row.value[TCH_REG_BP], -16);
    assert_true(tch_cfi_find(&cfi, 0x103f, &row));
    assert_int_equal(row.cfa_register, TCH_REG_BP);
    assert_false(tch_cfi_find(&cfi, 0x1040, &row));
    assert_false(tch_cfi_find(&cfi, 0xfff, &row));
    tch_cfi_release(&cfi);
}

/* The same as .debug_frame: a CIE has an id of ones, an FDE the offset of its CIE. */
static void debug_frame_has_the_same_rows(void **state)
{
    enum { CIE_ID = 4, FDE_CIE = 28 };
    uint8_t *copy = malloc(sizeof plain);
    struct tch_cfi cfi[2];
    struct tch_cfi_row rows[2];

    (void)state;
    assert_non_null(copy);
    memcpy(copy, plain, sizeof plain);
    memset(copy + CIE_ID, 0xff, 4);
    memset(copy + FDE_CIE, 0, 4);
    load(&cfi[0], plain, sizeof plain);
    assert_true(tch_cfi_init_debug(&cfi[1], copy, sizeof plain));
    assert_int_equal(cfi[1].count, 1);
    for (uint64_t addr = 0x1000; addr < 0x1040; addr++) {
        assert_true(tch_cfi_find(&cfi[0], addr, &rows[0]) && tch_cfi_find(&cfi[1], addr, &rows[1]));
        assert_memory_equal(&rows[0], &rows[1], sizeof rows[0]);
    }
    memset(copy + FDE_CIE, 0x7f, 4); /* no such CIE */
    assert_false(tch_cfi_find(&cfi[1], 0x1000, &rows[1]));
    tch_cfi_release(&cfi[0]);
    tch_cfi_release(&cfi[1]);
}

/* A CIE whose letters or instructions are longer than any compiler's costs too much to read. */
static void endless_entries_have_no_rows(void **state)
{
    enum { MORE = 1 << 17, CIE = 24 };
    size_t len = sizeof plain + MORE;
    uint8_t *bytes = calloc(1, len); /* 0 is the instruction DW_CFA_nop */
    uint32_t cie_len = CIE - 4 + MORE;
    uint32_t back = CIE + MORE + 4;
    struct tch_cfi cfi;
    struct tch_cfi_row row;

    (void)state;
    assert_non_null(bytes);
    memcpy(bytes, plain, CIE);
    memcpy(bytes, &cie_len, sizeof cie_len);
    memcpy(bytes + CIE + MORE, plain + CIE, sizeof plain - CIE);
    memcpy(bytes + CIE + MORE + 4, &back, sizeof back);
    load(&cfi, bytes, len);
    assert_false(tch_cfi_find(&cfi, 0x1000, &row));
    tch_cfi_release(&cfi);
    free(bytes);
}

static void a_step_restores_the_caller(void **state)
{
    uint64_t words[4] = {0xbbbb, 0x4242, 7, 8}; /* saved rbp, return address */
    struct tch_stack_copy stack = {
        .start = 0x7000, .data = (const uint8_t *)words, .len = sizeof words};
    struct tch_regs regs = {.known = (1u << TCH_REGS) - 1};
    struct tch_cfi cfi;
    struct tch_cfi_row row;

    (void)state;
    load(&cfi, plain, sizeof plain);
    assert_true(tch_cfi_find(&cfi, 0x1010, &row));
    regs.r[TCH_REG_SP] = 0x6ff0;
    regs.r[TCH_REG_BP] = 0x7000;
    regs.r[3] = 33;
    assert_int_equal(tch_unwind_step(&cfi, &row, &stack, &regs), TCH_UNWOUND_STEP);
    assert_int_equal(regs.r[TCH_REG_RA], 0x4242);
    assert_int_equal(regs.r[TCH_REG_BP], 0xbbbb);
    assert_int_equal(regs.r[TCH_REG_SP], 0x7010);
    assert_int_equal(regs.r[3], 33);
    tch_cfi_release(&cfi);
}

/* vfork() moves its return address from the stack, which the child is about to use, to a
   register. */
static void a_return_address_in_a_register(void **state)
{
    struct tch_stack_copy stack = {.start = 0x7000};
    struct tch_regs regs = {.known = (1u << TCH_REGS) - 1};
    struct tch_cfi_row row = {.cfa_register = TCH_REG_SP};
    struct tch_cfi cfi = {0};

    (void)state;
    row.how[TCH_REG_RA] = TCH_CFI_REGISTER;
    row.value[TCH_REG_RA] = 5; /* rdi */
    regs.r[TCH_REG_SP] = 0x7000;
    regs.r[5] = 0x4242;
    assert_int_equal(tch_unwind_step(&cfi, &row, &stack, &regs), TCH_UNWOUND_STEP);
    assert_int_equal(regs.r[TCH_REG_RA], 0x4242);
    assert_int_equal(regs.r[TCH_REG_SP], 0x7000);
    row.how[TCH_REG_RA] = TCH_CFI_SAME; /* would never end */
    assert_int_equal(tch_unwind_step(&cfi, &row, &stack, &regs), TCH_UNWOUND_LOST);
}

static void the_end_of_the_copy_is_distinguished_from_nonsense(void **state)
{
    uint64_t words[1] = {1};
    struct tch_stack_copy stack = {
        .start = 0x7000, .data = (const uint8_t *)words, .len = sizeof words};
    struct tch_regs regs = {.known = (1u << TCH_REGS) - 1};
    struct tch_regs same;
    struct tch_cfi cfi;
    struct tch_cfi_row row;

    (void)state;
    load(&cfi, plain, sizeof plain);
    assert_true(tch_cfi_find(&cfi, 0x1010, &row));
    regs.r[TCH_REG_SP] = 0x7000;
    regs.r[TCH_REG_BP] = 0x7100; /* beyond what was copied */
    same = regs;
    assert_int_equal(tch_unwind_step(&cfi, &row, &stack, &regs), TCH_UNWOUND_CUT);
    assert_memory_equal(&regs, &same, sizeof regs); /* untouched on failure */
    regs.r[TCH_REG_BP] = 0x100;                     /* below the stack */
    assert_int_equal(tch_unwind_step(&cfi, &row, &stack, &regs), TCH_UNWOUND_LOST);
    row.how[TCH_REG_RA] = TCH_CFI_UNDEFINED;
    assert_int_equal(tch_unwind_step(&cfi, &row, &stack, &regs), TCH_UNWOUND_END);
    assert_int_equal(tch_unwind_step_fp(&stack, &regs), TCH_UNWOUND_LOST);
    tch_cfi_release(&cfi);
}

/* One expression, alone in a section. */
static bool evaluate(const uint8_t *code, size_t len, const struct tch_regs *regs, uint64_t *ret)
{
    static const uint64_t words[2] = {0x1111, 0x2222};
    struct tch_stack_copy stack = {
        .start = 0x7000, .data = (const uint8_t *)words, .len = sizeof words};
    uint8_t section[64];
    struct tch_cfi cfi = {.frame = section, .frame_len = len + 1};
    bool cut = false;

    section[0] = (uint8_t)len;
    memcpy(section + 1, code, len);
    return tch_unwind_expr(&cfi, 0, regs, &stack, false, 0, ret, &cut);
}

static void expressions_of_plt_entries(void **state)
{
    /* breg7 8; breg16 0; lit15; and; lit11; ge; lit3; shl; plus */
    static const uint8_t plt[] = {0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
    struct tch_regs regs = {.known = (1u << TCH_REGS) - 1};
    uint64_t value;

    (void)state;
    regs.r[TCH_REG_SP] = 0x7000;
    regs.r[TCH_REG_RA] = 0x1006;
    assert_true(evaluate(plt, sizeof plt, &regs, &value));
    assert_int_equal(value, 0x7008);
    regs.r[TCH_REG_RA] = 0x100b;
    assert_true(evaluate(plt, sizeof plt, &regs, &value));
    assert_int_equal(value, 0x7010);
}

static void expressions_read_memory_and_end(void **state)
{
    static const uint8_t realigned[] = {0x77, 8, 0x06};        /* breg7 8; deref */
    static const uint8_t beyond[] = {0x77, 16, 0x06};          /* above the end of the copy */
    static const uint8_t empty[] = {0x96};                     /* nop: no result */
    static const uint8_t endless[] = {0x30, 0x2f, 0xfd, 0xff}; /* skip back to itself */
    static const uint8_t unknown[] = {0xe0};
    struct tch_regs regs = {.known = 1u << TCH_REG_SP};
    uint64_t value;

    (void)state;
    regs.r[TCH_REG_SP] = 0x7000;
    assert_true(evaluate(realigned, sizeof realigned, &regs, &value));
    assert_int_equal(value, 0x2222);
    assert_false(evaluate(beyond, sizeof beyond, &regs, &value));
    assert_false(evaluate(empty, sizeof empty, &regs, &value));
    assert_false(evaluate(endless, sizeof endless, &regs, &value));
    assert_false(evaluate(unknown, sizeof unknown, &regs, &value));
    regs.known = 0;
    assert_false(evaluate(realigned, sizeof realigned, &regs, &value));
}

static void every_cut_of_a_section_is_survived(void **state)
{
    struct tch_cfi cfi;
    struct tch_cfi_row row;

    (void)state;
    for (size_t len = 1; len < sizeof plain; len++) {
        load(&cfi, plain, len);
        tch_cfi_find(&cfi, 0x1010, &row);
        tch_cfi_release(&cfi);
    }
}

/* The table of .eh_frame_hdr and our own index give the same rows, for the code of libc. */
static void header_and_index_agree(void **state)
{
    struct tch_cfi cfi[2];
    struct tch_elf elf;
    size_t same = 0;

    (void)state;
    if (tch_elf_open(&elf, "/lib/x86_64-linux-gnu/libc.so.6", NULL) < 0)
        skip();
    for (int i = 0; i < 2; i++) {
        const Elf64_Shdr *frame = tch_elf_section(&elf, ".eh_frame");
        const Elf64_Shdr *header = tch_elf_section(&elf, ".eh_frame_hdr");
        size_t len = 0;
        size_t header_len = 0;
        uint8_t *bytes = tch_elf_read(&elf, frame, &len);
        uint8_t *header_bytes = i == 0 ? tch_elf_read(&elf, header, &header_len) : NULL;

        assert_non_null(bytes);
        assert_true(tch_cfi_init(&cfi[i], bytes, len, frame->sh_addr, header_bytes, header_len,
                                 header->sh_addr));
    }
    assert_int_equal(cfi[0].count, cfi[1].count);
    for (uint64_t addr = 0x26000; addr < 0x170000; addr += 97) {
        struct tch_cfi_row rows[2];
        bool found[2];

        memset(rows, 0, sizeof rows);
        found[0] = tch_cfi_find(&cfi[0], addr, &rows[0]);
        found[1] = tch_cfi_find(&cfi[1], addr, &rows[1]);
        assert_int_equal(found[0], found[1]);
        assert_memory_equal(&rows[0], &rows[1], sizeof rows[0]);
        same += found[0];
    }
    assert_true(same > 5000);
    tch_cfi_release(&cfi[0]);
    tch_cfi_release(&cfi[1]);
    tch_elf_release(&elf);
}

static int index_once(void *arg)
{
    uint8_t *copy = malloc(sizeof plain);
    struct tch_cfi cfi;
    int status;

    (void)arg;
    if (!copy)
        return -1;
    memcpy(copy, plain, sizeof plain);
    status = tch_cfi_init(&cfi, copy, sizeof plain, 0, NULL, 0, 0) ? 0 : -1;
    tch_cfi_release(&cfi);
    return status;
}

static void no_memory_is_no_crash(void **state)
{
    (void)state;
    test_every_allocation_fails(index_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_follow_the_program),
        cmocka_unit_test(debug_frame_has_the_same_rows),
        cmocka_unit_test(endless_entries_have_no_rows),
        cmocka_unit_test(a_step_restores_the_caller),
        cmocka_unit_test(a_return_address_in_a_register),
        cmocka_unit_test(the_end_of_the_copy_is_distinguished_from_nonsense),
        cmocka_unit_test(expressions_of_plt_entries),
        cmocka_unit_test(expressions_read_memory_and_end),
        cmocka_unit_test(every_cut_of_a_section_is_survived),
        cmocka_unit_test(header_and_index_agree),
        cmocka_unit_test(no_memory_is_no_crash),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
