/*
 * Reads debug information with libdw, which only this file uses. libdw's own search by address
 * walks a whole compile unit each time, and needs .debug_aranges, which may be missing. Therefore
 * there are two indexes: the address ranges of all units, and, for each unit that was searched,
 * those of its functions.
 *
 * GCC writes no linkage name for functions that other units cannot call. An inlined lambda is just
 * "operator()", so unrelated functions would share a name. Their names are derived from the scopes
 * around them, in one walk of the unit: "run(int)::{lambda#2}::operator()". The number counts the
 * lambdas of a function. The compiler's own number is not in the debug information.
 */
#include "symbol_dwarf.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "symbol_demangle.h"
#include "symbol_range.h"

enum {
    DEEPEST = 64, /* scopes in scopes */
    PATH_MAX_BYTES = 1 << 20,
    NAME_LONGEST = 4096 /* scopes with longer names are left out */
};

/* Names of the functions of a unit that have no linkage name, in the order of their DIEs. */
struct names {
    struct name {
        Dwarf_Off die;
        char *name;
    } * list;
    size_t count;
    size_t cap;
    bool read;
};

struct unit {
    Dwarf_Off die;
    struct tch_ranges functions;
    struct names names;
    bool indexed;
};

struct tch_dwarf {
    int fd;
    Elf *elf;
    Dwarf *dwarf;
    struct unit *units;
    size_t unit_count;
    size_t unit_cap;
    struct tch_ranges ranges; /* ranges of all units */
    bool no_memory;
};

/* Adds every address range of a DIE. Returns false if memory runs out. */
static bool add_die(struct tch_ranges *ranges, Dwarf_Die *die, size_t unit)
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
        ranges->list[ranges->count++] =
            (struct tch_range){start, end, end, unit, dwarf_dieoffset(die)};
    }
    return true;
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
    tch_ranges_sort(&d->ranges);
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
    for (size_t i = 0; i < dwarf->unit_count; i++) {
        free(dwarf->units[i].functions.list);
        for (size_t k = 0; k < dwarf->units[i].names.count; k++)
            free(dwarf->units[i].names.list[k].name);
        free(dwarf->units[i].names.list);
    }
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
static bool index_functions(struct tch_ranges *functions, Dwarf_Die *parent, int depth)
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
    const struct tch_range *range = tch_ranges_find(&d->ranges, addr);
    struct unit *unit;

    if (!range)
        return false;
    unit = &d->units[range->unit];
    if (!dwarf_offdie(d->dwarf, unit->die, cu))
        return false;
    if (!unit->indexed) {
        unit->indexed = true;
        d->no_memory |= !index_functions(&unit->functions, cu, 0);
        tch_ranges_sort(&unit->functions);
    }
    range = tch_ranges_find(&unit->functions, addr);
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

/* A scope on the path to the current DIE. */
struct scope {
    size_t start; /* where its name starts in the path */
    unsigned lambdas;
    unsigned unnamed;
};

struct walk {
    struct names *names;
    struct tch_buf path; /* names of the scopes, one after the other; see struct scope */
};

static bool walk_children(struct walk *w, Dwarf_Die *parent, struct scope *scope, int depth);

static const char *own_text(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attr;

    return dwarf_attr(die, name, &attr) ? dwarf_formstring(&attr) : NULL;
}

static const char *linkage_name(Dwarf_Die *function)
{
    Dwarf_Attribute attr;

    if (dwarf_attr_integrate(function, DW_AT_linkage_name, &attr) ||
        dwarf_attr_integrate(function, DW_AT_MIPS_linkage_name, &attr))
        return dwarf_formstring(&attr);
    return NULL;
}

/* Sets *ret to the DIE that declares a function: the one that its instances refer to. */
static void find_origin(Dwarf_Die *function, Dwarf_Die *ret)
{
    Dwarf_Attribute attr;

    *ret = *function;
    for (int i = 0; i < 8; i++) /* a circle is damage */
        if ((!dwarf_attr(ret, DW_AT_abstract_origin, &attr) &&
             !dwarf_attr(ret, DW_AT_specification, &attr)) ||
            !dwarf_formref_die(&attr, ret))
            break;
}

