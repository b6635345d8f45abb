/* Describes the machine as a JSON document: everything that distinguishes two machines, or two
   configurations of one machine. */
#include "environment.h"

#include <dirent.h>
#include <stdbool.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json_read.h"
#include "base/json_write.h"
#include "base/no_cancel.h"
#include "base/number.h"
#include "base/secret.h"
#include "fingerprint_config.h"

enum { SMALL_FILE = 1024 * 1024, NAMES_MAX = 64, TEXT = 256 };

/* The document that is being written. */
struct env {
    const char *root;
    struct tch_buf out;
    struct tch_buf path;
    struct tch_buf file; /* the file that was read last */
};

/* Reads root/FMT, with each '*' replaced by `name`, into e->file, which is "" on failure. */
static bool read_file(struct env *e, const char *fmt, const char *name)
{
    tch_buf_clear(&e->path);
    tch_buf_adds(&e->path, e->root);
    tch_buf_addf(&e->path, "/");
    for (const char *p = fmt; *p; p++) {
        if (*p == '*')
            tch_buf_adds(&e->path, name);
        else
            tch_buf_addc(&e->path, *p);
    }
    tch_buf_clear(&e->file);
    if (!e->path.failed && tch_file_read(e->path.data, SMALL_FILE, &e->file, NULL) == 0)
        return true;
    tch_buf_clear(&e->file); /* half of a file would describe another machine */
    return false;
}

static void trim(char *text)
{
    size_t len = strlen(text);

    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        text[--len] = '\0';
}

/* Copies the value of the first line that starts with the key, without separator and blanks. */
static bool read_field(const char *text, const char *key, char out[TEXT])
{
    size_t len = strlen(key);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, len) == 0 && strchr(" \t:=", line[len]) && line[len]) {
            const char *value = line + len + strspn(line + len, " \t:=\"");
            size_t size = strcspn(value, "\"\r\n");

            snprintf(out, TEXT, "%.*s", (int)(size < TEXT ? size : TEXT - 1), value);
            trim(out);
            return true;
        }
    }
    return false;
}

static void add_text(struct env *e, const char *key, const char *value)
{
    tch_json_key(&e->out, key);
    if (value && value[0])
        tch_json_text(&e->out, value);
    else
        tch_json_null(&e->out);
}

static void add_number(struct env *e, const char *key, uint64_t value)
{
    tch_json_key(&e->out, key);
    if (value > 0)
        tch_json_u64(&e->out, value);
    else
        tch_json_null(&e->out);
}

/* Adds the CPU's model and count. ARM kernels do not name a model, so the numbers of implementer
   and part are used there. */
static uint64_t add_cpu(struct env *e)
{
    char model[TEXT] = "";
    uint64_t count = 0;

    read_file(e, "proc/cpuinfo", NULL);
    if (!read_field(e->file.data, "model name", model) &&
        !read_field(e->file.data, "Hardware", model)) {
        char part[TEXT] = "";
        char maker[TEXT] = "";

        read_field(e->file.data, "CPU implementer", maker);
        if (read_field(e->file.data, "CPU part", part))
            snprintf(model, sizeof model, "implementer %.100s part %.100s", maker, part);
    }
    for (const char *p = e->file.data; (p = strstr(p, "processor")); p += 9)
        count += (p == e->file.data || p[-1] == '\n') && strchr("\t :", p[9]);
    add_text(e, "cpu_model", model);
    add_number(e, "cpu_count", count);
    return count;
}

/* Adds the memory, rounded to the nearest GiB, because the memory that the firmware reserves
   varies a little. */
static void add_memory(struct env *e)
{
    char text[TEXT] = "";
    uint64_t kib = 0;

    read_file(e, "proc/meminfo", NULL);
    if (read_field(e->file.data, "MemTotal", text)) {
        text[strcspn(text, " ")] = '\0';
        if (tch_parse_u64(text, UINT64_MAX / 2, &kib) < 0)
            kib = 0;
    }
    tch_json_key(&e->out, "memory_gib");
    if (kib > 0)
        tch_json_u64(&e->out, (kib + (1 << 19)) >> 20);
    else
        tch_json_null(&e->out);
}

