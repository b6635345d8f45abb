/*
 * Debug information that is small but expensive to read: 20,000 functions, each with the same
 * 10,000 ranges, in a unit that covers the whole program. Linked into a program without other debug
 * information.
 */
__asm__(".section .debug_abbrev,\"\",@progbits\n"
        "hostile_abbrev:\n"
        ".uleb128 1, 0x11\n" /* DW_TAG_compile_unit, with children */
        ".byte 1\n"
        ".uleb128 0x11, 0x01\n" /* DW_AT_low_pc, DW_FORM_addr */
        ".uleb128 0x12, 0x01\n" /* DW_AT_high_pc, DW_FORM_addr */
        ".byte 0, 0\n"
        ".uleb128 2, 0x2e\n" /* DW_TAG_subprogram, without */
        ".byte 0\n"
        ".uleb128 0x55, 0x17\n" /* DW_AT_ranges, DW_FORM_sec_offset */
        ".byte 0, 0, 0\n"
        ".section .debug_ranges,\"\",@progbits\n"
        "hostile_ranges:\n"
        ".rept 10000\n"
        ".quad 0x1000, 0x2000\n"
        ".endr\n"
        ".quad 0, 0\n"
        ".section .debug_info,\"\",@progbits\n"
        ".long hostile_end - hostile_start\n"
        "hostile_start:\n"
        ".short 4\n"
        ".long hostile_abbrev\n"
        ".byte 8\n"
        ".uleb128 1\n"
        ".quad __executable_start + 0x1000\n"
        ".quad etext\n"
        ".rept 20000\n"
        ".uleb128 2\n"
        ".long hostile_ranges\n"
        ".endr\n"
        ".byte 0\n"
        "hostile_end:\n"
        ".text\n");

typedef int a_translation_unit_is_not_empty;
