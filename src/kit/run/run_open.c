/* Opens a run: creates folders, files and results, and forks the spawner. */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fail.h"
#include "kit/file/found_file.h"

enum { HEAD_MAX = 64 << 20, FLAGS_MAX = 100000 };

/* Finds the programs before any folder is created or anything is timed. If the command runs in
   another folder, a relative path with a slash is left to execve(). */
static int find_programs(struct tch_run_plan *plan, tacho_error *err)
{
    for (size_t i = 0; i < plan->command_count; i++) {
        struct tch_run_command *command = &plan->commands[i];
        bool has_slash = strchr(command->argv[0], '/') != NULL;
        char path[PATH_MAX];
        int status;

        if (has_slash && (plan->cwd || command->cwd) && command->argv[0][0] != '/')
            continue;
        status = tch_find_program(command->argv[0], path, sizeof path, err);
        if (status < 0)
            return status;
        command->path = strdup(path);
        if (!command->path)
            return tch_fail_memory(err);
    }
    return 0;
}

int tch_run_open_unnamed(const char *folder, const char *name, int *fd, tacho_error *err)
{
    char path[PATH_MAX];
    int status = tch_folder_at(path, folder, name, err);

    if (status < 0)
        return status;
    unlink(path); /* left by a run that was killed right after its open() */
    *fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (*fd < 0)
        return tch_fail_errno(err, errno, "cannot make '%s'", path);
    unlink(path);
    return 0;
}

/* Opens the files for the output of a command. Standard error is kept for messages about failures,
   standard output only for metrics and checks. */
static int open_outputs(const struct tch_run_plan *plan, struct tch_run_item *item,
                        tacho_error *err)
{
    const char *folder = item->folder.path;
    struct stat st;
    int status = 0;

    if (plan->output == TCH_IO_INHERIT)
        return 0;
    if (plan->output == TCH_IO_WRITE) {
        int flags = O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC;

        item->out_fd = open(plan->output_path, flags | (plan->output_goes_on ? 0 : O_TRUNC), 0666);
        if (item->out_fd < 0)
            return tch_fail_errno(err, errno, "cannot write '%s'", plan->output_path);
        if (tch_run_reads_output(plan) && (fstat(item->out_fd, &st) < 0 || !S_ISREG(st.st_mode)))
            return tch_fail(err, TACHO_EINVAL, 0,
                            "metrics cannot be read from '%s', which is not a regular file",
                            plan->output_path);
    } else if (tch_run_reads_output(plan)) {
        status = tch_run_open_unnamed(folder, ".stdout", &item->out_fd, err);
    }
    if (status == 0)
        status = tch_run_open_unnamed(folder, ".stderr", &item->err_fd, err);
    return status;
}

static int open_log(struct tch_run_item *item, tacho_error *err)
{
    char path[PATH_MAX];
    int status = tch_folder_at(path, item->folder.path, "iter", err);

    if (status == 0 && mkdir(path, 0777) < 0 && errno != EEXIST)
        status = tch_fail_errno(err, errno, "cannot make the folder '%s'", path);
    if (status == 0)
        status = tch_folder_at(path, item->folder.path, "samples.jsonl", err);
    if (status < 0)
        return status;
    item->log_fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (item->log_fd < 0)
        return tch_fail_errno(err, errno, "cannot make '%s'", path);
    /* Readers recognise by the lock that the run is in progress. Some file systems have no locks. A
       reader may hold the lock for a moment. */
    if (tch_file_lock(item->log_fd, 2) < 0 && errno == EWOULDBLOCK)
        return tch_fail(err, TACHO_ELIMIT, 0, "another tacho is writing to '%s'",
                        item->folder.path);
    return 0;
}

/* Returns the value of a label "K=V", or NULL. */
static const char *label_of(const struct tch_run_plan *plan, const char *key)
{
    size_t len = strlen(key);

    for (const char *const *l = plan->labels; l && *l; l++)
        if (strncmp(*l, key, len) == 0 && (*l)[len] == '=')
            return *l + len + 1;
    return NULL;
}

