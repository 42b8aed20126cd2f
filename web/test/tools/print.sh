#!/bin/sh
# Prints its text, as it is, to stderr, and answers with it.
exec node -e '
const { text } = JSON.parse(require("fs").readFileSync(0, "utf8"));
process.stderr.write(String(text) + "\n");
process.stdout.write(JSON.stringify({ text, again: [text] }));'
