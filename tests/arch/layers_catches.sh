#!/bin/sh
# Checks that check-layers reports file, line and rule for each kind of illegal include, and for cycles
# of folders, in a made-up tree.
#
#   layers_catches.sh PROJECT
set -eu
. "$1/tests/support/lib.sh"
project=$1

mkdir "$scratch/tree"
cd "$scratch/tree"
mkdir -p docs cli/core examples/attention include/tacho src/base src/lib/event src/lib/trace \
    src/kit/flame/draw src/kit/run src/kit/stats src/kit/sweep
cp "$project/docs/layers.txt" docs/layers.txt

# Allowed includes, which must pass.
: >include/tacho/api.h
: >include/tacho/flame.h
: >src/base/buf.h
: >src/lib/event/event.h
: >src/lib/trace/span.h
: >src/kit/flame/draw/svg.h
: >src/kit/stats/ratio.h
: >cli/core/term.h
printf '#include "api.h"\n' >include/tacho/error.h
printf '#include <stdio.h>\n#include <sys/mman.h>\n#include <tacho/error.h>\n' >src/base/buf.c
printf '#include "event.h"\n#  include "base/buf.h" /* why */\n' >src/lib/event/event.c
printf '#include "base/buf.h"\n#include "lib/event/event.h"\n#include "cli/core/term.h"\n' >cli/main.c
printf '#include <elfutils/libdw.h>\n#include "kit/flame/draw/svg.h"\n' >src/kit/flame/symbols.c
printf '#include <tacho/flame.h>\n#include "kit/stats/ratio.h"\n' >src/kit/run/run.c
printf '#include <tacho/error.h>\n#include <tacho/flame.h>\n' >examples/attention/main.c

"$project/scripts/check-layers" . >out || { cat out; fail "a correct tree does not pass"; }
[ ! -s out ] || fail "a correct tree gets messages: $(cat out)"

# Includes that are not allowed.
printf '\n#include "lib/event/event.h"\n' >src/base/up.c
printf '#include "../lib/event/event.h"\n' >src/base/up_by_path.c
printf '#include <lib/event/event.h>\n' >src/base/up_by_angle.c
printf '#include "lib/trace/span.h"\n' >src/lib/event/sideways.c
printf '#include "kit/stats/ratio.h"\n' >src/lib/event/to_kit.c
printf '#include "base/buf.h"\n#include "cli/core/term.h"\n' >src/lib/event/to_cli.c
printf '#include "../../../cli/core/term.h"\n' >src/lib/event/to_cli_by_path.c
printf '#include <elfutils/libdw.h>\n' >src/kit/flame/unwind.c
printf '#include <tacho/flame.h>\n' >src/kit/sweep/sweep.c
printf '#include <tacho/flame.h>\n' >src/lib/trace/to_kit_by_public.c
printf '#include <zlib.h>\n' >src/base/third.h
printf '#include "../../src/base/buf.h"\n' >include/tacho/leak.h
printf '#include "base/buf.h"\n' >examples/attention/inside.c
printf '#include "nowhere.h"\n' >cli/lost.c
mkdir src/attic
printf '#include "base/buf.h"\n' >src/attic/old.c

cat >wanted <<'END'
cli/lost.c:1: "nowhere.h" is not in the tree
examples/attention/inside.c:1: examples may include public headers alone, not base (src/base/buf.h)
include/tacho/leak.h:1: public may include public headers alone, not base (src/base/buf.h)
src/attic/old.c:1: attic is not listed in docs/layers.txt
src/base/third.h:1: third-party <zlib.h> in a header: include it in one .c file only
src/base/up.c:2: base may not include lib/event (src/lib/event/event.h): docs/layers.txt
src/base/up_by_angle.c:1: base may not include lib/event (src/lib/event/event.h): docs/layers.txt
src/base/up_by_path.c:1: base may not include lib/event (src/lib/event/event.h): docs/layers.txt
src/kit/flame/unwind.c:1: third-party <elfutils/libdw.h> is already in src/kit/flame/symbols.c: one .c file only
src/kit/sweep/sweep.c:1: kit/sweep may not include kit/flame (include/tacho/flame.h): docs/layers.txt
src/lib/event/sideways.c:1: lib/event may not include lib/trace (src/lib/trace/span.h): docs/layers.txt
src/lib/event/to_cli.c:2: lib/event may not include cli (cli/core/term.h): docs/layers.txt
src/lib/event/to_cli_by_path.c:1: lib/event may not include cli (cli/core/term.h): docs/layers.txt
src/lib/event/to_kit.c:1: lib/event may not include kit/stats (src/kit/stats/ratio.h): docs/layers.txt
src/lib/trace/to_kit_by_public.c:1: lib/trace may not include kit/flame (include/tacho/flame.h): docs/layers.txt
END
status=0
"$project/scripts/check-layers" . >got || status=$?
expect_same "what check-layers says" wanted got
[ "$status" -eq 1 ] || fail "check-layers exited with $status, not 1"

# Folders that include each other: a folder and its sub-folder, and three folders.
rm -r src/attic src/base/up*.c src/base/third.h src/lib/event/sideways.c src/lib/event/to_*.c \
    src/lib/trace/to_kit_by_public.c src/kit/flame/unwind.c src/kit/sweep/sweep.c include/tacho/leak.h \
    examples/attention/inside.c cli/lost.c
"$project/scripts/check-layers" . || fail "a tree without cycles does not pass"
mkdir src/kit/run/a src/kit/run/b src/kit/run/c
: >src/kit/flame/stacks.h
: >src/kit/run/a/a.h
printf '#include "kit/run/a/a.h"\n' >src/kit/run/b/b.h
printf '\n#include "kit/run/b/b.h"\n' >src/kit/run/c/c.h
printf '#include "a.h"\n#include "kit/run/c/c.h"\n' >src/kit/run/a/a.c
printf '\n#include "../stacks.h"\n' >src/kit/flame/draw/draw.c

cat >wanted <<'END'
src/kit/flame/draw/draw.c:2: kit/flame/draw includes kit/flame in a cycle: kit/flame/draw -> kit/flame -> kit/flame/draw
src/kit/flame/symbols.c:2: kit/flame includes kit/flame/draw in a cycle: kit/flame/draw -> kit/flame -> kit/flame/draw
src/kit/run/a/a.c:2: kit/run/a includes kit/run/c in a cycle: kit/run/a -> kit/run/c -> kit/run/b -> kit/run/a
src/kit/run/c/c.h:2: kit/run/c includes kit/run/b in a cycle: kit/run/a -> kit/run/c -> kit/run/b -> kit/run/a
src/kit/run/b/b.h:1: kit/run/b includes kit/run/a in a cycle: kit/run/a -> kit/run/c -> kit/run/b -> kit/run/a
END
status=0
"$project/scripts/check-layers" . >got || status=$?
expect_same "what check-layers says about cycles" wanted got
[ "$status" -eq 1 ] || fail "check-layers exited with $status, not 1, for a cycle"