static bool is_class(Dwarf_Die *die)
{
    int tag = dwarf_tag(die);

    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

/* Returns whether a child has this name, or, if it is NULL, whether a local class is inside. */
static bool contains(Dwarf_Die *parent, const char *name, int depth)
{
    Dwarf_Die die;
    bool found = false;

    if (depth > DEEPEST || dwarf_child(parent, &die) != 0)
        return false;
    do {
        const char *text = name ? own_text(&die, DW_AT_name) : NULL;

        found = name ? text && strcmp(text, name) == 0
                     : is_class(&die) || (dwarf_tag(&die) == DW_TAG_lexical_block &&
                                          contains(&die, NULL, depth + 1));
    } while (!found && dwarf_siblingof(&die, &die) == 0);
    return found;
}

/* Adds the name of a scope to the path. The limit keeps the path short enough for PATH_MAX_BYTES.
 */
static void add_name(struct walk *w, const char *name)
{
    tch_buf_add(&w->path, name, strnlen(name, NAME_LONGEST));
}

/* Adds the name of a class to the path. */
static void add_class(struct walk *w, Dwarf_Die *die, struct scope *around)
{
    const char *name = own_text(die, DW_AT_name);

    /* Some versions of GCC name the class: "<lambda(int)>". */
    if (name && strncmp(name, "<lambda", strlen("<lambda")) != 0)
        add_name(w, name);
    else if (name || contains(die, "operator()", 0))
        tch_buf_addf(&w->path, "{lambda#%u}", ++around->lambdas);
    else
        tch_buf_addf(&w->path, "{unnamed type#%u}", ++around->unnamed);
}

/* Stores the path from `start` on as the name of a function. */
static bool store(struct walk *w, Dwarf_Off die, size_t start)
{
    struct names *names = w->names;
    char *name = strdup(w->path.data + start);

    if (!name || tch_array_reserve(&names->list, &names->cap, names->count + 1) < 0) {
        free(name);
        return false;
    }
    names->list[names->count++] = (struct name){die, name};
    return true;
}

/* Compares an offset with that of a struct name or a struct unit, their first member. */
static int by_die(const void *offset, const void *entry)
{
    Dwarf_Off x = *(const Dwarf_Off *)offset;
    Dwarf_Off y = *(const Dwarf_Off *)entry;

    return (x > y) - (x < y);
}

/* Returns the name of the function that is declared at `die`, or NULL. */
static const char *find_name(const struct names *names, Dwarf_Off die)
{
    const struct name *found = NULL;

    if (names->count > 0)
        found = bsearch(&die, names->list, names->count, sizeof *found, by_die);
    return found ? found->name : NULL;
}

/* Adds the name of a function to the path, which starts again with a complete name. Stores the name
   of a function that has no linkage name. */
static bool add_function(struct walk *w, Dwarf_Die *die, struct scope *scope)
{
    const char *linkage = linkage_name(die);
    const char *name = own_text(die, DW_AT_name);
    char *demangled = linkage ? tch_demangle(linkage) : NULL;
    const char *known;
    Dwarf_Die origin;

    find_origin(die, &origin);
    known = demangled ? demangled : find_name(w->names, dwarf_dieoffset(&origin));
    if (known) {
        scope->start = w->path.len;
        add_name(w, known);
        free(demangled);
        return true;
    }
    if (!name)
        name = dwarf_diename(die);
    add_name(w, name ? name : "[unknown]");
    return linkage || w->path.failed || store(w, dwarf_dieoffset(die), scope->start);
}

/* Returns whether a function is to be named, or contains functions that are. Demangling is slow, so
   all others are skipped. */
static bool is_wanted(Dwarf_Die *die)
{
    /* The local classes are in the function that its instances refer to. */
    if (dwarf_hasattr(die, DW_AT_abstract_origin))
        return false;
    return (own_text(die, DW_AT_name) && !linkage_name(die)) ||
           (!dwarf_hasattr(die, DW_AT_declaration) && contains(die, NULL, 0));
}

static bool walk_die(struct walk *w, Dwarf_Die *die, struct scope *around, int depth)
{
    struct scope scope = {.start = around->start};
    size_t len = w->path.len;
    bool ok = true;

    if (dwarf_tag(die) == DW_TAG_lexical_block)
        return walk_children(w, die, around, depth + 1);
    if (dwarf_tag(die) == DW_TAG_namespace) {
        const char *name = own_text(die, DW_AT_name);

        add_name(w, name ? name : "(anonymous namespace)");
    } else if (is_class(die)) {
        add_class(w, die, around);
    } else if (dwarf_tag(die) == DW_TAG_subprogram && is_wanted(die)) {
        ok = add_function(w, die, &scope);
    } else {
        return true;
    }
    tch_buf_adds(&w->path, "::");
    if (ok && !w->path.failed && w->path.len - scope.start <= NAME_LONGEST)
        ok = walk_children(w, die, &scope, depth + 1);
    if (w->path.failed)
        return false;
    w->path.len = len;
    w->path.data[len] = '\0';
    return ok;
}

static bool walk_children(struct walk *w, Dwarf_Die *parent, struct scope *scope, int depth)
{
    Dwarf_Die die;

    if (depth > DEEPEST || dwarf_child(parent, &die) != 0)
        return true;
    do
        if (!walk_die(w, &die, scope, depth))
            return false;
    while (dwarf_siblingof(&die, &die) == 0);
    return true;
}

static bool is_cxx(Dwarf_Die *unit)
{
    enum { CXX_17 = 0x2b, CXX_20 = 0x2c, CXX_23 = 0x3a }; /* libdw may be older than these codes */
    int language = dwarf_srclang(unit);

    return language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_03 ||
           language == DW_LANG_C_plus_plus_11 || language == DW_LANG_C_plus_plus_14 ||
           language == CXX_17 || language == CXX_20 || language == CXX_23;
}

/* Reads the names of a unit if its language is C++. Returns false if memory runs out. */
static bool read_names(struct names *names, Dwarf_Die *unit)
{
    struct walk w = {.names = names};
    struct scope scope = {0};
    bool ok = true;

    names->read = true;
    if (!is_cxx(unit))
        return true;
    tch_buf_init(&w.path, PATH_MAX_BYTES);
    ok = walk_children(&w, unit, &scope, 0);
    tch_buf_release(&w.path);
    return ok;
}

static const char *name_of(struct tch_dwarf *d, Dwarf_Die *die)
{
    const char *name = linkage_name(die);
    struct unit *unit;
    Dwarf_Die origin;
    Dwarf_Die cu;
    Dwarf_Off at;

    if (name)
        return name;
    find_origin(die, &origin); /* with LTO it may be in another unit */
    if (!dwarf_diecu(&origin, &cu, NULL, NULL))
        return dwarf_diename(die);
    at = dwarf_dieoffset(&cu);
    unit = bsearch(&at, d->units, d->unit_count, sizeof *unit, by_die);
    if (unit && !unit->names.read)
        d->no_memory |= !read_names(&unit->names, &cu);
    name = unit ? find_name(&unit->names, dwarf_dieoffset(&origin)) : NULL;
    return name ? name : dwarf_diename(die);
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
        ret[i] = (struct tch_scope){.name = name_of(dwarf, &dies[count - 1 - i])};
        if (lines && i > 0)
            find_call_site(&cu, &dies[count - i], &ret[i]);
    }
    line = lines ? dwarf_getsrc_die(&cu, addr) : NULL;
    if (line && dwarf_lineno(line, &ret[0].line) == 0)
        ret[0].file = dwarf_linesrc(line, NULL, NULL);
    return count;
}
