# completion.fish SCRIPT LINE: what fish offers at the end of LINE, one word a line.
source $argv[1]
complete -C $argv[2] | string replace -r '\t.*' ''