static void add_system(struct env *e)
{
    struct utsname name;
    char text[TEXT] = "";

    add_text(e, "architecture", uname(&name) == 0 ? name.machine : NULL);
    read_file(e, "proc/sys/kernel/osrelease", NULL);
    snprintf(text, sizeof text, "%.*s", TEXT - 1, e->file.data);
    trim(text);
    add_text(e, "kernel", text);
    text[0] = '\0';
    read_file(e, "etc/os-release", NULL);
    read_field(e->file.data, "PRETTY_NAME", text);
    add_text(e, "os", text);
    text[0] = '\0';
    confstr(_CS_GNU_LIBC_VERSION, text, sizeof text);
    add_text(e, "libc", text);
}

/* Adds the frequency governor that all CPUs use, or "mixed" when they differ. */
static void add_governor(struct env *e, uint64_t cpus)
{
    char common[TEXT] = "";

    for (uint64_t i = 0; i < cpus && i < 4096; i++) {
        char number[24];
        char text[TEXT];

        snprintf(number, sizeof number, "%llu", (unsigned long long)i);
        if (!read_file(e, "sys/devices/system/cpu/cpu*/cpufreq/scaling_governor", number))
            continue;
        snprintf(text, sizeof text, "%.*s", TEXT - 1, e->file.data);
        trim(text);
        if (common[0] && strcmp(common, text) != 0) {
            snprintf(common, sizeof common, "mixed");
            break;
        }
        snprintf(common, sizeof common, "%s", text);
    }
    add_text(e, "governor", common);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

/* Lists the names in a folder that start with prefix, sorted. Returns their number. */
static size_t list_folder(struct env *e, const char *folder, const char *prefix,
                          char names[NAMES_MAX][TEXT])
{
    size_t count = 0;
    struct dirent *entry;
    DIR *dir;

    tch_buf_clear(&e->path);
    tch_buf_addf(&e->path, "%s/%s", e->root, folder);
    dir = e->path.failed ? NULL : opendir(e->path.data);
    while (dir && count < NAMES_MAX && (entry = readdir(dir)))
        if (entry->d_name[0] != '.' && strncmp(entry->d_name, prefix, strlen(prefix)) == 0)
            snprintf(names[count++], TEXT, "%.*s", TEXT - 1, entry->d_name);
    if (dir)
        closedir(dir);
    qsort(names, count, TEXT, by_name);
    return count;
}

static void add_gpu(struct env *e, const char *name, const char *driver)
{
    tch_json_begin_object(&e->out);
    add_text(e, "name", name);
    add_text(e, "driver", driver);
    tch_json_end_object(&e->out);
}

/* Finds the first version number in "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03
 * ...". */
static void nvidia_driver(struct env *e, char out[TEXT])
{
    out[0] = '\0';
    read_file(e, "proc/driver/nvidia/version", NULL);
    for (const char *word = e->file.data; *word;) {
        size_t len = strcspn(word, " \t\n");

        if (len > 2 && strspn(word, "0123456789.") == len && memchr(word, '.', len)) {
            snprintf(out, TEXT, "%.*s", (int)(len < TEXT ? len : TEXT - 1), word);
            return;
        }
        word += len;
        word += strspn(word, " \t\n");
    }
}

static void add_gpus(struct env *e)
{
    static const struct {
        const char *vendor, *driver, *file;
    } drivers[] = {{"0x1002", "amdgpu", "sys/module/amdgpu/version"}, {"0x8086", "i915", NULL}};
    char names[NAMES_MAX][TEXT];
    char driver[TEXT];
    size_t count = list_folder(e, "proc/driver/nvidia/gpus", "", names);

    tch_json_key(&e->out, "gpus");
    tch_json_begin_array(&e->out);
    nvidia_driver(e, driver);
    for (size_t i = 0; i < count; i++) {
        char model[TEXT] = "";

        read_file(e, "proc/driver/nvidia/gpus/*/information", names[i]);
        read_field(e->file.data, "Model", model);
        add_gpu(e, model, driver);
    }
    count = list_folder(e, "sys/class/drm", "card", names);
    for (size_t i = 0; i < count; i++) {
        char name[TEXT];
        size_t d = 0;

        if (strchr(names[i], '-') || !read_file(e, "sys/class/drm/*/device/vendor", names[i]))
            continue; /* card0-HDMI-A-1 is a connector of card0 */
        trim(e->file.data);
        while (d < 2 && strcmp(e->file.data, drivers[d].vendor) != 0)
            d++;
        if (d == 2)
            continue;
        read_file(e, "sys/class/drm/*/device/device", names[i]);
        trim(e->file.data);
        snprintf(name, sizeof name, "%s %.64s", drivers[d].driver, e->file.data);
        driver[0] = '\0';
        if (drivers[d].file && read_file(e, drivers[d].file, NULL))
            snprintf(driver, sizeof driver, "%.*s", TEXT - 1, e->file.data);
        trim(driver);
        add_gpu(e, name, driver);
    }
    tch_json_end_array(&e->out);
}

static void add_container(struct env *e)
{
    static const char *const marks[][2] = {
        {"kubepods", "kubernetes"}, {"/docker", "docker"}, {"/lxc", "lxc"}, {"libpod", "podman"}};
    const char *found = NULL;

    if (read_file(e, ".dockerenv", NULL))
        found = "docker";
    else if (read_file(e, "run/.containerenv", NULL))
        found = "podman";
    read_file(e, "proc/1/cgroup", NULL);
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (strstr(e->file.data, marks[i][0]))
            found = marks[i][1];
    add_text(e, "container", found);
}

/* Returns whether the value of the variable affects measurements. Paths and labels do not. */
static bool variable_matters(const char *name, size_t len)
{
    static const char *const ends[] = {"_DIR", "_FILE", "_HASH", "_JSONL",      "_LOG",
                                       "_OUT", "_PATH", "_DATA", "_COMMIT_SHA", "_COMMIT"};

    if (strncmp(name, "TACHO_", 6) != 0 && strncmp(name, "FERRUM_", 7) != 0)
        return false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t end = strlen(ends[i]);

        if (len >= end && memcmp(name + len - end, ends[i], end) == 0)
            return false;
    }
    return true;
}

