#!/bin/sh
# Reads {"directory", "documents", "words_total", "longest": [{"line": …}, …], "note"?} on stdin, prints {"report": "…"}.
# Strings go from JSON to JSON as they stand there, escapes and all: nothing is decoded, so nothing has to be encoded.
LC_ALL=C exec awk '
# The text behind the next "key": from where the last search stopped; "" when there is none.
function next_value(key, pattern,    value) {
  if (!match(rest, "\"" key "\":" pattern)) return ""
  value = substr(rest, RSTART + length(key) + 3, RLENGTH - length(key) - 3)
  rest = substr(rest, RSTART + RLENGTH)
  return value
}

function value_of(key, pattern) {
  rest = input
  return next_value(key, pattern)
}

function unquoted(string) { return substr(string, 2, length(string) - 2) }

BEGIN {
  kString = "\"([^\"\\\\]|\\\\.)*\""
  kNumber = "-?[0-9.eE+-]+"
  while ((getline line < "-") > 0) input = input line

  report = value_of("documents", kNumber) " documents in " unquoted(value_of("directory", kString)) \
    ", " value_of("words_total", kNumber) " words"
  note = value_of("note", kString)
  if (note != "") report = report "\\n" unquoted(note)

  rest = input
  for (rank = 1; (line = next_value("line", kString)) != ""; ++rank) report = report sprintf("\\n%2d. %s", rank, unquoted(line))
  print "{\"report\":\"" report "\"}"
}
'
