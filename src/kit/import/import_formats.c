/* The table of formats, and reading a text or files by it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/sha256.h"
#include "import_read.h"

enum {
    DOCUMENTS_TRIED = 64, /* places of a text at which a JSON document may begin */
    FOLDER_DEPTH = 32,
};

/* Formats with more specific content come first. The text formats are last, because they search the
   whole text. */
static const struct tch_import_reader *const readers[] = {
    &tch_import_hyperfine,       &tch_import_google_benchmark, &tch_import_pytest,
    &tch_import_criterion,       &tch_import_cargo_criterion,  &tch_import_jmh,
    &tch_import_benchmarkdotnet, &tch_import_llama_bench,      &tch_import_pyperf,
    &tch_import_nanobench,       &tch_import_perfgate,         &tch_import_asv,
    &tch_import_vitest,          &tch_import_benchmarktools,   &tch_import_fio,
    &tch_import_data_js,         &tch_import_custom_json,      &tch_import_bmf,
    &tch_import_test2json,       &tch_import_catch2,           &tch_import_gnu_time,
    &tch_import_perf_stat,       &tch_import_google_text,      &tch_import_go,
    &tch_import_libtest,         &tch_import_samples,
};

enum { READERS = sizeof readers / sizeof readers[0] };

const struct tch_import_format *tch_import_format_at(size_t i)
{
    return i < READERS ? &readers[i]->format : NULL;
}

void tch_import_init(struct tch_import_set *set)
{
    *set = (struct tch_import_set){0};
}

void tch_import_release(struct tch_import_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        tch_result_release(&set->results[i]);
    for (size_t i = 0; i < set->problem_count; i++)
        free(set->problems[i].text);
    free(set->results);
    free(set->states);
    free(set->problems);
    tch_intern_release(&set->names);
    *set = (struct tch_import_set){0};
}

/* --- The JSON document of a text --- */

/* Returns the length of a word at p that some tools write for a number that JSON does not have. */
static size_t bare_word(const char *p, const char *end)
{
    static const char *const words[] = {"NaN", "-NaN", "nan", "-nan", "Infinity", "-Infinity"};

    if (*p == '\0' || !strchr("Nn-I", *p))
        return 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t len = strlen(words[i]);

        if ((size_t)(end - p) > len && memcmp(p, words[i], len) == 0 && p[len] != '\0' &&
            strchr(",]} \t\r\n", p[len]))
            return len;
    }
    return 0;
}

/* Finds the next bare word that stands for a value: after a colon, a comma or a bracket, outside
   strings. Returns its length, or 0 at the end. */
static size_t next_bare_word(const char **at, const char *end)
{
    char before = 0;

    for (const char *p = *at; p < end; p++) {
        size_t word = before && strchr(":,[", before) ? bare_word(p, end) : 0;

        if (word > 0) {
            *at = p;
            return word;
        }
        if (*p == '"')
            for (p++; p < end && *p != '"' && *p != '\n'; p++)
                p += *p == '\\';
        else if (strchr(" \t\r\n", *p))
            continue;
        before = p < end ? *p : 0;
    }
    return 0;
}

/* Replaces NaN and Infinity by "", which is not a number either and as short. Returns NULL if there
   are none, or no memory. */
static char *without_nan(const char *text, size_t len)
{
    const char *at = text;
    const char *end = text + len;
    char *copy;
    size_t word;

    if (!memmem(text, len, "NaN", 3) && !memmem(text, len, "nan", 3) &&
        !memmem(text, len, "Infinity", 8))
        return NULL;
    word = next_bare_word(&at, end);
    if (word == 0 || !(copy = malloc(len + TCH_JSON_SPARE)))
        return NULL;
    memcpy(copy, text, len);
    memset(copy + len, 0, TCH_JSON_SPARE);
    for (; word > 0; word = next_bare_word(&at, end)) {
        char *there = copy + (at - text);

        memset(there, ' ', word);
        there[0] = there[1] = '"';
        /* The word itself is what comes before the next one. */
        at += word;
    }
    return copy;
}

/* Returns where a document may begin, from a place on: at a bracket that begins a line. */
static const char *next_document(const char *p, const char *end, bool at_line)
{
    while (p < end) {
        if (at_line) {
            const char *q = p;

            while (q < end && (*q == ' ' || *q == '\t'))
                q++;
            if (q < end && (*q == '{' || *q == '['))
                return q;
        }
        p = memchr(p, '\n', (size_t)(end - p));
        if (!p)
            return NULL;
        p++;
        at_line = true;
    }
    return NULL;
}

