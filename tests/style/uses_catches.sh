#!/bin/sh
# Checks that check-uses reports each unused public function of a made-up tree.
#
#   uses_catches.sh PROJECT
set -eu
. "$1/tests/support/lib.sh"
project=$1

mkdir -p "$scratch/tree/include/tacho" "$scratch/tree/src" "$scratch/tree/examples" "$scratch/tree/tests"
cd "$scratch/tree"
cat >include/tacho/a.h <<'END'
/** Like tacho_commented(). */
TACHO_API int tacho_unused(void);
TACHO_API TACHO_MUST_CHECK int
tacho_wrapped(int a, int b);
TACHO_API int tacho_commented(void);
TACHO_API int tacho_tested(void);
TACHO_API int tacho_example(void);
TACHO_API int tacho_inside(void);
TACHO_API int tacho_slow(void);
static inline int tacho_fast(void)
{
    return tacho_slow();
}
#define tacho_unused(...) ((void)0)
END
cat >src/a.c <<'END'
int tacho_unused(void)
{
    return tacho_inside(); /* not tacho_wrapped() */
}
END
echo 'int main(void) { return tacho_example() + tacho_fast(); }' >examples/a.c
echo 'int main(void) { return tacho_tested(); }' >tests/a.c
cat >"$scratch/wanted" <<'END'
include/tacho/a.h: tacho_unused is used by nothing
include/tacho/a.h: tacho_wrapped is used by nothing
include/tacho/a.h: tacho_commented is used by nothing
include/tacho/a.h: tacho_tested is used by nothing
END
! "$project/scripts/check-uses" "$scratch/tree" >"$scratch/got" || fail "check-uses finds nothing"
expect_same "what check-uses finds" "$scratch/wanted" "$scratch/got"
