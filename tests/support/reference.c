/* Finds files of cases in the project and in the folder that the environment names. */
#include "reference.h"

#include <errno.h>
#include <unistd.h>

#include "base/fail.h"
#include "test.h"

static char path[4096];

const char *test_reference(const char *name, int folder)
{
    const char *outside = getenv("TACHO_REFERENCE_DATA");
    const char *in = folder == TEST_OWN_CASES        ? TEST_CASES
                     : folder == TEST_REFERENCE_DATA ? outside
                                                     : NULL;
    int len;

    if (!in || !*in)
        return NULL;
    len = snprintf(path, sizeof path, "%s/%s", in, name);
    if (len < 0 || (size_t)len >= sizeof path)
        fail_msg("the path of the cases '%s' is too long", in);
    if (access(path, R_OK) < 0) {
        int number = errno;
        char text[TCH_ERROR_TEXT];

        fail_msg("cannot read the cases '%s': %s; check TACHO_REFERENCE_DATA", path,
                 tch_error_text(number, text));
    }
    return path;
}