/* Finds the JSON document of a text. Keeps the error of the first place that is none. */
static int find_document(struct tch_import_input *in, tacho_error *err)
{
    static const char script[] = "window.BENCHMARK_DATA";
    const char *end = in->text + in->len;
    const char *p = next_document(in->text, end, true);
    tacho_error first = {0};
    int status = 0;

    if (in->len > sizeof script && memcmp(in->text, script, sizeof script - 1) == 0)
        p = memchr(in->text, '{', in->len);
    for (int i = 0; p && i < DOCUMENTS_TRIED; i++, p = next_document(p, end, false)) {
        tacho_error why = {0};

        status = tch_json_tree_parse(&in->tree, p, (size_t)(end - p), NULL, &why);
        if (status == 0) {
            in->root = in->tree.nodes;
            in->root_at = (size_t)(p - in->text);
            return 0;
        }
        if (status == TACHO_ENOMEM)
            return tch_fail_again(err, &why);
        for (const char *q = in->text; i == 0 && q < p; q++)
            why.line += *q == '\n';
        if (i == 0)
            first = why;
    }
    return status < 0 ? tch_fail_again(err, &first) : 0;
}

/* --- One text --- */

static const struct tch_import_reader *recognise(const struct tch_import_input *in)
{
    for (size_t i = 0; i < READERS; i++)
        if (readers[i]->is(in))
            return readers[i];
    return NULL;
}

static const struct tch_import_reader *by_name(const char *name)
{
    for (size_t i = 0; i < READERS; i++)
        if (strcmp(readers[i]->format.name, name) == 0)
            return readers[i];
    return NULL;
}

static int keep_text(char **slot, const char *text)
{
    if (*slot || !text)
        return 0;
    *slot = strdup(text);
    return *slot ? 0 : TACHO_ENOMEM;
}

/* Completes the results of the text that was read last. */
static int describe_results(struct tch_import_input *in, const char *sha256)
{
    struct tch_import_set *set = in->set;

    for (size_t i = 0; i < set->count; i++) {
        struct tch_result *r = &set->results[i];

        if (set->states[i].file != set->files || r->imported.format)
            continue;
        if (keep_text(&r->imported.tool, in->format->tool) < 0 ||
            keep_text(&r->imported.version, in->version) < 0 ||
            keep_text(&r->imported.format, in->format->name) < 0 ||
            keep_text(&r->imported.file, in->file) < 0 ||
            keep_text(&r->machine_class, in->machine ? in->machine : "unknown") < 0 ||
            keep_text(&r->command.line, r->name) < 0)
            return TACHO_ENOMEM;
        snprintf(r->imported.sha256, sizeof r->imported.sha256, "%s", sha256);
        if (!r->repetition[0])
            snprintf(r->repetition, sizeof r->repetition, "%s", in->format->repetition);
        if (!r->commit[0])
            snprintf(r->commit, sizeof r->commit, "%s", in->commit);
        if (r->started_unix_ns == 0)
            r->started_unix_ns = in->when;
    }
    return 0;
}

/* Says why a text cannot be read: its JSON is broken, or no format is recognised. */
static int fail_unknown(const struct tch_import_input *in, int parsed, const tacho_error *why,
                        tacho_error *err)
{
    if (parsed == TACHO_ENOMEM)
        return tch_fail_again(err, why);
    if (in->len == 0)
        return tch_fail(err, TACHO_EPARSE, 0, "the file is empty");
    if (parsed < 0)
        return tch_fail(err, TACHO_EPARSE, why->line, "the JSON is truncated or not valid: %.150s",
                        why->message);
    return tch_fail(err, TACHO_EUNSUPPORTED, 0,
                    "the format is not known; 'tacho import --list' shows how formats are "
                    "recognised");
}

static int read_text(struct tch_import_input *in, const struct tch_import_options *options,
                     tacho_error *err)
{
    const struct tch_import_reader *reader = options->format ? by_name(options->format) : NULL;
    char sha256[TCH_SHA256_HEX];
    tacho_error why = {0};
    size_t problems = in->set->problem_count;
    int parsed = find_document(in, &why);

    if (options->format && !reader)
        return tch_fail(err, TACHO_EINVAL, 0, "'%s' is not a format; see 'tacho import --list'",
                        options->format);
    if (!reader)
        reader = recognise(in);
    if (!reader)
        return fail_unknown(in, parsed, &why, err);
    in->format = &reader->format;
    in->set->files++;
    reader->read(in);
    if (in->status < 0)
        return tch_fail_memory(err);
    if (in->added == 0 && in->set->problem_count == problems)
        return tch_fail(err, TACHO_EPARSE, parsed < 0 ? why.line : 0,
                        "there is no benchmark that can be read as %s%s%.100s", reader->format.name,
                        parsed < 0 ? ": " : "", parsed < 0 ? why.message : "");
    tch_sha256_hex(sha256, in->text, in->len);
    return describe_results(in, sha256) < 0 ? tch_fail_memory(err) : 0;
}

