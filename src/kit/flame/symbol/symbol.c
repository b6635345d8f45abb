/* Names for places: symbol tables, debug information, marks. */
#include "symbol.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/array.h"
#include "base/fail.h"
#include "base/file.h"
#include "kit/flame/read/frame_name.h"
#include "symbol_debug.h"
#include "symbol_demangle.h"
#include "symbol_table.h"

enum { NAME_MAX_BYTES = 1 << 16, NAME_LONGEST = NAME_MAX_BYTES / 4, KALLSYMS_MAX = 512 << 20 };

/* The names of one object. */
struct tch_symbol_object {
    struct tch_symbol_table table;
    struct tch_dwarf *dwarf; /* or NULL */
    char unknown[264];       /* for an address without a name: "[libx.so.1]" */
};

void tch_symbols_init(struct tch_symbols *s, const struct tch_symbol_options *options,
                      struct tch_intern *names)
{
    *s = (struct tch_symbols){.options = *options, .names = names};
    tch_buf_init(&s->text, NAME_MAX_BYTES);
}

static void free_object(struct tch_symbol_object *o)
{
    if (!o)
        return;
    tch_symbol_table_release(&o->table);
    tch_dwarf_close(o->dwarf);
    free(o);
}

void tch_symbols_release(struct tch_symbols *s)
{
    for (size_t i = 0; i < s->object_count; i++)
        free_object(s->objects[i]);
    free(s->objects);
    free(s->list);
    free(s->frames);
    tch_buf_release(&s->text);
    *s = (struct tch_symbols){0};
}

/* The kernel's own list; false: no memory. That there is none leaves the table empty. */
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

/* Names of local functions that were packed into a stripped file. */
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

/* The symbols of the file and of its debug file, and the debug information of either. */
static bool read_file_symbols(struct tch_symbol_object *o, const struct tch_code_object *object,
                              const struct tch_symbol_options *options)
{
    bool own = tch_elf_section(&object->elf, ".debug_info") != NULL;
    bool whole = own && tch_elf_section_type(&object->elf, SHT_SYMTAB);
    int debug = whole ? -1 : tch_debug_file(object, options->debuginfod);
    struct tch_elf elf;
    bool ok = true;

    if (debug >= 0 && tch_elf_open_fd(&elf, fcntl(debug, F_DUPFD_CLOEXEC, 3), "", NULL) == 0) {
        ok = tch_symbol_table_elf(&o->table, &elf);
        tch_elf_release(&elf);
    } else if (!whole) {
        ok = read_mini_symbols(o, object);
    }
    ok = ok && tch_symbol_table_elf(&o->table, &object->elf);
    if (options->no_inline && !options->source) {
        if (debug >= 0)
            close(debug);
        return ok;
    }
    if (debug < 0 && own && object->elf.fd >= 0)
        debug = fcntl(object->elf.fd, F_DUPFD_CLOEXEC, 3);
    if (debug >= 0)
        o->dwarf = tch_dwarf_open(debug);
    return ok;
}

static bool read_symbols(struct tch_symbols *s, struct tch_symbol_object *o,
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
        return tch_perf_maps_read(&s->perf_maps, &o->table, object->pid);
    case TCH_OBJECT_VDSO:
        snprintf(o->unknown, sizeof o->unknown, "[vdso]");
        return !object->usable || tch_symbol_table_elf(&o->table, &object->elf);
    case TCH_OBJECT_FILE:
        return !object->usable || read_file_symbols(o, object, &s->options);
    case TCH_OBJECT_UNKNOWN:
        snprintf(o->unknown, sizeof o->unknown, "[unknown]");
        break;
    }
    return true;
}

/* The names of object `id`, read at the first call; NULL: no memory. */
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
    if (!o || !read_symbols(s, o, object)) {
        free_object(o);
        return NULL;
    }
    s->objects[id] = o;
    return o;
}

/* Adds s->text to s->frames. */
static bool push_text(struct tch_symbols *s)
{
    uint32_t id = tch_intern_add(s->names, s->text.data, s->text.len);

    if (id == TCH_INTERN_NONE ||
        tch_array_reserve(&s->frames, &s->frame_cap, s->frame_count + 1) < 0)
        return false;
    s->frames[s->frame_count++] = id;
    return true;
}

