/* tacho fingerprint tensor: hashes a file of floats. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/sha256.h"
#include "cli/core/opt.h"
#include "cmd_fingerprint_parts.h"

static int hash_tensor(int fd, const char *name, char hash[TCH_SHA256_HEX])
{
    static char block[1 << 18];
    uint8_t digest[TCH_SHA256_SIZE];
    struct tch_sha256 h;
    uint64_t size = 0;
    ssize_t len;

    tch_sha256_init(&h);
    while ((len = read(fd, block, sizeof block)) != 0) {
        if (len < 0 && errno != EINTR) {
            char why[128];

            cli_complain(NULL, "cannot read '%s': %s", name, strerror_r(errno, why, sizeof why));
            return EXIT_WORK;
        }
        if (len > 0) {
            tch_sha256_update(&h, block, (size_t)len);
            size += (uint64_t)len;
        }
    }
    tch_sha256_final(&h, digest);
    tch_sha256_digest_hex(hash, digest);
    if (size % sizeof(float) == 0)
        return EXIT_OK;
    cli_complain(NULL, "'%s' has %llu bytes, which is not a whole number of 4-byte floats", name,
                 (unsigned long long)size);
    return EXIT_WORK;
}

static int run_tensor(struct args *args)
{
    const char *name = args->operands[0];
    bool std = strcmp(name, "-") == 0;
    int fd = std ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    char hash[TCH_SHA256_HEX];
    int status;

    if (fd < 0) {
        char why[128];

        cli_complain(NULL, "cannot read '%s': %s", name, strerror_r(errno, why, sizeof why));
        return EXIT_WORK;
    }
    status = hash_tensor(fd, name, hash);
    if (!std)
        close(fd);
    return status == EXIT_OK ? cli_fingerprint_put(args, "tensor", hash, NULL, 0) : status;
}

const struct cmd cmd_fingerprint_tensor = {
    .name = "tensor",
    .summary = "hash a file of 32-bit floats",
    .usage = "tacho fingerprint tensor [--json] FILE",
    .about = "Prints the SHA-256 of a file that contains little-endian IEEE floats and nothing "
             "else. tacho_tensor_hash() computes the same hash from values in memory.",
    .args = cli_fingerprint_file_arg,
    .json = true,
    .run = run_tensor,
};