int tch_import_text(struct tch_import_set *set, const char *file, const char *text, size_t len,
                    uint64_t when, const struct tch_import_options *options, tacho_error *err)
{
    char *copy = without_nan(text, len);
    struct tch_import_input in = {
        .set = set, .file = file, .text = copy ? copy : text, .len = len, .when = when};
    int status;

    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        in.text += 3;
        in.len -= 3;
    }
    status = read_text(&in, options, err);
    tch_json_tree_release(&in.tree);
    free(in.version);
    free(in.machine);
    free(copy);
    return status;
}

/* --- Files --- */

static int read_open(struct tch_import_set *set, int fd, const char *path,
                     const struct tch_import_options *options, tacho_error *err)
{
    struct stat st;
    struct tch_buf b;
    struct timespec when;
    int status;

    if (fstat(fd, &st) < 0)
        return tch_fail_errno(err, errno, "cannot read '%s'", path);
    clock_gettime(CLOCK_REALTIME, &when);
    if (S_ISREG(st.st_mode))
        when = st.st_mtim;
    tch_buf_init(&b, TCH_IMPORT_MAX);
    status = tch_file_read_fd(fd, path, TCH_IMPORT_MAX, &b, err);
    if (status == 0)
        status = tch_import_text(set, path, b.data, b.len,
                                 (uint64_t)when.tv_sec * 1000000000u + (uint64_t)when.tv_nsec,
                                 options, err);
    tch_buf_release(&b);
    return status;
}

static int import_folder(struct tch_import_set *set, const char *path, unsigned depth,
                         const struct tch_import_options *options, tacho_error *err);

static bool is_json_name(const char *name)
{
    size_t len = strlen(name);

    return len > 5 && strcmp(name + len - 5, ".json") == 0;
}

/* Imports an entry of a folder. A broken .json file becomes a problem of the set. Criterion keeps
 * older and derived values beside "new". */
static int import_entry(struct tch_import_set *set, const char *folder, const char *name,
                        unsigned depth, const struct tch_import_options *options, tacho_error *err)
{
    char path[PATH_MAX];
    struct tch_import_input in = {.set = set, .file = path, .text = ""};
    tacho_error why = {0};
    struct stat st;
    int status;

    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX)
        return 0;
    if (lstat(path, &st) < 0 || (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode)))
        return 0;
    if (S_ISDIR(st.st_mode))
        return import_folder(set, path, depth + 1, options, err);
    if (strcmp(name, "sample.json") == 0 && strcmp(tch_base_name(folder), "new") != 0)
        return 0;
    status = tch_import_path(set, path, options, &why);
    if (status == TACHO_EPARSE && is_json_name(name)) {
        tch_import_problem(&in, NULL, "%s", why.message);
        return in.status < 0 ? tch_fail_memory(err) : 0;
    }
    /* A folder may also contain other files, such as a README. */
    if (status == TACHO_EPARSE || status == TACHO_EUNSUPPORTED)
        return 0;
    return status < 0 ? tch_fail_again(err, &why) : 0;
}

static int import_folder(struct tch_import_set *set, const char *path, unsigned depth,
                         const struct tch_import_options *options, tacho_error *err)
{
    struct dirent **list = NULL;
    int count = depth > FOLDER_DEPTH ? 0 : scandir(path, &list, NULL, alphasort);
    int status = 0;

    if (count < 0)
        return tch_fail_errno(err, errno, "cannot read the folder '%s'", path);
    for (int i = 0; i < count; i++) {
        if (list[i]->d_name[0] != '.' && status == 0)
            status = import_entry(set, path, list[i]->d_name, depth, options, err);
        free(list[i]);
    }
    free(list);
    return status;
}

int tch_import_path(struct tch_import_set *set, const char *path,
                    const struct tch_import_options *options, tacho_error *err)
{
    size_t before = set->count + set->files;
    struct stat st;
    int status;
    int fd;

    if (strcmp(path, "-") == 0)
        return read_open(set, STDIN_FILENO, "standard input", options, err);
    if (stat(path, &st) < 0)
        return tch_fail_errno(err, errno, "cannot open it");
    if (S_ISDIR(st.st_mode)) {
        status = import_folder(set, path, 0, options, err);
        if (status == 0 && set->count + set->files == before)
            return tch_fail(err, TACHO_EPARSE, 0,
                            "there is no file of a known format in the folder");
        return status;
    }
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return tch_fail_errno(err, errno, "cannot open it");
    status = read_open(set, fd, path, options, err);
    close(fd);
    return status;
}
