#!/bin/sh
# git_code.sh TACHO: `tacho run` in a repository starts no program that the repository configures.
set -u
# shellcheck source=SCRIPTDIR/git_lib.sh
. "$(dirname "$0")/git_lib.sh"
need jq

# A program of the repository: it leaves a mark and then works as a filter, for both directions.
cat >evil <<END
#!/bin/sh
echo "\$0 \$*" >>'$scratch/marks'
exec tr a-z n-za-m
END
chmod +x evil
evil=$scratch/evil

# run_in FOLDER NAME DIRTY: runs a command there. No program of the repository may run, and the run records whether
# files differ: true, false or null.
run_in()
{
    rm -f marks
    "$tacho" run -q -n 1 --name "$2" --cwd "$1" -- true >out 2>&1 || fail "$2: $(cat out)"
    [ ! -e marks ] || fail "$2: tacho run started programs of the repository: $(cat marks)"
    [ "$(jq .vcs.dirty "tacho-out/$2/latest/run.json")" = "$3" ] ||
        fail "$2: dirty is not $3: $(jq -c .vcs "tacho-out/$2/latest/run.json")"
}

# aged FOLDER: makes all files older than git's index, so that their times alone prove that they did not change.
aged()
{
    find "$1" -name .git -prune -o -type f -exec touch -d 2020-01-01 {} +
    git -C "$1" status >out
}

project plain
aged plain
run_in plain clean false
for variable in core.fsmonitor core.sshCommand core.pager core.askPass diff.external gpg.program; do
    git -C plain config $variable "$evil"
done
git -C plain config log.showSignature true
mkdir -p plain/.git/hooks
for hook in post-index-change post-checkout reference-transaction; do
    cp evil plain/.git/hooks/$hook
done
touch plain/file # so that git compares it, and would write its index
run_in plain configured false
echo two >plain/file
run_in plain changed true

# Clean filters. Only they could tell whether a file that was written again differs.
project filtered
printf '*.dat filter=marked\n*.bin filter=served\n' >filtered/.gitattributes
git -C filtered config filter.marked.clean "$evil"
git -C filtered config filter.marked.smudge "$evil"
git -C filtered config filter.marked.required true
echo data >filtered/a.dat
echo data >filtered/a.bin
git -C filtered add .
git -C filtered commit -qm filtered
aged filtered
[ -e marks ] || fail "the filter of this test is never run"
run_in filtered filter_clean false
touch filtered/a.dat
run_in filtered filter_touched null
echo more >>filtered/a.dat
run_in filtered filter_changed null
echo more >>filtered/file
run_in filtered filter_other true
git -C filtered checkout -q file a.dat
aged filtered
git -C filtered config filter.served.process "$evil"
touch filtered/a.bin # whose bytes are those of the commit
run_in filtered filter_process false
echo more >>filtered/a.bin
run_in filtered filter_process_changed null
rm filtered/a.bin
run_in filtered filter_removed true
git -C filtered config --unset filter.served.process # git itself would wait for it forever
git -C filtered checkout -q a.bin
git -C filtered rm -q --cached a.dat
run_in filtered filter_staged true
git -C filtered reset -q
aged filtered

# A filter whose name `git -c` cannot take, and more filters than tacho switches off.
git -C filtered config 'filter.a=b.clean' "$evil"
run_in filtered filter_name null
git -C filtered config --unset 'filter.a=b.clean'
run_in filtered filter_again false
i=0
while [ $((i += 1)) -le 200 ]; do
    printf '[filter "f%d"]\n\tclean = %s\n' "$i" "$evil"
done >>filtered/.git/config
run_in filtered filter_many null

# The filter of a submodule is defined in the submodule's repository.
project inner
echo '*.dat filter=inner' >inner/.gitattributes
echo data >inner/a.dat
git -C inner add .
git -C inner commit -qm filtered
project outer
mkdir outer/deep
git -C outer submodule --quiet add "$scratch/inner" deep/inner
git -C outer commit -qm submodule
aged outer
git -C outer/deep/inner status >out
run_in outer submodule_clean false
git -C outer/deep/inner config filter.inner.clean "$evil"
git -C outer/deep/inner config core.fsmonitor "$evil"
run_in outer submodule_configured false
echo more >>outer/deep/inner/a.dat
run_in outer submodule_filtered null
run_in outer/deep submodule_subfolder null
echo more >outer/deep/inner/file
run_in outer submodule_changed true

# A missing object is not fetched: that could start any program.
project partial
git -C partial config core.repositoryFormatVersion 1
git -C partial config extensions.partialClone origin
git -C partial config remote.origin.promisor true
git -C partial config remote.origin.url "ext::$evil"
git -C partial config protocol.ext.allow always
tree=$(git -C partial rev-parse 'HEAD^{tree}')
rm "partial/.git/objects/$(echo "$tree" | cut -c1-2)/$(echo "$tree" | cut -c3-)"
run_in partial partial null
git -C partial config remote.origin.url ssh://localhost/x
git -C partial config core.sshCommand "$evil"
run_in partial partial_ssh null

# A bare repository has no files that could differ.
git init -q --bare bare.git
git -C plain push -q "$scratch/bare.git" trunk
git -C bare.git config core.fsmonitor "$evil"
run_in bare.git bare null

# The gate starts the filters of a checkout, as git does, because it builds and runs that code anyway, but no hook.
project smudged
echo '*.dat filter=up' >smudged/.gitattributes
echo data >smudged/a.dat
git -C smudged config filter.up.smudge 'tr a-z A-Z'
git -C smudged add .
git -C smudged commit -qm filtered
mkdir -p smudged/.git/hooks
cp evil smudged/.git/hooks/post-checkout
(cd smudged && "$tacho" gate -q --against HEAD --build "cat a.dat >>$scratch/seen") >out 2>&1 || fail "$(cat out)"
printf 'data\nDATA\n' >wanted
expect_same "the files of both trees" wanted seen
[ ! -e marks ] || fail "the gate started a hook of the repository: $(cat marks)"

# A gate that does not know whether files differ says so.
echo more >>smudged/a.dat
git -C smudged config filter.up.clean "$evil"
rm -f marks
(cd smudged && "$tacho" gate --against HEAD) >out 2>&1 || fail "$(cat out)"
tr -s ' \n' '  ' <out | grep -q 'not known whether files differ from commit' || fail "no note: $(cat out)"
[ ! -e marks ] || fail "the gate started a clean filter: $(cat marks)"