/* Opens the files in the folder of a command, and describes it for the spawner. */
static int open_files(struct tch_run *run, size_t index, tacho_error *err)
{
    struct tch_run_item *item = &run->items[index];
    const struct tch_run_command *command = &run->plan->commands[index];
    const struct tch_surroundings *s = &run->surroundings;
    /* The config is an object and short enough for a variable. */
    bool has_flags = s->config && s->config[0] == '{' && s->config_canonical_len < FLAGS_MAX;
    int status = open_log(item, err);

    memcpy(item->commit, item->result.commit, sizeof item->commit);
    tch_recorded_init(&item->recorded, item->folder.path);
    if (status == 0)
        status = tch_run_timeline_open(&item->timeline, &run->meter, item->folder.path,
                                       run->plan->columns, err);
    if (status == 0)
        status = open_outputs(run->plan, item, err);
    run->targets[index] = (struct tch_target){
        .command = command,
        .env_hash = s->environment_hash,
        .commit = item->commit,
        .model = label_of(run->plan, "model"),
        .concurrency = label_of(run->plan, "concurrency"),
        .runtime_flags = has_flags ? s->config_canonical : NULL,
        .folder = run->plan->no_record ? NULL : item->folder.path,
        .out_fd = item->out_fd,
        .err_fd = item->err_fd,
        .log_fd = tch_run_reads_runs(run->plan) || run->meter.power ? -1 : item->log_fd,
    };
    if (!run->targets[index].model)
        run->targets[index].model = command->name;
    return status;
}

static int open_item(struct tch_run *run, size_t index, tacho_error *err)
{
    struct tch_run_item *item = &run->items[index];
    const struct tch_run_command *command = &run->plan->commands[index];
    struct tch_surroundings s = run->surroundings; /* everything but the commit is borrowed */
    int status =
        tch_folder_make(&item->folder, run->plan->out, command->name, !run->plan->pilot, err);

    if (status == 0 && index == 0 && run->plan->command_count > 1)
        memcpy(run->group, item->folder.id, sizeof run->group);
    if (command->source)
        tch_vcs_find(&s.vcs, command->source);
    if (status == 0)
        status = tch_run_result_begin(&item->result, run->plan, index, &item->folder,
                                      run->group[0] ? run->group : NULL, run->alpha, &s, err);
    if (status == 0)
        status = tch_result_save(&item->result, item->folder.path, err);
    return status == 0 ? open_files(run, index, err) : status;
}

static double alpha_of(const struct tch_run_plan *plan)
{
    return plan->runs > 0 ? TCH_RESULT_ALPHA : tch_precision_check_alpha(plan->max_runs);
}

static int make_items(struct tch_run *run, tacho_error *err)
{
    size_t count = run->plan->command_count;
    int status = find_programs(run->plan, err);

    if (status < 0)
        return status;
    run->items = calloc(count, sizeof *run->items);
    run->targets = calloc(count, sizeof *run->targets);
    if (!run->items || !run->targets)
        return tch_fail_memory(err);
    for (size_t i = 0; i < count; i++)
        run->items[i].log_fd = run->items[i].out_fd = run->items[i].err_fd = -1;
    return tch_run_meter_open(&run->meter, run->plan->power, err);
}

/* Draws a new seed for each measurement. With the same seed, a disturbance that repeats in every
   measurement would favour the same command each time. */
static int draw_seed(struct tch_run_plan *plan, tacho_error *err)
{
    uint32_t bits;

    while (plan->order_seed == 0) {
        if (getrandom(&bits, sizeof bits, 0) != sizeof bits)
            return tch_fail_errno(err, errno, "cannot draw the order of the commands");
        plan->order_seed = bits;
    }
    return 0;
}

int tch_run_open(struct tch_run *run, struct tch_run_plan *plan, tacho_error *err)
{
    size_t count = plan->command_count;
    int status;

    *run = (struct tch_run){.plan = plan, .alpha = alpha_of(plan)};
    if (count > 1 && plan->order_seed != 0)
        plan->seed = &plan->order_seed;
    status = count > 1 ? draw_seed(plan, err) : 0;
    if (status == 0)
        status = make_items(run, err);
    if (status == 0)
        status = tch_surroundings_init(&run->surroundings, plan, err);
    for (size_t i = 0; i < count && status == 0; i++)
        status = open_item(run, i, err);
    if (status == 0)
        status = tch_spawner_open(plan, run->targets, &run->spawner, err);
    return status;
}

