/*
 * Reads debug information with libdw, which only this file uses. libdw's own search by address
 * walks a whole compile unit each time, and needs .debug_aranges, which may be missing. Therefore
 * this file has two indexes: the address ranges of all units, and, for each unit that was searched,
 * those of its functions.
 */
#include "symbol_debug.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <unistd.h>

#include "base/array.h"

/* An address range of a unit or of a function. */
struct range {
    uint64_t start;
    uint64_t end;
    /* The largest end of this and all earlier ranges; says how far back to search. */
    uint64_t longest;
    size_t unit; /* for a range of a unit: its number */
    Dwarf_Off die;
};

struct ranges {
    struct range *list;
    size_t count;
    size_t cap;
};

struct unit {
    struct ranges functions;
    Dwarf_Off die;
    bool indexed;
};

struct tch_dwarf {
    int fd;
    Elf *elf;
    Dwarf *dwarf;
    struct unit *units;
    size_t unit_count;
    size_t unit_cap;
    struct ranges ranges; /* ranges of all units */
    bool no_memory;
};

/* Adds every address range of a DIE. Returns false if memory runs out. */
static bool add_die(struct ranges *ranges, Dwarf_Die *die, size_t unit)
{
    ptrdiff_t offset = 0;
    Dwarf_Addr base;
    Dwarf_Addr start;
    Dwarf_Addr end;

    while ((offset = dwarf_ranges(die, offset, &base, &start, &end)) > 0) {
        if (start == 0 || start >= end) /* address 0: the linker discarded the code */
            continue;
        if (tch_array_reserve(&ranges->list, &ranges->cap, ranges->count + 1) < 0)
            return false;
        ranges->list[ranges->count++] = (struct range){start, end, end, unit, dwarf_dieoffset(die)};
    }
    return true;
}

static int by_start(const void *a, const void *b)
{
    const struct range *x = a;
    const struct range *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return (x->end < y->end) - (x->end > y->end); /* the inner range comes last */
}

static void sort_ranges(struct ranges *ranges)
{
    uint64_t longest = 0;

    if (ranges->count > 0)
        qsort(ranges->list, ranges->count, sizeof *ranges->list, by_start);
    for (size_t i = 0; i < ranges->count; i++) {
        if (ranges->list[i].end > longest)
            longest = ranges->list[i].end;
        ranges->list[i].longest = longest;
    }
}

/* Returns the innermost range that contains addr, or NULL. */
static const struct range *find_range(const struct ranges *ranges, uint64_t addr)
{
    size_t low = 0;
    size_t high = ranges->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (ranges->list[middle].start <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 0 && ranges->list[low - 1].longest > addr) {
        low--;
        if (ranges->list[low].end > addr)
            return &ranges->list[low];
    }
    return NULL;
}

static bool index_units(struct tch_dwarf *d)
{
    Dwarf_CU *cu = NULL;
    Dwarf_Die die;
    uint8_t type;

    while (dwarf_get_units(d->dwarf, cu, &cu, NULL, &type, &die, NULL) == 0) {
        if (type != DW_UT_compile && type != DW_UT_partial)
            continue;
        if (tch_array_reserve(&d->units, &d->unit_cap, d->unit_count + 1) < 0)
            return false;
        d->units[d->unit_count] = (struct unit){.die = dwarf_dieoffset(&die)};
        if (!add_die(&d->ranges, &die, d->unit_count++))
            return false;
    }
    sort_ranges(&d->ranges);
    return true;
}

struct tch_dwarf *tch_dwarf_open(int fd)
{
    struct tch_dwarf *d = calloc(1, sizeof *d);

    if (!d) {
        close(fd);
        return NULL;
    }
    d->fd = fd;
    elf_version(EV_CURRENT);
    d->elf = elf_begin(fd, ELF_C_READ, NULL);
    d->dwarf = d->elf ? dwarf_begin_elf(d->elf, DWARF_C_READ, NULL) : NULL;
    d->no_memory = d->dwarf && !index_units(d);
    if (!d->no_memory && d->ranges.count == 0) {
        tch_dwarf_close(d);
        return NULL;
    }
    return d;
}

bool tch_dwarf_no_memory(const struct tch_dwarf *dwarf)
{
    return dwarf->no_memory;
}

