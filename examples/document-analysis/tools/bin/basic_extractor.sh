#!/bin/sh
# stdin {"document_path": path}
set -eu
path=$(jq -r '.document_path')
lines=$(awk 'END { print NR }' <"$path")
words=$(wc -w <"$path")
title=$(awk 'NF { print; exit }' <"$path" | iconv -c -f UTF-8 -t UTF-8)
jq -n --arg name "$(basename -- "$path")" --arg title "$title" --argjson lines "$lines" --argjson words "$words" \
  '{filename: $name, page_count: ([($lines + 39) / 40 | floor, 1] | max), word_count: $words, summary: "\($name): \($title)", status: "extracted"}'
