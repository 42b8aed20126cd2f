#!/bin/sh
# stdin {"document_path", "analysis_mode", "context_data": [{"file", "pages"}, …]}
set -eu
input=$(cat)
path=$(printf '%s' "$input" | jq -r '.document_path')
mode=$(printf '%s' "$input" | jq -r '.analysis_mode')
most=3
[ "$mode" != comprehensive ] || most=6
"$(dirname -- "$0")/frequent_words.sh" "$path" "$most" | jq -s --arg name "$(basename -- "$path")" --argjson input "$input" '
  {insights: .,
   key_findings: "\($name) is about \(if length == 0 then "nothing in particular" else map(.word) | join(", ") end)",
   metadata: {filename: $name, mode: $input.analysis_mode, documents: ($input.context_data | length)}}'
