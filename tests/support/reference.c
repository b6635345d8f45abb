/* Finds the folder of the reference data by the environment, or skips the test and says so. */
#include "reference.h"

#include <errno.h>
#include <unistd.h>

#include "test.h"

enum { SKIPPED = 77 };

static bool was_missed;
static char path[4096];

const char *test_reference_or_null(const char *name)
{
    const char *folder = getenv("TACHO_REFERENCE_DATA");
    int len;

    if (!folder || !*folder) {
        print_message("skipped: TACHO_REFERENCE_DATA is not set, it names the folder of '%s'\n",
                      name);
        was_missed = true;
        return NULL;
    }
    len = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (len < 0 || (size_t)len >= sizeof path)
        fail_msg("TACHO_REFERENCE_DATA is too long a path");
    if (access(path, R_OK) < 0) {
        int number = errno;
        char text[80];

        fail_msg("cannot read '%s' under TACHO_REFERENCE_DATA: %s", path,
                 strerror_r(number, text, sizeof text));
    }
    return path;
}

const char *test_reference(const char *name)
{
    const char *found = test_reference_or_null(name);

    if (!found)
        skip();
    return found;
}

int test_reference_result(int failed)
{
    return failed == 0 && was_missed ? SKIPPED : failed;
}
