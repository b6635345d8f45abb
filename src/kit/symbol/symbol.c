/* Names places by symbol tables and debug information, and adds marks. */
#include "symbol.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/file.h"
#include "dwarf_child.h"
#include "frame_name.h"
#include "kit/symbol/object/debug_file.h"
#include "symbol_demangle.h"
#include "symbol_text.h"

enum { NAME_MAX_BYTES = 1 << 16, NAME_LONGEST = NAME_MAX_BYTES / 4, KALLSYMS_MAX = 512 << 20 };

/* The names of one object. */
struct tch_symbol_object {
    const struct tch_code_object *object;
    struct tch_symbol_table table;
    bool dwarf;        /* the child has its debug information */
    char unknown[264]; /* name of an address without a symbol: "[libx.so.1]" */
};

static bool wants_dwarf(const struct tch_symbol_options *options)
{
    return !options->no_inline || options->source || options->lines;
}

void tch_symbols_init(struct tch_symbols *s, const struct tch_symbol_options *options,
                      struct tch_intern *names)
{
    *s = (struct tch_symbols){.options = *options, .names = names};
    tch_buf_init(&s->text, NAME_MAX_BYTES);
    s->dwarf = tch_dwarf_child_start();
}

static void free_object(struct tch_symbol_object *o)
{
    if (!o)
        return;
    tch_symbol_table_release(&o->table);
    free(o);
}

void tch_symbols_release(struct tch_symbols *s)
{
    for (size_t i = 0; i < s->object_count; i++)
        free_object(s->objects[i]);
    free(s->objects);
    tch_dwarf_child_close(s->dwarf);
    free(s->list);
    free(s->frames);
    free(s->lines);
    tch_intern_release(&s->sources);
    tch_buf_release(&s->text);
    *s = (struct tch_symbols){0};
}

/* Reads /proc/kallsyms. The table stays empty if that is missing. Returns false if memory runs
   out. */
static bool read_kallsyms(struct tch_symbol_table *table)
{
    struct tch_buf b;
    int status;
    bool ok = true;

    tch_buf_init(&b, KALLSYMS_MAX);
    status = tch_file_read("/proc/kallsyms", KALLSYMS_MAX, &b, NULL);
    if (status == 0)
        ok = tch_symbol_table_kallsyms(table, b.data, b.len);
    tch_buf_release(&b);
    return ok && status != TACHO_ENOMEM;
}

/* Reads the local symbols that some distributions pack into a stripped file. */
static bool read_mini_symbols(struct tch_symbol_object *o, const struct tch_code_object *object)
{
    size_t len;
    void *data = tch_debug_data(&object->elf, &len);
    struct tch_elf elf;
    bool ok = true;

    if (data && tch_elf_open_mem(&elf, data, len, NULL) == 0) {
        ok = tch_symbol_table_elf(&o->table, &elf);
        tch_elf_release(&elf);
    }
    free(data);
    return ok;
}

/* Reads the symbols of the file and of its debug file, and sends the debug information of either to
   the child, which opens it in parallel. */
static bool read_file_symbols(struct tch_symbols *s, struct tch_symbol_object *o, uint32_t id,
                              const struct tch_code_object *object)
{
    bool own = tch_elf_section(&object->elf, ".debug_info") != NULL;
    bool whole = own && tch_elf_section_type(&object->elf, SHT_SYMTAB);
    int debug = whole ? -1 : tch_debug_file(object, s->options.debuginfod);
    int dwarf = debug >= 0 ? debug : own ? object->elf.fd : -1;
    struct tch_elf elf;
    bool ok = true;

    if (s->dwarf && dwarf >= 0 && wants_dwarf(&s->options)) {
        dwarf = fcntl(dwarf, F_DUPFD_CLOEXEC, 3);
        o->dwarf = dwarf >= 0 && tch_dwarf_child_open(s->dwarf, id, dwarf);
    }
    if (debug >= 0 &&
        tch_elf_open_fd(&elf, fcntl(debug, F_DUPFD_CLOEXEC, 3), "", object->elf.share, NULL) == 0) {
        ok = tch_symbol_table_elf(&o->table, &elf);
        tch_elf_release(&elf);
    } else if (!whole) {
        ok = read_mini_symbols(o, object);
    }
    if (debug >= 0)
        close(debug);
    ok = ok && tch_symbol_table_elf(&o->table, &object->elf);
    /* A symbol without a size extends to the next one, which may be missing from a part of a
       table. */
    if (object->share.over)
        tch_symbol_table_release(&o->table);
    return ok;
}

