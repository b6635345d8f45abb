#!/bin/sh
# The picture in headless Chromium: browser.mjs, with what it needs.
#
#   browser.sh PROJECT TACHO
set -eu
. "$1/tests/support/lib.sh"
need node
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    skip "chromium is not installed"
node "$1/tests/kit/flame/browser.mjs" "$chromium" "$2" "$scratch"