void tch_dwarf_close(struct tch_dwarf *dwarf)
{
    if (!dwarf)
        return;
    for (size_t i = 0; i < dwarf->unit_count; i++)
        free(dwarf->units[i].functions.list);
    free(dwarf->units);
    free(dwarf->ranges.list);
    if (dwarf->dwarf)
        dwarf_end(dwarf->dwarf);
    if (dwarf->elf)
        elf_end(dwarf->elf);
    close(dwarf->fd);
    free(dwarf);
}

/* Indexes the functions of a unit, including those in namespaces and classes. */
static bool index_functions(struct ranges *functions, Dwarf_Die *parent, int depth)
{
    Dwarf_Die die;

    if (depth > 64 || dwarf_child(parent, &die) != 0)
        return true;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_subprogram:
            if (!add_die(functions, &die, 0))
                return false;
            break;
        case DW_TAG_namespace:
        case DW_TAG_module:
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
            if (!index_functions(functions, &die, depth + 1))
                return false;
            break;
        default:
            break;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return true;
}

/* Finds the function at an address and its unit. */
static bool find_function(struct tch_dwarf *d, uint64_t addr, Dwarf_Die *cu, Dwarf_Die *ret)
{
    const struct range *range = find_range(&d->ranges, addr);
    struct unit *unit;

    if (!range)
        return false;
    unit = &d->units[range->unit];
    if (!dwarf_offdie(d->dwarf, unit->die, cu))
        return false;
    if (!unit->indexed) {
        unit->indexed = true;
        d->no_memory |= !index_functions(&unit->functions, cu, 0);
        sort_ranges(&unit->functions);
    }
    range = find_range(&unit->functions, addr);
    return range && dwarf_offdie(d->dwarf, range->die, ret);
}

/* Finds `function` and the functions inlined into it at addr, outermost first. Returns how many. */
static size_t find_inlined(Dwarf_Die *function, uint64_t addr, Dwarf_Die *ret)
{
    Dwarf_Die at = *function;
    Dwarf_Die die;
    size_t count = 0;

    ret[count++] = *function;
    while (count < TCH_INLINE_DEEPEST && dwarf_child(&at, &die) == 0) {
        bool found = false;

        do {
            int tag = dwarf_tag(&die);

            found = (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) &&
                    dwarf_haspc(&die, addr) > 0;
        } while (!found && dwarf_siblingof(&die, &die) == 0);
        if (!found)
            break;
        if (dwarf_tag(&die) == DW_TAG_inlined_subroutine)
            ret[count++] = die;
        at = die;
    }
    return count;
}

static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attr;
    const char *name = NULL;

    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attr) ||
        dwarf_attr_integrate(die, DW_AT_name, &attr))
        name = dwarf_formstring(&attr);
    return name;
}

/* Finds the source line at which an inlined function was called. */
static void find_call_site(Dwarf_Die *cu, Dwarf_Die *die, struct tch_scope *ret)
{
    Dwarf_Attribute attr;
    Dwarf_Word file = 0;
    Dwarf_Word line = 0;
    Dwarf_Files *files;
    size_t count;

    if (dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attr), &file) != 0 ||
        dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attr), &line) != 0 ||
        dwarf_getsrcfiles(cu, &files, &count) != 0 || file >= count)
        return;
    ret->file = dwarf_filesrc(files, file, NULL, NULL);
    ret->line = (int)line;
}

size_t tch_dwarf_find(struct tch_dwarf *dwarf, uint64_t addr, bool lines, struct tch_scope *ret)
{
    Dwarf_Die dies[TCH_INLINE_DEEPEST];
    Dwarf_Die cu;
    Dwarf_Die function;
    Dwarf_Line *line;
    size_t count;

    if (!find_function(dwarf, addr, &cu, &function))
        return 0;
    count = find_inlined(&function, addr, dies);
    for (size_t i = 0; i < count; i++) {
        ret[i] = (struct tch_scope){.name = name_of(&dies[count - 1 - i])};
        if (lines && i > 0)
            find_call_site(&cu, &dies[count - i], &ret[i]);
    }
    line = lines ? dwarf_getsrc_die(&cu, addr) : NULL;
    if (line && dwarf_lineno(line, &ret[0].line) == 0)
        ret[0].file = dwarf_linesrc(line, NULL, NULL);
    return count;
}
