#!/bin/sh
# tacho gate with `import`: every benchmark that a command prints is judged against another commit.
#   gate_import.sh TACHO CHECK_SCHEMA SCHEMAS
tacho=$1
check=$2
schemas=$3
# shellcheck source=SCRIPTDIR/lib.sh
. "$(dirname "$0")/lib.sh"
need git
unset GITHUB_ACTIONS GITHUB_STEP_SUMMARY GITHUB_SERVER_URL CI_JOB_URL
export GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x@localhost GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x@localhost

git init -q repo && cd repo || exit 1
cat >tacho.yaml <<END
build: 'true'
defaults: {runs: 8, max_runs: 16}
benches:
- name: go
  import: ./bench
  tolerance: 10%
END
# The times vary by less than 1 %, and do not depend on the load of the machine.
cat >bench <<'END'
#!/bin/sh
date +%N | awk '{
    noise = substr($1, 4, 3) % 10
    print "BenchmarkParse/8k-8 100", 1000 + noise, "ns/op", 3, "allocs/op"
    print "BenchmarkParse/8k-8 100", 1001 + noise, "ns/op", 3, "allocs/op"
    print "BenchmarkLex-8 100", 2000 + noise, "ns/op"
}'
END
chmod +x bench
printf 'tacho-out\n' >.gitignore
git add . && git commit -qm "as fast as ever"
git tag good

# Nothing changed. A dry run names the budget.
ends_with 0 "$tacho" gate --against good --json-file gate.json
[ "$(jq -c '[.rows[].metric]' gate.json)" = '["Parse/8k-8","Parse/8k-8 allocs/op","Lex-8"]' ] ||
    fail "$(jq -c '[.rows[].metric]' gate.json)"
[ "$(jq -c '[.rows[].paired] | unique' gate.json)" = '[true]' ] || fail "not interleaved"
[ "$(jq -r .rows[0].b.n gate.json)" -ge 8 ] || fail "a run is not one value"
for file in gate.json tacho-out/go/latest/run.json; do
    jq -c . "$file" | "$check" "$schemas" >out 2>&1
    status=$?
    [ "$status" -eq 0 ] || [ "$status" -eq 77 ] || fail "$file: $(cat out)"
done
ends_with 0 "$tacho" gate --against good --dry-run
says "each benchmark that it prints may be worse by 10 %"

# One benchmark becomes slower, one is new, one is missing.
sed -i 's/1000 + noise/1300 + noise/; s/1001 + noise/1301 + noise/; s/Lex-8/New-8/' bench
ends_with 2 "$tacho" gate --against good --json-file gate.json
[ "$(jq -c '[.rows[] | [.metric, .verdict]]' gate.json | grep -c '\["Parse/8k-8","FAIL"\]')" -eq 1 ] ||
    fail "$(jq -c '[.rows[] | [.metric, .verdict]]' gate.json)"
jq -r '.notes[]' gate.json >notes
grep -q "'New-8' is new" notes || fail "$(cat notes)"
grep -q "'Lex-8' is missing" notes || fail "$(cat notes)"

# Output that cannot be read, and a file that makes no sense.
printf '#!/bin/sh\necho nothing\n' >bench
ends_with 1 "$tacho" gate --against good
says "cannot import what the command printed"
git checkout -q bench
ends_with 4 "$tacho" gate
says "add --against"
sed -i 's/^  import: .*/&\n  command: .\/bench/' tacho.yaml
ends_with 1 "$tacho" gate --against good
says "cannot combine 'import' with 'command'"
finish
