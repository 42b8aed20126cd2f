#!/bin/sh
# frequent_words.sh FILE COUNT: the words of six letters or more that stand in it most often, as JSON lines {"word", "count"}
set -eu
tr -cs 'A-Za-z' '\n' <"$1" | tr 'A-Z' 'a-z' | awk 'length($0) >= 6 { seen[$0]++ } END { for (word in seen) print seen[word], word }' |
  LC_ALL=C sort -k1,1nr -k2,2 | awk -v most="$2" 'NR <= most { printf "{\"word\": \"%s\", \"count\": %d}\n", $2, $1 }'