/* Returns the variable that follows `after` in byte order, or NULL. */
static const char *next_variable(const char *after)
{
    const char *best = NULL;

    for (char **v = environ; v && *v; v++)
        if (variable_matters(*v, strcspn(*v, "=")) && (!after || strcmp(*v, after) > 0) &&
            (!best || strcmp(*v, best) < 0))
            best = *v;
    return best;
}

/* Adds the environment variables. The hash of the document changes with every value, also with a
   masked one. */
static void add_variables(struct env *e, const char *const *keep)
{
    struct tch_buf value;

    tch_buf_init(&value, TCH_FINGERPRINT_LIMIT);
    tch_json_key(&e->out, "variables");
    tch_json_begin_object(&e->out);
    for (const char *v = NULL; (v = next_variable(v));) {
        size_t len = strcspn(v, "=");

        tch_json_key_n(&e->out, v, len);
        tch_buf_clear(&value);
        if (v[len])
            tch_secret_mask_value(&value, v, len, v + len + 1, keep);
        e->out.failed |= value.failed;
        tch_json_text(&e->out, value.data);
    }
    tch_json_end_object(&e->out);
    tch_buf_release(&value);
}

int tch_environment(const char *root, const char *compiler, const char *const *keep, char **ret,
                    size_t *len, tacho_error *err)
{
    struct env e = {.root = root};
    uint64_t cpus;

    tch_buf_init(&e.out, TCH_FINGERPRINT_LIMIT);
    tch_buf_init(&e.path, PATH_MAX);
    tch_buf_init(&e.file, SMALL_FILE);
    tch_json_begin_object(&e.out);
    add_text(&e, "schema", "tacho.env.v1");
    cpus = add_cpu(&e);
    add_memory(&e);
    add_system(&e);
    add_text(&e, "compiler", compiler);
    add_governor(&e, cpus);
    add_gpus(&e);
    add_container(&e);
    add_variables(&e, keep);
    tch_json_end_object(&e.out);
    tch_buf_release(&e.path);
    tch_buf_release(&e.file);
    return tch_hand_over(&e.out, ret, len, err);
}

