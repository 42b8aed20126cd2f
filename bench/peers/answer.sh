#!/bin/sh
# A tool that is a process: it answers at once.
echo '{"ok": true}'
