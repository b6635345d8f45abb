# A full disk is an error.
$ tacho --help > /dev/full
! tacho: cannot write to stdout: No space left on device
[1]

$ tacho completion bash > /dev/full
! tacho: cannot write to stdout: No space left on device
[1]

# Output larger than the buffer of stdio.
$ sample completion bash > /dev/full
! tacho: cannot write to stdout: No space left on device
[1]

$ sample events validate $(seq 10000) > /dev/full
! tacho: cannot write to stdout: No space left on device
[1]

$ tacho doctor > /dev/full
! tacho: cannot write to stdout: No space left on device
[1]

# The error is reported even if the command itself succeeded.
$ tacho events validate /dev/null > /dev/full
! tacho: cannot write to stdout: No space left on device
[1]

$ tacho --version > /dev/full
! tacho: cannot write to stdout: No space left on device
[1]

# A closed stdout is an error.
$ tacho --version >&-
! tacho: cannot write to stdout: Bad file descriptor
[1]

# A reader that closes the pipe early is not an error.
$ (tacho help --man doctor; echo $? >&2) | true
! 0

$ (sleep 0.1; tacho doctor; echo $? >&2) | true
! 0

# A command works without stderr.
$ tacho docter 2>&-
[64]
