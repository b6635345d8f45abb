/* Compares SHA-256 of bytes in memory with reading them once and with the program sha256sum. */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sha256.h"
#include "bench.h"

enum { SIZE = 256 << 20, QUICK_SIZE = 16 << 20 };

struct input {
    int fd; /* the same bytes as a file without a name, for the program */
    uint64_t *words;
    size_t size;
    char digest[TCH_SHA256_HEX];
};

static int input_init(struct input *in, size_t size)
{
    uint64_t random = 1;
    void *at = MAP_FAILED;

    in->fd = memfd_create("bench_sha256", MFD_CLOEXEC);
    if (in->fd >= 0 && ftruncate(in->fd, (off_t)size) == 0)
        at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, in->fd, 0);
    if (at == MAP_FAILED) {
        perror("bench_sha256: cannot make the input");
        return -1;
    }
    in->words = at;
    in->size = size;
    for (size_t i = 0; i < size / sizeof(uint64_t); i++)
        in->words[i] = bench_random(&random);
    tch_sha256_hex(in->digest, in->words, size);
    return 0;
}

static int read_all(void *work, void *state)
{
    const struct input *in = work;
    uint64_t sum = 0;

    (void)state;
    for (size_t i = 0; i < in->size / sizeof(uint64_t); i++)
        sum ^= in->words[i];
    return sum != 0 ? 0 : -1;
}

static int hash_with(const struct input *in, tch_sha256_blocks *blocks)
{
    struct tch_sha256 h;
    uint8_t digest[TCH_SHA256_SIZE];
    char hex[TCH_SHA256_HEX];

    tch_sha256_init(&h);
    h.blocks = blocks;
    tch_sha256_update(&h, in->words, in->size);
    tch_sha256_final(&h, digest);
    tch_sha256_digest_hex(hex, digest);
    return strcmp(hex, in->digest) == 0 ? 0 : -1;
}

static int hash_accelerated(void *work, void *state)
{
    (void)state;
    return hash_with(work, tch_sha256_x86());
}

static int hash_portable(void *work, void *state)
{
    (void)state;
    return hash_with(work, tch_sha256_portable);
}

/* Starts sha256sum with the input as its standard input; *out is the reading end of its output. */
static int start_program(const struct input *in, pid_t *pid, int *out)
{
    char *const argv[] = {"sha256sum", NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    int failure;

    if (lseek(in->fd, 0, SEEK_SET) != 0 || pipe(ends) < 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in->fd, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    failure = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *out = ends[0];
    if (failure != 0)
        close(ends[0]);
    return failure == 0 ? 0 : -1;
}

static int run_program(void *work, void *state)
{
    const struct input *in = work;
    char text[TCH_SHA256_HEX] = "";
    pid_t pid;
    int out, status;
    ssize_t got;

    (void)state;
    if (start_program(in, &pid, &out) < 0)
        return -1;
    got = read(out, text, sizeof text - 1); /* the one line comes in one piece */
    close(out);
    if (waitpid(pid, &status, 0) != pid || status != 0)
        return -1;
    return got == TCH_SHA256_HEX - 1 && strcmp(text, in->digest) == 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    const struct bench_contender contenders[] = {
        {.name = "reading (floor)", .role = BENCH_FLOOR, .run = read_all},
        {.name = "tacho, SHA instructions",
         .role = BENCH_OURS,
         .missing = "this CPU has no SHA instructions",
         .run = tch_sha256_x86() ? hash_accelerated : NULL},
        {.name = "tacho, portable", .role = BENCH_OURS, .run = hash_portable},
        {.name = "sha256sum", .role = BENCH_PEER, .run = run_program},
    };
    struct bench_options options;
    struct input in = {0};
    struct bench_case c = {
        .name = "SHA-256",
        .work = &in,
        .operation = "block",
        .contenders = contenders,
        .contender_count = sizeof contenders / sizeof contenders[0],
    };

    if (bench_parse(&argc, argv, &options) < 0)
        return 64;
    if (argc > 1) {
        fprintf(stderr, "usage: bench_sha256 [--rounds N] [--quick] [--json]\n");
        return 64;
    }
    c.bytes = options.quick ? QUICK_SIZE : SIZE;
    c.operations = c.bytes / TCH_SHA256_BLOCK;
    if (input_init(&in, c.bytes) < 0 || bench_compare(&c, &options) < 0)
        return 1;
    return 0;
}
