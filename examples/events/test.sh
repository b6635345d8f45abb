#!/bin/sh
# Checks that the example relabels events, and that it writes nothing when a line or a group is wrong.
#
#   test.sh PROJECT TACHO RELABEL
set -eu
. "$1/tests/support/lib.sh"
in=$scratch/in.jsonl
"$2" events emit unified_prof --stage model=12.5 --shape batch=32 -o "$in"
"$2" events emit bucket_prof --stage gemm1=5860 -o "$in"
TACHO_PROFILE_COMMIT_SHA=abc123 TACHO_PROFILE_MODEL=qwen3 "$3" "$in" "$scratch/out.jsonl" unified_prof bucket_prof
sed 's/"commit_sha":null/"commit_sha":"abc123"/; s/"model":"unknown"/"model":"qwen3"/' "$in" >"$scratch/expected"
expect_same "the relabelled events" "$scratch/expected" "$scratch/out.jsonl"

! "$3" "$in" "$scratch/none" moe_dump 2>"$scratch/message" || fail "a missing group is not an error"
grep -q 'missing profile event groups: moe_dump$' "$scratch/message" || fail "$(cat "$scratch/message")"
echo '{"event":"torn' >>"$in"
! "$3" "$in" "$scratch/none" 2>"$scratch/message" || fail "a torn line is not an error"
grep -q ': line 3: invalid JSON: ' "$scratch/message" || fail "$(cat "$scratch/message")"
[ ! -e "$scratch/none" ] || fail "written in spite of a failure"
