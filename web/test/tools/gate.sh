#!/bin/sh
# Waits until the file is there that its argument names, and answers. Fails where that file says so.
read -r in
file=$(printf '%s' "$in" | sed -n 's/.*"file": *"\([^"]*\)".*/\1/p')
echo "waits for it" >&2
while [ ! -e "$file" ]; do sleep 0.05; done
echo "it is there" >&2
grep -q fail "$file" && { echo "the gate is broken" >&2; exit 1; }
printf '{"opened": true}'