int tacho_environment(const char *compiler, char **ret, size_t *ret_len, tacho_error *err)
{
    TCH_NO_CANCEL;

    return tch_environment("", compiler, NULL, ret, ret_len, err);
}

void tacho_environment_hash(const char *document, size_t len, char ret[TACHO_ENV_HASH_TEXT])
{
    memcpy(ret, "sha256:", 7);
    tacho_sha256(document, len, ret + 7);
}

/* Adds letters and digits in lower case; other characters become one '-'. */
static void add_slug(struct tch_buf *b, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        char c = text[i];

        if (c >= 'A' && c <= 'Z')
            c = (char)(c - 'A' + 'a');
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')
            tch_buf_addc(b, c);
        else if (b->len > 0 && b->data[b->len - 1] != '-')
            tch_buf_addc(b, '-');
    }
    if (b->len > 0 && b->data[b->len - 1] != '-')
        tch_buf_addc(b, '-');
}

/* The parts of a document that define the class of a machine. */
struct class_parts {
    struct tch_buf cpu;
    struct tch_buf architecture;
    struct tch_buf kernel;
    uint64_t cpus;
    uint64_t gib;
    bool unknown; /* a part that every machine has is null */
};

static int read_parts(struct tch_json_reader *r, struct class_parts *p)
{
    struct tch_json_value key;
    struct tch_json_value value;
    int more;

    if (tch_json_read(r, &value) < 0 || value.type != TCH_JSON_OBJECT)
        return TACHO_EPARSE;
    while ((more = tch_json_member(r, &key)) > 0) {
        struct tch_buf *text = tch_json_is(&key, "cpu_model")      ? &p->cpu
                               : tch_json_is(&key, "architecture") ? &p->architecture
                               : tch_json_is(&key, "kernel")       ? &p->kernel
                                                                   : NULL;
        uint64_t *number = tch_json_is(&key, "cpu_count")    ? &p->cpus
                           : tch_json_is(&key, "memory_gib") ? &p->gib
                                                             : NULL;

        if (!text && !number) {
            tch_json_skip(r);
            continue;
        }
        if (tch_json_read(r, &value) < 0)
            return TACHO_EPARSE;
        if (text && value.type == TCH_JSON_STRING)
            tch_json_unescape(&value, text);
        else if (number && value.type == TCH_JSON_NUMBER)
            *number = tch_json_to_number(&value).as.u64;
        else if (value.type != TCH_JSON_NULL)
            return TACHO_EPARSE;
        else
            p->unknown |= text != &p->cpu; /* some kernels do not name a CPU model */
    }
    return more < 0 ? more : tch_json_finish(r);
}

int tacho_machine_class(const char *document, size_t len, char **ret, tacho_error *err)
{
    struct tch_json_reader r;
    struct class_parts p = {.cpus = 0};
    struct tch_buf b;
    int status;

    tch_buf_init(&b, SMALL_FILE);
    tch_buf_init(&p.cpu, SMALL_FILE);
    tch_buf_init(&p.architecture, SMALL_FILE);
    tch_buf_init(&p.kernel, SMALL_FILE);
    tch_json_open(&r, document, len, err);
    status = read_parts(&r, &p);
    if (status < 0) {
        status = tch_fail(err, TACHO_EPARSE, 0, "not an environment document");
    } else if (p.unknown) {
        tch_buf_adds(&b, "unknown");
        status = tch_hand_over(&b, ret, NULL, err);
    } else {
        add_slug(&b, p.cpu.data, p.cpu.len);
        tch_buf_addf(&b, "%llucpu-%llugib-", (unsigned long long)p.cpus, (unsigned long long)p.gib);
        add_slug(&b, p.architecture.data, p.architecture.len);
        tch_buf_addf(&b, "linux%.*s", (int)strcspn(p.kernel.data, "."), p.kernel.data);
        b.failed = b.failed || p.cpu.failed || p.architecture.failed || p.kernel.failed;
        status = tch_hand_over(&b, ret, NULL, err);
    }
    tch_buf_release(&b);
    tch_buf_release(&p.cpu);
    tch_buf_release(&p.architecture);
    tch_buf_release(&p.kernel);
    return status;
}