/* Adds the name of a function that has none: "gzip+0x5a30", where it starts in the file, else the
   file. Addresses are as linked, so the name is the same wherever the file is loaded. */
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

/* Adds one name: readable, with its source line, with its mark. */
static bool push_name(struct tch_symbols *s, const char *name, const struct tch_scope *scope,
                      const char *mark)
{
    char *demangled = tch_demangle(name);
    const char *text = demangled ? demangled : name;

    tch_buf_clear(&s->text);
    tch_add_symbol(&s->text, (struct tch_span){text, strnlen(text, NAME_LONGEST)});
    free(demangled);
    if (scope && scope->file)
        tch_buf_addf(&s->text, ":%s:%d",
                     strrchr(scope->file, '/') ? strrchr(scope->file, '/') + 1 : scope->file,
                     scope->line);
    tch_buf_adds(&s->text, mark);
    return push_text(s);
}

static bool name_place(struct tch_symbols *s, const struct tch_code_place *place,
                       const struct tch_code_object *object)
{
    struct tch_scope scopes[TCH_INLINE_DEEPEST];
    struct tch_symbol_object *o = get_object(s, place->object, object);
    const struct tch_scope *outer;
    const char *mark = "";
    const char *symbol;
    uint64_t start = 0;
    size_t count;
    bool ok;

    if (!o)
        return false;
    if (object->kind == TCH_OBJECT_KERNEL)
        mark = "_[k]";
    if (object->kind == TCH_OBJECT_JIT)
        mark = "_[j]";
    tch_cfi_function(&object->cfi, place->addr, &start);
    symbol = tch_symbol_table_find(&o->table, place->addr, start);
    /* A signal handler returns to the first byte of __restore_rt, which is not after a call; its
       .eh_frame starts a byte before it for that reason. */
    if (!symbol && (start == 0 || start == place->addr))
        symbol = tch_symbol_table_find(&o->table, place->addr + 1, start);
    count = o->dwarf ? tch_dwarf_find(o->dwarf, place->addr, s->options.source, scopes) : 0;
    if (count == 0)
        return symbol ? push_name(s, symbol, NULL, mark) : push_nameless(s, o, start, mark);
    /* As the debug information has them, outermost first; the outermost by its symbol. */
    outer = &scopes[count - 1];
    ok = push_name(s, symbol ? symbol : outer->name ? outer->name : "[unknown]", outer, "");
    for (size_t i = count - 1; ok && i-- > 0 && !s->options.no_inline;)
        ok = push_name(s, scopes[i].name ? scopes[i].name : "[unknown]", &scopes[i], "_[i]");
    return ok;
}

/* `fixed` is the name, where it does not depend on the place. */
static bool name_into(struct tch_symbols *s, struct tch_naming *ret,
                      const struct tch_code_place *place, const struct tch_code_object *object,
                      const char *fixed)
{
    ret->at = (uint32_t)s->frame_count;
    if (!(fixed ? push_name(s, fixed, NULL, "") : name_place(s, place, object)))
        return false;
    ret->count = (uint32_t)s->frame_count - ret->at;
    return true;
}

int tch_symbols_add(struct tch_symbols *s, const struct tch_code_place *place,
                    const struct tch_code_object *object, tacho_error *err)
{
    struct tch_naming naming;
    const char *fixed = NULL;

    if (s->count == TCH_PLACE_CUT)
        fixed = "[truncated]";
    else if (object->kind == TCH_OBJECT_JIT)
        fixed = TCH_NAME_ANONYMOUS; /* until its map is written */
    if (tch_array_reserve(&s->list, &s->cap, s->count + 1) < 0 ||
        !name_into(s, &naming, place, object, fixed))
        return tch_fail_memory(err);
    s->list[s->count++] = naming;
    return 0;
}

int tch_symbols_again(struct tch_symbols *s, uint32_t id, const struct tch_code_place *place,
                      const struct tch_code_object *object, tacho_error *err)
{
    return name_into(s, &s->list[id], place, object, NULL) ? 0 : tch_fail_memory(err);
}

int tch_symbols_prepare_kernel(struct tch_symbols *s, const struct tch_code_object *kernel,
                               tacho_error *err)
{
    return get_object(s, TCH_OBJECT_THE_KERNEL, kernel) ? 0 : tch_fail_memory(err);
}
