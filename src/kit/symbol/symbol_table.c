/* Sorted symbol tables. */
#include "symbol_table.h"

#include "base/array.h"
#include "kit/symbol/object/code_object.h"

void tch_symbol_table_release(struct tch_symbol_table *table)
{
    free(table->list);
    free(table->text);
    *table = (struct tch_symbol_table){0};
}

bool tch_symbol_table_add(struct tch_symbol_table *table, uint64_t addr, uint64_t size,
                          uint32_t rank, const char *name, size_t len)
{
    if (table->text_len + len + 1 > UINT32_MAX ||
        tch_array_reserve(&table->list, &table->cap, table->count + 1) < 0 ||
        tch_array_reserve(&table->text, &table->text_cap, table->text_len + len + 1) < 0)
        return false;
    table->list[table->count++] = (struct tch_symbol){addr, size, (uint32_t)table->text_len, rank};
    memcpy(table->text + table->text_len, name, len);
    table->text[table->text_len + len] = '\0';
    table->text_len += len + 1;
    return true;
}

static int by_address(const void *a, const void *b)
{
    const struct tch_symbol *x = a;
    const struct tch_symbol *y = b;

    if (x->addr != y->addr)
        return x->addr < y->addr ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

void tch_symbol_table_sort(struct tch_symbol_table *table)
{
    size_t kept = 0;

    if (table->count == 0)
        return;
    qsort(table->list, table->count, sizeof *table->list, by_address);
    for (size_t i = 0; i < table->count; i++)
        if (kept == 0 || table->list[i].addr != table->list[kept - 1].addr)
            table->list[kept++] = table->list[i];
    table->count = kept;
}

const char *tch_symbol_table_find(const struct tch_symbol_table *table, uint64_t addr,
                                  uint64_t start)
{
    size_t low = 0;
    size_t high = table->count;
    const struct tch_symbol *s;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (table->list[middle].addr <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    s = &table->list[low - 1];
    if (s->size > 0 ? addr - s->addr >= s->size : s->addr < start)
        return NULL;
    return table->text + s->name;
}

/* ELF. */

/* Ranks the names of one function; the lowest is used. Global comes before weak before local, then
   names with a size, then names with fewer leading underscores. */
static uint32_t rank_of(const Elf64_Sym *sym, const char *name)
{
    uint32_t rank = ELF64_ST_BIND(sym->st_info) == STB_GLOBAL ? 0
                    : ELF64_ST_BIND(sym->st_info) == STB_WEAK ? 1
                                                              : 2;
    uint32_t underscores = 0;

    while (underscores < 31 && name[underscores] == '_')
        underscores++;
    return rank * 64 + (sym->st_size == 0 ? 32 : 0) + underscores;
}

static bool is_function(const struct tch_elf *elf, const Elf64_Sym *sym, const char *name)
{
    unsigned type = ELF64_ST_TYPE(sym->st_info);

    if (sym->st_shndx == SHN_UNDEF || sym->st_value == 0 || name[0] == '\0')
        return false;
    if (sym->st_shndx < elf->section_count &&
        !(elf->sections[sym->st_shndx].sh_flags & SHF_EXECINSTR))
        return false;
    if (type == STT_NOTYPE) /* labels of hand-written assembly count, those of a compiler do not */
        return sym->st_shndx < SHN_LORESERVE && name[0] != '.' && name[0] != '$';
    return type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* Reads the symbols of a section and their strings. The caller frees both. */
static Elf64_Sym *read_symbols(const struct tch_elf *elf, const Elf64_Shdr *section, size_t *count,
                               char **text, size_t *text_len)
{
    size_t len = 0;
    Elf64_Sym *symbols;

    *text = NULL;
    if (!section || section->sh_link >= elf->section_count)
        return NULL;
    symbols = tch_elf_read(elf, section, &len);
    *text = symbols ? tch_elf_read(elf, &elf->sections[section->sh_link], text_len) : NULL;
    if (!*text) {
        free(symbols);
        return NULL;
    }
    *count = len / sizeof *symbols;
    return symbols;
}

/* Adds a whole string table, so that symbols which share a string do not multiply it. Strips the
   version of each "name@@VERSION". */
static bool add_strings(struct tch_symbol_table *table, const char *text, size_t len)
{
    char *copy;

    if (table->text_len + len + 1 > UINT32_MAX ||
        tch_array_reserve(&table->text, &table->text_cap, table->text_len + len + 1) < 0)
        return false;
    copy = table->text + table->text_len;
    memcpy(copy, text, len);
    copy[len] = '\0';
    for (char *at = copy; (at = memchr(at, '@', (size_t)(copy + len - at)));)
        *at = '\0';
    table->text_len += len + 1;
    return true;
}

static bool add_symbols(struct tch_symbol_table *table, const struct tch_elf *elf,
                        const Elf64_Shdr *section)
{
    size_t base = table->text_len;
    char *text;
    size_t text_len = 0;
    size_t count = 0;
    Elf64_Sym *symbols = read_symbols(elf, section, &count, &text, &text_len);
    bool ok = !symbols || add_strings(table, text, text_len);

    for (size_t i = 0; symbols && ok && i < count; i++) {
        const Elf64_Sym *s = &symbols[i];
        const char *name = s->st_name < text_len ? text + s->st_name : "";

        if (!is_function(elf, s, name))
            continue;
        ok = tch_array_reserve(&table->list, &table->cap, table->count + 1) == 0;
        if (ok)
            table->list[table->count++] = (struct tch_symbol){
                s->st_value, s->st_size, (uint32_t)(base + s->st_name), rank_of(s, name)};
    }
    free(symbols);
    free(text);
    return ok;
}

/* Adds names such as "puts@plt". Relocation i fills entry i of .plt.sec, or entry i + 1 of .plt. */
static bool add_plt(struct tch_symbol_table *table, const struct tch_elf *elf)
{
    enum { ENTRY = 16, PLT_LONGEST = 250 };
    const Elf64_Shdr *plt = tch_elf_section(elf, ".plt.sec");
    uint64_t first = plt ? 0 : 1;
    const Elf64_Shdr *section = tch_elf_section(elf, ".rela.plt");
    size_t len = 0;
    size_t count = 0;
    size_t text_len = 0;
    char *text = NULL;
    Elf64_Rela *list = tch_elf_read(elf, section, &len);
    Elf64_Sym *symbols =
        read_symbols(elf, tch_elf_section(elf, ".dynsym"), &count, &text, &text_len);
    bool ok = true;

    plt = plt ? plt : tch_elf_section(elf, ".plt");
    for (size_t i = 0; plt && list && symbols && ok && i < len / sizeof *list; i++) {
        size_t at = ELF64_R_SYM(list[i].r_info);
        uint64_t offset = (i + first) * ENTRY;
        char name[256];

        if (at >= count || symbols[at].st_name >= text_len || offset + ENTRY > plt->sh_size)
            continue;
        snprintf(name, sizeof name, "%.*s@plt", PLT_LONGEST, text + symbols[at].st_name);
        if (!tch_symbol_share_take(elf->share, strlen(name)))
            break;
        ok = tch_symbol_table_add(table, plt->sh_addr + offset, ENTRY, 0, name, strlen(name));
    }
    free(list);
    free(symbols);
    free(text);
    return ok;
}

bool tch_symbol_table_elf(struct tch_symbol_table *table, const struct tch_elf *elf)
{
    bool ok = add_symbols(table, elf, tch_elf_section_type(elf, SHT_SYMTAB)) &&
              add_symbols(table, elf, tch_elf_section_type(elf, SHT_DYNSYM)) && add_plt(table, elf);

    if (ok && !tch_elf_section_type(elf, SHT_SYMTAB))
        ok = tch_symbol_table_go(table, elf);
    if (ok && elf->entry != 0) /* a stripped program has an entry point, too */
        ok = tch_symbol_table_add(table, elf->entry, TCH_ENTRY_BYTES, UINT32_MAX, "_start", 6);
    tch_symbol_table_sort(table);
    return ok;
}
