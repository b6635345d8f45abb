/* Feeds every file of a corpus folder to a fuzz target once: what libFuzzer found stays found. */
#include <dirent.h>
#include <stdint.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads a file into memory of exactly its size, so that a sanitizer detects a read past its end. */
static uint8_t *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = NULL;
    struct stat st;

    if (!file || fstat(fileno(file), &st) < 0 || !S_ISREG(st.st_mode))
        goto out;
    *size = (size_t)st.st_size;
    data = malloc(*size > 0 ? *size : 1);
    if (data && fread(data, 1, *size, file) != *size) {
        free(data);
        data = NULL;
    }
out:
    if (file)
        fclose(file);
    return data;
}

static int replay(const char *path)
{
    size_t size = 0;
    uint8_t *data = read_file(path, &size);

    if (!data) {
        fprintf(stderr, "replay: cannot read '%s' as a file\n", path);
        return -1;
    }
    /* Printed first, so that it is the last line after a crash. */
    printf("%s\n", path);
    fflush(stdout);
    (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    const struct dirent *entry;
    char path[4096];
    size_t count = 0;
    int status = EXIT_FAILURE;
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;

    if (!folder) {
        fprintf(stderr, "replay: name one folder of inputs that can be read\n");
        return status;
    }
    while ((entry = readdir(folder))) {
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], entry->d_name);
        if (replay(path) < 0)
            goto out;
        count++;
    }
    if (count == 0)
        fprintf(stderr, "replay: '%s' is empty: a target needs at least one input\n", argv[1]);
    else
        status = EXIT_SUCCESS;
out:
    closedir(folder);
    return status;
}
