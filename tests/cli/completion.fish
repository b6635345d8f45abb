# completion.fish SCRIPT LINE: prints what fish offers at the end of LINE, one word per line.
source $argv[1]
complete -C $argv[2] | string replace -r '\t.*' ''
