#!/bin/sh
# Reads the response of corpus.tool on stdin and prints its report as text.
LC_ALL=C exec awk '
{ input = input $0 }
END {
  if (!match(input, "\"report\":[ \t]*\"([^\"\\\\]|\\\\.)*\"")) {
    print input
    exit 1
  }
  text = substr(input, RSTART, RLENGTH - 1)
  sub("^\"report\":[ \t]*\"", "", text)
  # an escaped backslash first becomes a byte that no text has, so that what follows it is left alone
  gsub(/\\\\/, "\001", text)
  gsub(/\\n/, "\n", text)
  gsub(/\\"/, "\"", text)
  gsub(/\001/, "\\", text)
  print text
}
'