int tch_run_create_folder(struct tch_folder *folder, const struct tch_run_plan *plan,
                          const char *group, const struct tch_surroundings *s, tacho_error *err)
{
    struct tch_run_item item = {0};
    int status = tch_folder_make(folder, plan->out, plan->commands[0].name, true, err);

    item.folder = *folder;
    if (status == 0)
        status = open_log(&item, err);
    if (status < 0)
        return status;
    close(item.log_fd);
    status = tch_run_result_begin(&item.result, plan, 0, folder, group, alpha_of(plan), s, err);
    if (status == 0)
        status = tch_result_save(&item.result, folder->path, err);
    tch_result_release(&item.result);
    return status;
}

/* Removes a last line that a kill truncated, because the next line would be appended to it. */
static int repair_log(const struct tch_run_item *item, tacho_error *err)
{
    off_t size = lseek(item->log_fd, 0, SEEK_END);
    struct tch_buf b;
    const char *end;
    char last;
    int status;

    if (size <= 0 || (pread(item->log_fd, &last, 1, size - 1) == 1 && last == '\n'))
        return 0;
    lseek(item->log_fd, 0, SEEK_SET);
    tch_buf_init(&b, TCH_RESULT_MAX);
    status = tch_file_read_fd(item->log_fd, "samples.jsonl", TCH_RESULT_MAX, &b, err);
    end = status == 0 ? memrchr(b.data, '\n', b.len) : NULL;
    if (status == 0 && ftruncate(item->log_fd, end ? end + 1 - b.data : 0) < 0)
        status = tch_fail_errno(err, errno, "cannot shorten 'samples.jsonl'");
    tch_buf_release(&b);
    return status;
}

/* Reads the head of the result, so that programs get the same variables as in earlier runs. */
static int read_head(struct tch_run *run, tacho_error *err)
{
    struct tch_run_item *item = &run->items[0];
    struct tch_surroundings *s = &run->surroundings;
    struct tch_buf b;
    int status;

    tch_buf_init(&b, HEAD_MAX);
    status = tch_found_read(item->folder.path, "run.json", HEAD_MAX, &b, err);
    if (status == 0)
        status = tch_result_parse(&item->result, b.data, b.len, err);
    tch_buf_release(&b);
    if (status == 0)
        memcpy(s->environment_hash, item->result.environment_hash, sizeof s->environment_hash);
    return status;
}

int tch_run_resume(struct tch_run *run, struct tch_run_plan *plan, const char *folder,
                   uint64_t runs, uint64_t pairs, tacho_error *err)
{
    char name[32];
    int status;

    *run = (struct tch_run){
        .plan = plan, .alpha = alpha_of(plan), .runs_before = runs, .pairs_before = pairs};
    status = make_items(run, err);
    if (status < 0)
        return status;
    snprintf(run->items[0].folder.path, PATH_MAX, "%s", folder);
    snprintf(name, sizeof name, "iter/%04llu", (unsigned long long)(runs + 1));
    tch_found_clear(folder, name);
    status = read_head(run, err);
    if (status == 0)
        status = open_files(run, 0, err);
    if (status == 0)
        status = repair_log(&run->items[0], err);
    if (status == 0)
        status = tch_spawner_open(plan, run->targets, &run->spawner, err);
    return status;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

void tch_run_release(struct tch_run *run)
{
    for (size_t i = 0; run->items && i < run->plan->command_count; i++) {
        close_fd(&run->items[i].log_fd);
        close_fd(&run->items[i].out_fd);
        close_fd(&run->items[i].err_fd);
        (void)tch_run_timeline_close(&run->items[i].timeline, NULL);
        tch_recorded_release(&run->items[i].recorded);
        tch_result_release(&run->items[i].result);
    }
    tch_spawner_close(run->spawner);
    tch_run_meter_close(&run->meter);
    tch_surroundings_release(&run->surroundings);
    free(run->items);
    free(run->targets);
    for (size_t i = 0; i < run->plan->command_count; i++) {
        free((char *)run->plan->commands[i].path);
        run->plan->commands[i].path = NULL;
    }
    *run = (struct tch_run){.plan = run->plan};
}
