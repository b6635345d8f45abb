#!/bin/sh
# Checks that check-prose reports each bad phrase of a made-up tree, and none of the allowed ones.
#
#   prose_catches.sh PROJECT
set -eu
. "$1/tests/support/lib.sh"
project=$1

mkdir -p "$scratch/tree/docs/schemas" "$scratch/tree/src" "$scratch/tree/tests"
cd "$scratch/tree"
cat >src/a.c <<'END'
/* What the reader returns. */
/*
 * Who calls this. It stands in
 * the header, and nothing goes
 * on after it: the caller is told, and told again.
 */
int behind = 'x'; /* reads the bytes that follow: there is no limit, but a text is no number */
const char *message = "cannot mend '%s', which is told "
                      "and goes on";
int has;  /* a thread that has */
int none; /* none of these wraps */
// Those of the file
// What the second line says is not a beginning.
/** Returns what the reader returned; it is no longer needed, and can tell them apart. */
END
cat >docs/a.md <<'END'
# The page behind

The value is no number, as `it is told` says. There
is no harm in that. It goes
on for one row a cell.

```
this code goes on behind
```
- a list that goes
- on in two items
END
cat >docs/schemas/a.v1.schema.json <<'END'
{ "description": "the time that is told" }
END
cat >tests/a.sh <<'END'
#!/bin/sh
# Runs in turns.
behind=1
fail "the file is no file of runs"
printf 'told\n'
END
cat >tests/a.py <<'END'
"""Reads a file.

It mends the file.
"""
told = "is told"  # a comment that tells
END
echo 'hi behind the scenes' >docs/a.txt
cat >"$scratch/wanted" <<'END'
docs/a.md:1: "behind": write after, following
docs/a.md:3: "is no": write is not a, there is no
docs/a.md:5: "goes on": write continue, keep going
docs/a.md:5: "one row a cell": write one ... per ...
docs/schemas/a.v1.schema.json:1: "told": write reported, printed, shown
src/a.c:1: "What the reader retu": name what the comment describes
src/a.c:3: "Who calls this. It s": name what the comment describes
src/a.c:3: "stands in": write is in, contains, is
src/a.c:5: "told": write reported, printed, shown
src/a.c:5: "told": write reported, printed, shown
src/a.c:5: "goes on": write continue, keep going
src/a.c:7: "is no": write is not a, there is no
src/a.c:8: "mend": write fix, repair
src/a.c:8: "told": write reported, printed, shown
src/a.c:9: "goes on": write continue, keep going
src/a.c:12: "Those of the file": name what the comment describes
tests/a.py:3: "mends": write fix, repair
tests/a.py:5: "told": write reported, printed, shown
tests/a.py:5: "tells": write says, shows, reports
tests/a.sh:2: "in turns": write interleaved, alternately
tests/a.sh:4: "is no": write is not a, there is no
END
! "$project/scripts/check-prose" "$scratch/tree" >"$scratch/got" || fail "check-prose finds nothing"
expect_same "what check-prose finds" "$scratch/wanted" "$scratch/got"

# An allowed line is not reported.
mkdir "$scratch/allowed" "$scratch/scripts"
cp "$project/scripts/check-prose" "$project/scripts/prose-rules" "$scratch/scripts"
echo 'allow || a.md || the window behind' >>"$scratch/scripts/prose-rules"
echo 'It opens the window behind.' >"$scratch/allowed/a.md"
"$scratch/scripts/check-prose" "$scratch/allowed" >"$scratch/got" || fail "an allowed line is reported: $(cat "$scratch/got")"
