#!/bin/sh
# A made-up tree with one illegal include of each kind: check-layers names file, line and rule.
#
#   layers_catches.sh PROJECT
set -eu
. "$1/tests/support/lib.sh"
project=$1

mkdir "$scratch/tree"
cd "$scratch/tree"
mkdir -p docs cli examples/attention include/tacho src/base src/event src/flame src/trace
cp "$project/docs/layers.txt" docs/

# What is allowed, so that it is seen to pass.
: >include/tacho/api.h
: >src/base/buf.h
: >src/event/event.h
: >src/trace/span.h
: >cli/term.h
printf '#include "api.h"\n' >include/tacho/error.h
printf '#include <stdio.h>\n#include <sys/mman.h>\n#include <tacho/error.h>\n' >src/base/buf.c
printf '#include "event.h"\n#  include "base/buf.h" /* why */\n' >src/event/event.c
printf '#include "base/buf.h"\n#include "event/event.h"\n#include "term.h"\n' >cli/main.c
printf '#include <elfutils/libdw.h>\n#include "base/buf.h"\n' >src/flame/symbols.c
printf '#include <tacho/error.h>\n' >examples/attention/main.c

"$project/scripts/check-layers" . >out || { cat out; fail "a tree without fault does not pass"; }
[ ! -s out ] || fail "a tree without fault is complained about: $(cat out)"

# What is not.
printf '\n#include "event/event.h"\n' >src/base/up.c
printf '#include "../event/event.h"\n' >src/base/up_by_path.c
printf '#include <event/event.h>\n' >src/base/up_by_angle.c
printf '#include "trace/span.h"\n' >src/event/sideways.c
printf '#include "base/buf.h"\n#include "cli/term.h"\n' >src/event/to_cli.c
printf '#include "../../cli/term.h"\n' >src/event/to_cli_by_path.c
printf '#include <elfutils/libdw.h>\n' >src/flame/unwind.c
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
src/base/up.c:2: base may not include event (src/event/event.h): docs/layers.txt
src/base/up_by_angle.c:1: base may not include event (src/event/event.h): docs/layers.txt
src/base/up_by_path.c:1: base may not include event (src/event/event.h): docs/layers.txt
src/event/sideways.c:1: event may not include trace (src/trace/span.h): docs/layers.txt
src/event/to_cli.c:2: event may not include cli (cli/term.h): docs/layers.txt
src/event/to_cli_by_path.c:1: event may not include cli (cli/term.h): docs/layers.txt
src/flame/unwind.c:1: third-party <elfutils/libdw.h> is already in src/flame/symbols.c: one .c file only
END
status=0
"$project/scripts/check-layers" . >got || status=$?
expect_same "what check-layers says" wanted got
[ "$status" -eq 1 ] || fail "check-layers ended with $status, not 1"