static bool read_symbols(struct tch_symbols *s, struct tch_symbol_object *o, uint32_t id,
                         const struct tch_code_object *object)
{
    struct tch_span base = tch_span_base((struct tch_span){object->path, strlen(object->path)});

    snprintf(o->unknown, sizeof o->unknown, "[%.*s]", (int)base.len, base.p);
    switch (object->kind) {
    case TCH_OBJECT_KERNEL:
        snprintf(o->unknown, sizeof o->unknown, "[kernel]");
        return read_kallsyms(&o->table);
    case TCH_OBJECT_JIT:
        snprintf(o->unknown, sizeof o->unknown, TCH_NAME_ANONYMOUS);
        return tch_perf_maps_read(&s->perf_maps, &o->table, object->pid, object->inner_pid);
    case TCH_OBJECT_VDSO:
        snprintf(o->unknown, sizeof o->unknown, "[vdso]");
        return !object->usable || tch_symbol_table_elf(&o->table, &object->elf);
    case TCH_OBJECT_FILE:
        return !object->usable || read_file_symbols(s, o, id, object);
    case TCH_OBJECT_UNKNOWN:
        snprintf(o->unknown, sizeof o->unknown, "[unknown]");
        break;
    }
    return true;
}

/* Returns the names of object `id`, read at the first call; NULL if memory runs out. */
static struct tch_symbol_object *get_object(struct tch_symbols *s, uint32_t id,
                                            const struct tch_code_object *object)
{
    struct tch_symbol_object *o;

    if (tch_array_reserve(&s->objects, &s->object_cap, (size_t)id + 1) < 0)
        return NULL;
    while (s->object_count <= id)
        s->objects[s->object_count++] = NULL;
    if (s->objects[id])
        return s->objects[id];
    o = calloc(1, sizeof *o);
    if (!o || !read_symbols(s, o, id, object)) {
        free_object(o);
        return NULL;
    }
    o->object = object;
    s->objects[id] = o;
    return o;
}

/* Interns s->text and appends its number to s->frames. */
static bool push_text(struct tch_symbols *s)
{
    uint32_t id = tch_intern_add(s->names, s->text.data, s->text.len);

    if (id == TCH_INTERN_NONE ||
        tch_array_reserve(&s->frames, &s->frame_cap, s->frame_count + 1) < 0)
        return false;
    if (s->options.lines && tch_array_reserve_zero(&s->lines, &s->line_cap, s->frame_count + 1) < 0)
        return false;
    s->frames[s->frame_count++] = id;
    return true;
}

/* Stores the source line of the last name. */
static bool set_line(struct tch_symbols *s, const struct tch_scope *scope)
{
    uint32_t source = tch_intern_add(&s->sources, scope->file, strlen(scope->file));

    if (source == TCH_INTERN_NONE)
        return false;
    s->lines[s->frame_count - 1] =
        (struct tch_symbol_line){source + 1, scope->line > 0 ? (uint32_t)scope->line : 0};
    return true;
}

/* Adds the name of a function without a symbol: "gzip+0x5a30", where the function starts in the
   file, or else the file alone. Addresses are as linked, so the name does not depend on where the
   file is loaded. */
static bool push_nameless(struct tch_symbols *s, const struct tch_symbol_object *o, uint64_t start,
                          const char *mark)
{
    size_t len = strlen(o->unknown);

    tch_buf_clear(&s->text);
    if (start)
        tch_buf_addf(&s->text, "%.*s+0x%llx", (int)len - 2, o->unknown + 1,
                     (unsigned long long)start);
    else
        tch_buf_adds(&s->text, o->unknown);
    for (size_t i = 0; i < s->text.len; i++)
        if (s->text.data[i] == ';' || s->text.data[i] == '\n')
            s->text.data[i] = ':';
    tch_buf_adds(&s->text, mark);
    return push_text(s);
}

