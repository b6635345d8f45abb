#!/bin/sh
# The picture in headless Chromium: browser.mjs, with what it needs.
#
#   browser.sh TACHO
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../support/lib.sh"
need node
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "chromium is not installed"
node "$here/browser.mjs" "$chromium" "$1" "$scratch"
