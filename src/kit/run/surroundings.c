/* Determines the machine, the configuration, the commit and the program of a run. */
#include "surroundings.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/file.h"
#include "base/json_read.h"
#include "lib/measure/environment.h"
#include "lib/measure/fingerprint_config.h"

enum { CONFIG_MAX = 16 << 20, HASHED_MAX = 1 << 30 };

/* Nesting limit of a config, which leaves room for the levels of run.json and of documents around
   it. */
enum { CONFIG_DEPTH = TCH_JSON_DEPTH - 27 };

int tch_surroundings_set_config(struct tch_surroundings *s, struct tch_buf *b, tacho_error *err)
{
    size_t blanks = strspn(b->data, " \t\r\n");
    int status =
        tacho_json_canonical(b->data, b->len, &s->config_canonical, &s->config_canonical_len, err);

    if (status < 0) {
        tch_buf_release(b);
        return status;
    }
    while (b->len > 0 && strchr(" \t\r\n", b->data[b->len - 1]))
        b->len--;
    s->config_len = b->len - blanks;
    memmove(b->data, b->data + blanks, s->config_len);
    s->config = tch_buf_take(b);
    tacho_sha256(s->config_canonical, s->config_canonical_len, s->config_hash);
    return s->config ? 0 : tch_fail_memory(err);
}

static int check_depth(const struct tch_buf *text, tacho_error *err)
{
    struct tch_json_reader r;

    tch_json_open(&r, text->data, text->len, err);
    r.max_depth = CONFIG_DEPTH;
    return tch_json_skip(&r);
}

static int read_config(struct tch_surroundings *s, const char *path, tacho_error *err)
{
    struct tch_buf text;
    tacho_error why;
    int status;

    tch_buf_init(&text, CONFIG_MAX);
    status = tch_file_read(path, CONFIG_MAX, &text, err);
    if (status < 0) {
        tch_buf_release(&text);
        return status;
    }
    status = check_depth(&text, &why);
    if (status == 0)
        status = tch_surroundings_set_config(s, &text, &why);
    tch_buf_release(&text);
    if (status < 0)
        tch_fail(err, status, why.line, "cannot read '%.80s': line %llu: %.120s", path,
                 (unsigned long long)why.line, why.message);
    return status;
}

int tch_surroundings_init(struct tch_surroundings *s, const struct tch_run_plan *plan,
                          tacho_error *err)
{
    int status;

    *s = (struct tch_surroundings){0};
    status = tch_environment("", NULL, plan->keep_env, &s->environment, &s->environment_len, err);
    if (status == 0) {
        tacho_environment_hash(s->environment, s->environment_len, s->environment_hash);
        status = tacho_machine_class(s->environment, s->environment_len, &s->machine_class, err);
    }
    if (status == 0 && plan->config)
        status = read_config(s, plan->config, err);
    if (status == 0)
        tch_vcs_find(&s->vcs, plan->cwd);
    return status;
}

/* Computes the SHA-256 of a regular file of at most HASHED_MAX bytes. Writes "" for any other. */
static void hash_file(const char *path, char out[TACHO_SHA256_TEXT])
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;

    out[0] = '\0';
    if (fd < 0)
        return;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > HASHED_MAX ||
        tch_file_sha256(fd, path, out, NULL, NULL) < 0)
        out[0] = '\0';
    close(fd);
}

void tch_program_sha256(const struct tch_run_plan *plan, const struct tch_run_command *command,
                        char out[TACHO_SHA256_TEXT])
{
    const char *program = command->path ? command->path : command->argv[0];
    const char *cwd = command->cwd ? command->cwd : plan->cwd;
    char path[PATH_MAX];

    out[0] = '\0';
    if (plan->shell)
        return;
    if (program[0] != '/' && strchr(program, '/') && cwd)
        snprintf(path, sizeof path, "%.3000s/%.1000s", cwd, program);
    else if (tch_find_program(program, path, sizeof path, NULL) < 0)
        return;
    hash_file(path, out);
}

void tch_input_sha256(const struct tch_run_plan *plan, char out[TACHO_SHA256_TEXT])
{
    out[0] = '\0';
    if (plan->input)
        hash_file(plan->input, out);
}

void tch_surroundings_release(struct tch_surroundings *s)
{
    free(s->environment);
    free(s->machine_class);
    free(s->config);
    free(s->config_canonical);
    *s = (struct tch_surroundings){0};
}
