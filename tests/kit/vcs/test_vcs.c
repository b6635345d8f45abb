/* Tests the commit of a folder: which parts of a remote's URL are recorded, and a folder without a
   repository. */
#include "support/test.h"

#include "kit/vcs/vcs.h"

static void keeps_no_credentials(void **state)
{
    static const char *const urls[][2] = {
        {"https://github.com/a/b.git", "https://github.com/a/b.git"},
        {"https://ann:s3cret@host/a/b", "https://host/a/b"},
        {"https://ghp_token@github.com/a/b", "https://github.com/a/b"},
        {"https://x-access-token:t@host:8443/a@b", "https://host:8443/a@b"},
        {"https://u:p@q@host/a", "https://host/a"},
        {"https://host/a?private_token=t", "https://host/a"},
        {"https://host/a#t", "https://host/a"},
        {"https://ann:s3cret@host", "https://host"},
        {"ssh://git:pw@host/a", "ssh://host/a"},
        {"https::https://ann:pw@host/a", "https::https://host/a"},
        {"git@github.com:a/b.git", "git@github.com:a/b.git"},
        {"/srv/git/a b@c", "/srv/git/a b@c"},
        {"", ""},
    };
    char out[TCH_VCS_REMOTE];

    (void)state;
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        tch_vcs_plain_url(out, sizeof out, urls[i][0]);
        assert_string_equal(out, urls[i][1]);
    }
}

static void knows_nothing_outside_a_repository(void **state)
{
    struct tch_vcs vcs;

    (void)state;
    tch_vcs_find(&vcs, "/proc");
    assert_string_equal(vcs.sha, "");
    assert_string_equal(vcs.branch, "");
    assert_int_equal(vcs.dirty, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_no_credentials),
        cmocka_unit_test(knows_nothing_outside_a_repository),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
