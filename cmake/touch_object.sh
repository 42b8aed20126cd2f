#!/bin/sh
# Launches a compiler that only checks (-fsyntax-only), and leaves an empty object behind, by which ninja knows that the file was checked.
# CMake makes a command of it: touch_object.sh COMPILER ARGUMENTS… -o OBJECT …
set -eu
"$@"
while [ "$1" != -o ]; do shift; done
: >"$2"
