/* The machine, the configuration and the commit of a run. */
#include <sys/wait.h>

#include "base/fail.h"
#include "base/file.h"
#include "receipt.h"

enum { CONFIG_MAX = 16 << 20, GIT_NS = 2000000000 };

static int read_config(struct tch_surroundings *s, const char *path, tacho_error *err)
{
    struct tch_buf text;
    int status;

    tch_buf_init(&text, CONFIG_MAX);
    status = tch_file_read(path, CONFIG_MAX, &text, err);
    if (status == 0) {
        tacho_error why;

        status = tacho_json_canonical(text.data, text.len, &s->config, &s->config_len, &why);
        if (status < 0)
            tch_fail(err, status, why.line, "cannot read '%.80s': line %llu: %.120s", path,
                     (unsigned long long)why.line, why.message);
    }
    if (status == 0)
        tacho_sha256(s->config, s->config_len, s->config_hash);
    tch_buf_release(&text);
    return status;
}

/* Without git or a repository there is no commit, which is fine. */
static void find_commit(struct tch_surroundings *s, const char *cwd)
{
    const char *argv[] = {"git", "rev-parse", "HEAD", NULL};
    struct tch_spawn spec = {.argv = argv, .cwd = cwd, .io = {[2] = {.kind = TCH_IO_NULL}}};
    struct tch_spawn_end end;
    struct tch_buf out;

    tch_buf_init(&out, 1024);
    if (tch_spawn_read(&spec, GIT_NS, &out, &end, NULL) == 0 && end.status == 0)
        snprintf(s->commit, sizeof s->commit, "%.*s", (int)strcspn(out.data, "\n"), out.data);
    tch_buf_release(&out);
}

int tch_surroundings_init(struct tch_surroundings *s, const struct tch_run_plan *plan,
                          tacho_error *err)
{
    int status;

    *s = (struct tch_surroundings){0};
    status = tacho_environment("", NULL, &s->environment, &s->environment_len, err);
    if (status == 0) {
        tacho_environment_hash(s->environment, s->environment_len, s->environment_hash);
        status = tacho_machine_class(s->environment, s->environment_len, &s->machine_class, err);
    }
    if (status == 0 && plan->config)
        status = read_config(s, plan->config, err);
    if (status == 0)
        find_commit(s, plan->cwd);
    return status;
}

void tch_surroundings_release(struct tch_surroundings *s)
{
    free(s->environment);
    free(s->machine_class);
    free(s->config);
    *s = (struct tch_surroundings){0};
}
