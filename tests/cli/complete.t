# The hidden command that completion scripts call. No help names it.
$ tacho help | grep -c __complete
| 0
[1]
$ tacho __complet
! tacho: unknown command '__complet'
! see 'tacho --help'
[64]

# Commands, with their descriptions.
$ sample __complete ''
| :words 0
| completion	print a completion script for a shell
| doctor	show what this machine can measure and what disturbs it
| events	profile events
| help	show the help of tacho or of one of its commands
| progress	draw progress
| run	run a program
| table	print a table
$ sample __complete events ''
| :words 0
| import	read foreign events
| validate	check events
$ sample __complete help events ''
| :words 0
| import	read foreign events
| validate	check events

# Options: a single dash offers letters too. All are offered: the shell selects.
$ sample __complete events import -
| :words 0
| --format	csv or jsonl
| -f	csv or jsonl
| --output	where to
| -o	where to
| --strict	it's [all]: or nothing
| -s	it's [all]: or nothing
| --json	print the result as JSON
| --quiet	show no progress and only essential output
| -q	show no progress and only essential output
| --color	use colours: auto (on a terminal), always or never
| --width	fit tables into N columns
| --help	show this help
| -h	show this help
$ sample __complete events import --f
| :words 0
| --format	csv or jsonl
| --output	where to
| --strict	it's [all]: or nothing
| --json	print the result as JSON
| --quiet	show no progress and only essential output
| --color	use colours: auto (on a terminal), always or never
| --width	fit tables into N columns
| --help	show this help

# Values. The number is the length of the part of the word before the value.
$ sample __complete events import --format ''
| :words 0
| csv
| jsonl
$ sample __complete events import --format=j
| :words 9
| csv
| jsonl
$ sample __complete events import -qfj
| :words 3
| csv
| jsonl
$ sample __complete events import -qf j
| :words 0
| csv
| jsonl
$ sample __complete events import --output=a
| :files 9
$ sample __complete events import --width ''
| :words 0
$ sample __complete events import --strict=
| :words 0
| --format	csv or jsonl
| --output	where to
| --strict	it's [all]: or nothing
| --json	print the result as JSON
| --quiet	show no progress and only essential output
| --color	use colours: auto (on a terminal), always or never
| --width	fit tables into N columns
| --help	show this help
$ sample __complete events import --none=
| :words 0
| --format	csv or jsonl
| --output	where to
| --strict	it's [all]: or nothing
| --json	print the result as JSON
| --quiet	show no progress and only essential output
| --color	use colours: auto (on a terminal), always or never
| --width	fit tables into N columns
| --help	show this help

# Operands.
$ sample __complete events import a
| :files 0
$ sample __complete events import -- -a
| :files 0
$ sample __complete events import a -s b
| :dirs 0
$ sample __complete events import a b c
| :words 0
$ sample __complete events none x ''
| :words 0

# A program to run, and its own words.
$ sample __complete run z
| :programs 0
$ sample __complete run --dir x -- z
| :programs 0
$ sample __complete run -n 3 -- z x --dir ''
| :command 5
$ tacho __complete flame --all z
| :programs 0
$ tacho __complete flame -- z ''
| :command 3
$ tacho __complete plan x
| :dirs 0
$ tacho __complete plan -- x
| :programs 0
$ tacho __complete plan -- x ''
| :command 3

# The newest run of each name, unless a path was begun.
$ cd "$(mktemp -d)" && mkdir -p tacho-out/a/1 && touch tacho-out/a/1/run.json && ln -s 1 tacho-out/a/latest && for word in '' t tacho-out/; do tacho __complete report "$word"; done; rm -r "$PWD"
| :dirs 0
| tacho-out/a/latest
| :dirs 0
| tacho-out/a/latest
| :dirs 0

# Nothing typed, files that cannot be read, no git: no message.
$ sample __complete
| :words 0
| completion	print a completion script for a shell
| doctor	show what this machine can measure and what disturbs it
| events	profile events
| help	show the help of tacho or of one of its commands
| progress	draw progress
| run	run a program
| table	print a table
$ tacho __complete gate --config /nonexistent --bench ''
| :words 0
$ PATH=/nonexistent $(command -v tacho) __complete gate --against ''
| :words 0
$ tacho __complete '' > /dev/full
[1]