/* Adds one name: demangled, with its source line and its mark. */
static bool push_name(struct tch_symbols *s, uint32_t object, const char *name,
                      const struct tch_scope *scope, const char *mark)
{
    bool grows = tch_demangle_grows(name);
    char *demangled = grows ? NULL : tch_demangle(name);
    const char *text = demangled;

    if (grows && s->dwarf)
        text = tch_dwarf_child_demangle(s->dwarf, object, name);
    if (!text)
        text = name;

    tch_buf_clear(&s->text);
    tch_add_symbol(&s->text, (struct tch_span){text, strnlen(text, NAME_LONGEST)});
    free(demangled);
    if (s->options.source && scope && scope->file)
        tch_buf_addf(&s->text, ":%s:%d",
                     strrchr(scope->file, '/') ? strrchr(scope->file, '/') + 1 : scope->file,
                     scope->line);
    tch_buf_adds(&s->text, mark);
    return push_text(s) && (!s->options.lines || !scope || !scope->file || set_line(s, scope));
}

/* Names a place. scopes are the `count` functions at its address, from the debug information. */
static bool name_place(struct tch_symbols *s, const struct tch_code_place *place,
                       const struct tch_code_object *object, const struct tch_scope *scopes,
                       size_t count)
{
    struct tch_symbol_object *o = get_object(s, place->object, object);
    const struct tch_scope *outer;
    const char *mark = "";
    const char *symbol;
    uint64_t start = 0;
    bool ok;

    if (!o)
        return false;
    if (object->kind == TCH_OBJECT_KERNEL)
        mark = "_[k]";
    if (object->kind == TCH_OBJECT_JIT)
        mark = "_[j]";
    tch_cfi_function(&object->cfi, place->addr, &start);
    symbol = tch_symbol_table_find(&o->table, place->addr, start);
    /* A signal handler returns to the first byte of __restore_rt, so "one before the return
       address" is outside of that symbol. Its .eh_frame starts one byte early for this reason. */
    if (!symbol && (start == 0 || start == place->addr))
        symbol = tch_symbol_table_find(&o->table, place->addr + 1, start);
    if (count == 0)
        return symbol ? push_name(s, place->object, symbol, NULL, mark)
                      : push_nameless(s, o, start, mark);
    /* Outermost first. The name of the outermost function is its symbol. */
    outer = &scopes[count - 1];
    ok = push_name(s, place->object,
                   symbol        ? symbol
                   : outer->name ? outer->name
                                 : "[unknown]",
                   outer, "");
    for (size_t i = count - 1; ok && i-- > 0 && !s->options.no_inline;)
        ok = push_name(s, place->object, scopes[i].name ? scopes[i].name : "[unknown]", &scopes[i],
                       "_[i]");
    return ok;
}

/* Returns the name of a place that is independent of its address, or NULL. */
static const char *fixed_name(size_t number, const struct tch_code_object *object)
{
    if (number == TCH_PLACE_CUT)
        return "[truncated]";
    if (number == TCH_PLACE_PREEMPTED)
        return TCH_NAME_PREEMPTED "_[k]"; /* it waits in the kernel */
    return object->kind == TCH_OBJECT_JIT ? TCH_NAME_ANONYMOUS
                                          : NULL; /* named at the end, when its map is written */
}

/* Asks the child for the functions at the places that have debug information. Sets *asked to the
   number of answers to expect, 0 if the child is dead. Returns false if memory runs out. */
static bool ask_dwarf(struct tch_symbols *s, const struct tch_symbol_job *jobs, size_t count,
                      size_t *asked)
{
    struct tch_dwarf_query queries[TCH_DWARF_QUERIES];

    *asked = 0;
    for (size_t i = 0; i < count; i++) {
        const struct tch_code_place *place = &jobs[i].place;
        const struct tch_symbol_object *o;

        if (fixed_name(s->count + i, jobs[i].object))
            continue;
        o = get_object(s, place->object, jobs[i].object);
        if (!o)
            return false;
        if (o->dwarf)
            queries[(*asked)++] =
                (struct tch_dwarf_query){.addr = place->addr, .object = place->object};
    }
    if (*asked > 0 &&
        !tch_dwarf_child_find(s->dwarf, queries, *asked, s->options.source || s->options.lines))
        *asked = 0;
    return true;
}

