#!/bin/sh
# Checks that check-paths reports each missing file that documents and comments of a made-up tree name.
#
#   paths_catches.sh PROJECT
set -eu
. "$1/tests/support/lib.sh"
project=$1

mkdir -p "$scratch/tree/docs" "$scratch/tree/src/base"
cd "$scratch/tree"
cat >docs/ARCHITECTURE.md <<'END'
Right: `src/base/buf.c`, src/base/, [here](ARCHITECTURE.md#x), [up](../src/base/buf.c), [out](https://a.b/c), src/base/*.c, src/base/NAME.c, buf.c.
Not ours: /usr/src/linux/x.c, ~/docs/notes.md, build/dev/cli/tacho, <src/x.h>, main.rs.
Wrong: [there](gone.md), `src/base/gone.c`, cli/gone/, docs/*.txt and gone.c.
END
cat >src/base/buf.c <<'END'
/* See gone.h,
   or docs/gone.md. */
const char *not_a_comment = "src/gone.c";
END
cat >CMakeLists.txt <<'END'
add_test(NAME x COMMAND ${PROJECT_SOURCE_DIR}/scripts/gone ${LIBDIR}/cmake/tacho)
END
cat >"$scratch/wanted" <<'END'
CMakeLists.txt:1: scripts/gone does not exist
docs/ARCHITECTURE.md:3: docs/gone.md does not exist
docs/ARCHITECTURE.md:3: src/base/gone.c does not exist
docs/ARCHITECTURE.md:3: cli/gone/ does not exist
docs/ARCHITECTURE.md:3: docs/*.txt does not exist
docs/ARCHITECTURE.md:3: gone.c does not exist
src/base/buf.c:1: gone.h does not exist
src/base/buf.c:2: docs/gone.md does not exist
END
! "$project/scripts/check-paths" "$scratch/tree" >"$scratch/got" || fail "check-paths finds nothing"
expect_same "what check-paths finds" "$scratch/wanted" "$scratch/got"
