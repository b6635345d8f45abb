/* Reads any bytes as .eh_frame and as .debug_frame, then unwinds a step and evaluates an expression
   by them. */
#include "kit/symbol/unwind/unwind.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void find_debug_rows(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    struct tch_cfi_row row;
    struct tch_cfi cfi;

    if (!copy)
        return;
    memcpy(copy, data, size);
    if (tch_cfi_init_debug(&cfi, copy, size))
        for (size_t i = 0; i < cfi.count && i < 16; i++)
            tch_cfi_find(&cfi, cfi.index[i].start, &row);
    tch_cfi_release(&cfi);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t words[64] = {0x1001, 0x1002};
    struct tch_stack_copy stack = {
        .start = 0x7000, .data = (const uint8_t *)words, .len = sizeof words};
    struct tch_regs regs = {.known = (1u << TCH_REGS) - 1};
    uint8_t *copy = malloc(size > 0 ? size : 1);
    struct tch_cfi_row row;
    struct tch_cfi cfi;
    bool cut = false;
    uint64_t value;

    if (!copy)
        return 0;
    memcpy(copy, data, size);
    if (!tch_cfi_init(&cfi, copy, size, 0, NULL, 0, 0))
        return 0;
    for (size_t i = 0; i < TCH_REGS; i++)
        regs.r[i] = 0x7000 + 8 * i;
    tch_unwind_expr(&cfi, 0, &regs, &stack, true, 0x7010, &value, &cut);
    for (size_t i = 0; i < cfi.count && i < 16; i++)
        if (tch_cfi_find(&cfi, cfi.index[i].start, &row))
            tch_unwind_step(&cfi, &row, &stack, &regs);
    tch_cfi_release(&cfi);
    find_debug_rows(data, size);
    return 0;
}