/* Names up to TCH_DWARF_QUERIES places. */
static bool name_places(struct tch_symbols *s, const struct tch_symbol_job *jobs, size_t count)
{
    size_t asked;
    bool ok = tch_array_reserve(&s->list, &s->cap, s->count + count) == 0 &&
              ask_dwarf(s, jobs, count, &asked);

    for (size_t i = 0; i < count && ok; i++) {
        const struct tch_code_place *place = &jobs[i].place;
        const char *fixed = fixed_name(s->count, jobs[i].object);
        struct tch_scope scopes[TCH_INLINE_DEEPEST];
        size_t found = 0;
        uint32_t at = (uint32_t)s->frame_count;

        if (asked > 0 && !fixed && s->objects[place->object]->dwarf)
            found = tch_dwarf_child_next(s->dwarf, scopes);
        ok = fixed ? push_name(s, place->object, fixed, NULL, "")
                   : name_place(s, place, jobs[i].object, scopes, found);
        s->list[s->count] = (struct tch_naming){at, (uint32_t)s->frame_count - at};
        s->count += ok;
    }
    return ok;
}

int tch_symbols_add(struct tch_symbols *s, const struct tch_symbol_job *jobs, size_t count,
                    tacho_error *err)
{
    while (count > 0) {
        size_t now = count < TCH_DWARF_QUERIES ? count : TCH_DWARF_QUERIES;

        if (!name_places(s, jobs, now))
            return tch_fail_memory(err);
        jobs += now;
        count -= now;
    }
    return 0;
}

int tch_symbols_again(struct tch_symbols *s, uint32_t id, const struct tch_code_place *place,
                      const struct tch_code_object *object, tacho_error *err)
{
    uint32_t at = (uint32_t)s->frame_count;

    if (!name_place(s, place, object, NULL, 0))
        return tch_fail_memory(err);
    s->list[id] = (struct tch_naming){at, (uint32_t)s->frame_count - at};
    return 0;
}

int tch_symbols_prepare_kernel(struct tch_symbols *s, const struct tch_code_object *kernel,
                               tacho_error *err)
{
    return get_object(s, TCH_OBJECT_THE_KERNEL, kernel) ? 0 : tch_fail_memory(err);
}

void tch_symbols_explain(const struct tch_symbols *s, struct tch_buf *lines)
{
    const char *what = !wants_dwarf(&s->options) ? "long C++ names"
                       : s->options.no_inline    ? "source lines"
                                                 : "inlined functions";
    uint32_t object;
    const char *why;

    tch_perf_maps_explain(&s->perf_maps, lines);
    for (size_t i = 0; i < s->object_count; i++) {
        const char *problem = s->objects[i] ? s->objects[i]->object->share.problem : NULL;
        const char *file = s->objects[i] ? s->objects[i]->unknown : "";

        if (!problem)
            continue;
        tch_buf_addf(lines, "%.*s %s", (int)strlen(file) - 2, file + 1, problem);
        tch_buf_addc(lines, '\0');
    }
    if (!s->dwarf) {
        tch_buf_addf(lines, "cannot start a process that reads symbols; %s are missing", what);
        tch_buf_addc(lines, '\0');
    }
    for (size_t i = 0; s->dwarf && (why = tch_dwarf_child_death(s->dwarf, i, &object)); i++) {
        const char *file =
            object < s->object_count && s->objects[object] ? s->objects[object]->unknown : "[?]";

        tch_buf_addf(lines, "reading the symbols of %.*s %s; its %s are missing%s",
                     (int)strlen(file) - 2, file + 1, why, what,
                     i + 1 < TCH_DWARF_WORKERS ? "" : ", and those of all files from then on");
        tch_buf_addc(lines, '\0');
    }
}
