# completion.zsh SCRIPT LINE: prints what zsh offers at the end of LINE, one word per line.
#
# zsh completes only in its line editor, so an interactive zsh runs on its own terminal. Its compadd
# records its arguments before it adds them.
zmodload zsh/zpty
setup=$HOME/setup.zsh hits=$HOME/hits
rm -f $hits
cat >$setup <<END
PS1= fpath=($HOME/functions \$fpath)
autoload -U compinit
compinit -u -d $HOME/dump
source $1
compadd() {
    local -a found
    if [[ \${@[1,(i)(-|--)]} != *-(O|A|D)* ]]; then
        builtin compadd -A found "\$@"
        print -rl -- \$found >>$hits
    fi
    builtin compadd "\$@"
}
finish() { print -r -- >>$hits.done; exit }
comppostfuncs=(finish)
bindkey '^I' complete-word
print READY
END
zpty z zsh -f -i
zpty -w z "source $setup"
zpty -r -m z seen '*READY*'
zpty -n -w z "$2"$'\t'
until [[ -e $hits.done ]] || ! zpty -t z; do
    zpty -r -t z seen # or it waits for its output to be read
    sleep 0.02
done
rm -f $hits.done
zpty -d z
[[ -e $hits ]] && cat $hits
