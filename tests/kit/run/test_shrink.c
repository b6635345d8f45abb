/* Tests which pages the spawner drops: never a page that is not in a file. */
#include "support/test.h"

#include <stdio.h>

#include "kit/run/spawner/spawner_parts.h"

/* Checks one mapping of a library, in the kernel's format. */
static void found(const char *rights, unsigned anonymous, unsigned swap, size_t want)
{
    char text[512];
    int len = snprintf(text, sizeof text,
                       "7f0000001000-7f0000003000 %s 00001000 fe:00 12 /lib/a.so\n"
                       "Size:                  8 kB\n"
                       "Rss:                   8 kB\n"
                       "Anonymous:      %8u kB\n"
                       "AnonHugePages:         0 kB\n"
                       "Swap:           %8u kB\n"
                       "SwapPss:               0 kB\n"
                       "VmFlags: rd mr mw me\n",
                       rights, anonymous, swap);
    FILE *smaps = fmemopen(text, (size_t)len, "r");
    struct tch_spawner_mapping mappings[4] = {0};

    assert_non_null(smaps);
    assert_int_equal(tch_spawner_mappings(smaps, mappings, 4), want);
    if (want > 0) {
        assert_int_equal(mappings[0].start, 0x7f0000001000);
        assert_int_equal(mappings[0].len, 0x2000);
    }
    fclose(smaps);
}

static void drops_pages_that_the_file_has(void **state)
{
    (void)state;
    found("r--p", 0, 0, 1);
    found("r-xp", 0, 0, 1);
}

static void keeps_private_pages(void **state)
{
    (void)state;
    found("rw-p", 0, 0, 0);
    found("r--s", 0, 0, 0);
    found("r--p", 4, 0, 0);
    found("r--p", 0, 4, 0); /* a private page that is swapped out */
    found("r--p", 4, 4, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drops_pages_that_the_file_has),
        cmocka_unit_test(keeps_private_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
