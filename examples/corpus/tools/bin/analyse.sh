#!/bin/sh
# Reads {"path": "…"} on stdin, prints what the text is made of as a JSON object.
# In the C locale a byte is a character, so no text, whatever its encoding, can stop it; words are made of ASCII letters.
LC_ALL=C exec awk '
function die(message) {
  print "analyse: " message | "cat >&2"
  close("cat >&2")
  failed = 1
  exit 1
}

# The string behind "key": as it stands in the JSON text, escapes and all.
function raw_string(json, key) {
  if (!match(json, "\"" key "\"[ \t\n\r]*:[ \t\n\r]*\"([^\"\\\\]|\\\\.)*\"")) return ""
  json = substr(json, RSTART, RLENGTH - 1)
  sub("^\"" key "\"[ \t\n\r]*:[ \t\n\r]*\"", "", json)
  return json
}

# What a JSON string stands for.
function decoded(raw,    out, escape, code) {
  while (match(raw, /\\./)) {
    out = out substr(raw, 1, RSTART - 1)
    escape = substr(raw, RSTART + 1, 1)
    if (escape == "u") {
      code = hex(substr(raw, RSTART + 2, 4))
      if (code == 0 || code > 127) die("a path with \\u" substr(raw, RSTART + 2, 4) " in it cannot be read here")
      out = out sprintf("%c", code)
      raw = substr(raw, RSTART + 6)
      continue
    }
    out = out (escape in escapes ? escapes[escape] : escape)
    raw = substr(raw, RSTART + 2)
  }
  return out raw
}

function hex(digits,    at, value) {
  for (at = 1; at <= 4; ++at) value = value * 16 + index("0123456789abcdef", tolower(substr(digits, at, 1))) - 1
  return value
}

function analyse(line,    word) {
  if (line ~ /^[ \t\r\f]*$/) {
    in_paragraph = 0
    return
  }
  if (!in_paragraph) ++paragraphs
  in_paragraph = 1
  sentences += gsub(/[.!?]+([ \t\r"\047)]|$)/, " ", line)
  while (match(line, /[A-Za-z]+/)) {
    word = tolower(substr(line, RSTART, RLENGTH))
    line = substr(line, RSTART + RLENGTH)
    if (length(word) > length(longest)) longest = word
    if (length(word) >= 5) ++times[word]
  }
}

# The most frequent word that was not taken yet; of equals the first in the alphabet.
function take_most_frequent(    word, best) {
  for (word in times) {
    if (best == "" || times[word] > times[best] || (times[word] == times[best] && word < best)) best = word
  }
  return best
}

BEGIN {
  escapes["b"] = "\b"; escapes["f"] = "\f"; escapes["n"] = "\n"; escapes["r"] = "\r"; escapes["t"] = "\t"
  while ((getline line < "-") > 0) input = input line
  raw = raw_string(input, "path")
  if (raw == "") die("no path was given")
  path = decoded(raw)
  name = raw
  sub(/^.*\//, "", name)

  while ((status = (getline line < path)) > 0) {
    analyse(line)
    words += split(line, fields)
  }
  if (status < 0) die("cannot read " path)

  for (rank = 1; rank <= 5 && (word = take_most_frequent()) != ""; ++rank) {
    list = list (rank > 1 ? "," : "") sprintf("{\"word\":\"%s\",\"count\":%d}", word, times[word])
    text = text (rank > 1 ? ", " : "") word " " times[word]
    delete times[word]
  }
  printf "{\"name\":\"%s\",\"path\":\"%s\",\"words\":%d,\"sentences\":%d,\"paragraphs\":%d,", name, raw, words, sentences, paragraphs
  printf "\"longest_word\":\"%s\",\"most_frequent\":[%s],", longest, list
  printf "\"line\":\"%s: %d words, %d sentences, %d paragraphs, longest word %s; most frequent: %s\"}\n", \
    name, words, sentences, paragraphs, longest == "" ? "none" : longest, text == "" ? "none" : text
}
END { if (failed) exit 1 }
'
