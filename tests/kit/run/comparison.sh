#!/bin/sh
# comparison.sh TACHO SOURCE: several commands get different names, and are compared with the
# fastest on the terminal, in a page and in the JSON.
set -u
source=$2
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need jq

# names OPTIONS...: prints the names of the commands.
names()
{
    "$tacho" run -q -n 1 --json "$@" 2>err | jq -r 'select(.schema == "tacho.run.v1").name' | tr '\n' ' '
}

# want NAMES OPTIONS...: the commands must have these names.
want()
{
    wanted=$1
    shift
    [ "$(names "$@")" = "$wanted " ] || fail "'$*' are called $(names "$@"), not $wanted"
}

mkdir -p old/bin new/bin
printf '#!/bin/sh\n' | tee old/bin/prog >new/bin/prog
chmod +x old/bin/prog new/bin/prog
want 'true echo' -c true -c echo
want 'true-1 true-9' -c 'true -1 x' -c 'true -9 x'
want 'true true-1' -c 'true -k x' -c 'true -1 -k x'
want 'true-fast true-best echo' -c 'true --fast x' -c "true '--best' x" -c 'echo x'
want 'true true-this-is-longer-than-a-name-may-be-when-it-' -c true -c 'true this is longer than a name may be when it is made'
want 'true true-a' -c 'true a' -c 'true a a'
want 'old_bin_prog new_bin_prog' -c ./old/bin/prog -c ./new/bin/prog
want 'true true-2 true-3' -c true -c true -c true
want 'mine true' --name mine -c 'true 1' -c 'echo 2' --name true
want 'cat_prog___sort___uniq_-l cat_prog___sort___uniq_-c' --shell -c 'cat prog | sort | uniq | wc -l' \
    -c 'cat prog | sort | uniq | wc -c'

# Two sleeps whose difference every machine sees, and one that fails.
run 1 -n 8 -i --name slow --name fast --name broken -c 'sleep 0.2' -c 'sleep 0.01' -c false
says out '  fastest: fast'
grep -Eq '^  fast is [0-9.]+ times as fast as slow \([0-9.]+ to [0-9.]+\)$' out || fail "$(cat out)"
says out '  broken is not compared: no run of it succeeded'
page=$(sed -n 's/^comparison: //p' out)
says "$page" 'Fastest: fast'
says "$page" ' times as fast as slow ('
# The sentence and the table have the same digits, and every metric has an interval.
times=$(sed -n 's/.*fast is \([0-9.]*\) times as fast as slow (\(.*\))<.*/<td>\1<\/td><td>(\2)<\/td>/p' "$page")
says "$page" "$times"
[ "$(grep -c '^<tr><td>[a-z].*<br><small>' "$page")" -ge 10 ] || fail "metrics of $page lack an interval"
# A report shows the first digits of a hash, and all of them in its tooltip.
report=$(readlink -f tacho-out/fast/latest)
hash=$(jq -r .fingerprint "$report/run.json")
says "$report/report.html" "<abbr title=\"$hash\">$(printf '%.12s' "$hash")…</abbr>"
for name in slow fast broken; do
    report=$(readlink -f tacho-out/$name/latest)
    says "$page" "href=\"../../$name/${report##*/}/report.html\""
    link=$(sed -n 's/.*href="\([^"]*compare.html\)".*/\1/p' "$report/report.html")
    [ "$(readlink -f "$report/$link")" = "$(readlink -f "$page")" ] || fail "$name links to '$link'"
    cp "$report/report.html" was
    "$tacho" report "$report" >/dev/null || fail "no report of $name"
    expect_same "the report of $name, drawn again" was "$report/report.html"
done

# The same in JSON. Of equal runs none is called the fastest.
run 0 -n 8 --json --name slow --name fast -c 'sleep 0.2' -c 'sleep 0.01'
tail -n 1 out >last
"$source/tests/support/check-schema" "$source/docs/schemas" <out || [ $? -eq 77 ] || fail "not as the schemas say"
jq -e '.fastest == "fast" and .paired and [.runs[].result] == ["slower", "fastest"] and
    (.runs[0].times_fastest | .low > 1 and .low <= .estimate and .estimate <= .high and .level >= 0.95)' \
    last >/dev/null || fail "the comparison is $(cat last)"
run 0 -n 3 --name one -- true
! grep -q 'fastest\|comparison' out || fail "one command is compared"
run 0 -n 2 --json --name one -- true
[ "$(wc -l <out)" -eq 1 ] || fail "--json of one command has a comparison"
[ ! -e tacho-out/one/latest/compare.html ] || fail "one command has a page that compares"

# The output fits into 80 columns, names are complete, and a warning of all commands is shown once.
long=tokens_per_second_of_prefill
run 0 -n 6 --width 80 --metric "${long}_mean=([0-9])" --metric "${long}_max=([0-9])" --metric 'none=nothing' \
    -c 'echo 1 2' -c 'echo 3 4' -c 'echo 5 this is a command line that is longer than any terminal'
grep -v '^report: \|^comparison: ' out >shown
! LC_ALL=C.UTF-8 grep -E '^.{81}' shown || fail "lines are longer than 80 columns"
# A name that does not fit is wrapped within the first column.
names=$(sed 's/^  //; s/ .*//' out | tr -d '\n' | grep -o "${long}_mean${long}_max" | wc -l)
[ "$names" -eq 3 ] || fail "the names of metrics are truncated: $(cat out)"
[ "$(grep -c "'none' was not found" out)" -eq 1 ] || fail "a warning is not printed exactly once: $(cat out)"
"$tacho" compare --width 80 tacho-out/echo-1-2 tacho-out/echo-3-4 >out || fail "compare failed"
! LC_ALL=C.UTF-8 grep -E '^.{81}' out || fail "lines of compare are longer than 80 columns"
sed 's/ .*//' out | tr -d '\n' | grep -q "${long}_mean${long}_max" || fail "compare truncates names: $(cat out)"
run 1 -n 2 -i --name good --name bad --name worse -c true -c false -c false
[ "$(grep -c '^warning for ' out)" -eq 2 ] || fail "there is not one line per failed command: $(cat out)"

# A change that is shown as 0.0 % is not called "more", however certain it is.
run 0 -n 8 --metric 'n=n=([0-9]+)' --name few --name many -c 'echo n=3162000' -c 'echo n=3162500'
"$tacho" compare tacho-out/few/latest tacho-out/many/latest >out
grep -Eq '^n +3162000 +3162500 +0\.0 % .* change below 0\.05 %$' out || fail "$(cat out)"
