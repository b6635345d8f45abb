/*
 * Runs the code of two files in turn at one address, the same number of steps in each: turn_a calls
 * hot_a only, and turn_b calls hot_b only.
 *
 *     reload library|mapping ROUNDS LIBRARY-A LIBRARY-B
 *
 * Mode library loads and unloads the files as libraries; mode mapping maps their code by mmap().
 * Exits with 77 if the two are not at one address.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { STEPS = 4000000, SKIPPED = 77 };

typedef uint64_t hot_function(uint64_t steps);

static volatile uint64_t sink;

/* The code of one file, for mode mapping. */
struct code {
    int fd;
    size_t bytes;
    off_t offset; /* of its first page in the file */
    size_t entry; /* of the hot function in these bytes */
};

/* The empty assembler statements keep the frames of these functions, and the functions apart. */
__attribute__((noinline)) static void turn_a(hot_function *hot)
{
    sink = hot(STEPS);
    __asm__ volatile("# a");
}

__attribute__((noinline)) static void turn_b(hot_function *hot)
{
    sink = hot(STEPS);
    __asm__ volatile("# b");
}

static void (*const turns[2])(hot_function *hot) = {turn_a, turn_b};
static const char *const names[2] = {"hot_a", "hot_b"};

static void *load(const char *path, const char *name, hot_function **hot)
{
    void *handle = dlopen(path, RTLD_NOW);

    *(void **)hot = handle ? dlsym(handle, name) : NULL;
    if (!*hot) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return handle;
}

static int load_in_turn(long rounds, char **libraries)
{
    hot_function *last = NULL;

    for (long i = 0; i < 2 * rounds; i++) {
        hot_function *hot;
        void *handle = load(libraries[i % 2], names[i % 2], &hot);

        if (last && hot != last)
            return SKIPPED;
        last = hot;
        turns[i % 2](hot);
        dlclose(handle);
    }
    return 0;
}

/* Finds the code of a library in its file: in the mapping that contains its hot function. */
static struct code find_code(const char *path, const char *name)
{
    struct code code = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
    FILE *maps = fopen("/proc/self/maps", "re");
    hot_function *hot;
    void *handle = load(path, name, &hot);
    char line[4096];

    while (maps && fgets(line, sizeof line, maps)) {
        char *at = line;
        uintptr_t start = strtoul(at, &at, 16);
        uintptr_t end = strtoul(at + 1, &at, 16);

        if ((uintptr_t)hot < start || (uintptr_t)hot >= end)
            continue;
        code.offset = (off_t)strtoul(at + strlen(" r-xp "), NULL, 16);
        code.bytes = end - start;
        code.entry = (uintptr_t)hot - start;
    }
    if (maps)
        fclose(maps);
    dlclose(handle);
    return code;
}

static int map_in_turn(long rounds, char **libraries)
{
    struct code codes[2] = {find_code(libraries[0], names[0]), find_code(libraries[1], names[1])};
    void *place = NULL;

    if (codes[0].bytes != codes[1].bytes || codes[0].bytes == 0)
        return SKIPPED;
    for (long i = 0; i < 2 * rounds; i++) {
        const struct code *code = &codes[i % 2];
        void *at =
            mmap(place, code->bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, code->fd, code->offset);
        hot_function *hot;

        if (at == MAP_FAILED || (place && at != place))
            return SKIPPED;
        place = at;
        *(void **)&hot = (char *)at + code->entry;
        turns[i % 2](hot);
        munmap(at, code->bytes);
    }
    return 0;
}

int main(int argc, char **argv)
{
    long rounds = argc == 5 ? strtol(argv[2], NULL, 10) : 0;

    if (argc != 5)
        return 64;
    return (strcmp(argv[1], "mapping") == 0 ? map_in_turn : load_in_turn)(rounds, argv + 3);
}
