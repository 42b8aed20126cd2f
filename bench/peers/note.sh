#!/bin/sh
# note.sh FILE [ITEM]: a tool of the runs that are killed. It notes its item in the file, a line each, and answers. Without ITEM it reads {"item": N} on stdin.
item=$2
if [ -z "$item" ]; then
  read -r body
  item=$(printf '%s' "$body" | tr -cd '0-9')
fi
printf '%s\n' "$item" >>"$1"
printf '{"ok": true}\n'
