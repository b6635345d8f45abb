/* Reads any bytes as an ELF file: its symbols and its unwind tables. */
#include "kit/symbol/object/debug_file.h"
#include "kit/symbol/object/elf_image.h"
#include "kit/symbol/symbol_table.h"
#include "kit/symbol/unwind/unwind.h"

static void find_rows(const struct tch_elf *elf)
{
    const Elf64_Shdr *frame = tch_elf_section(elf, ".eh_frame");
    const Elf64_Shdr *header = tch_elf_section(elf, ".eh_frame_hdr");
    size_t len = 0;
    size_t header_len = 0;
    uint8_t *bytes = tch_elf_read(elf, frame, &len);
    uint8_t *header_bytes = bytes ? tch_elf_read(elf, header, &header_len) : NULL;
    struct tch_cfi_row row;
    struct tch_cfi cfi;

    if (!bytes)
        return;
    if (tch_cfi_init(&cfi, bytes, len, frame->sh_addr, header_bytes, header_len,
                     header ? header->sh_addr : 0))
        for (uint64_t addr = elf->entry; addr < elf->entry + 64; addr++)
            tch_cfi_find(&cfi, addr, &row);
    tch_cfi_release(&cfi);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct tch_symbol_table table = {0};
    struct tch_elf elf;
    uint64_t addr;
    size_t len;
    char id[64];

    if (tch_elf_open_mem(&elf, data, size, NULL) < 0)
        return 0;
    tch_symbol_table_elf(&table, &elf);
    tch_symbol_table_find(&table, elf.entry, 0);
    tch_elf_address(&elf, 0x1000, &addr);
    tch_elf_build_id(&elf, id, sizeof id);
    free(tch_debug_data(&elf, &len));
    find_rows(&elf);
    tch_symbol_table_release(&table);
    tch_elf_release(&elf);
    return 0;
}
