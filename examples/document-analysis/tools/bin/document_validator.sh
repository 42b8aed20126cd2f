#!/bin/sh
# stdin {"file_paths": [path, …]}; what is wrong with each, and those that nothing is wrong with
set -eu
input=$(cat)
count=$(printf '%s' "$input" | jq '.file_paths | length')
index=0
while [ "$index" -lt "$count" ]; do
  path=$(printf '%s' "$input" | jq -r --argjson index "$index" '.file_paths[$index] | tostring')
  wrong=""
  if [ ! -f "$path" ]; then
    wrong="there is no file $path"
  elif [ ! -r "$path" ]; then
    wrong="$path cannot be read"
  elif [ ! -s "$path" ]; then
    wrong="$path is empty"
  fi
  jq -n --arg path "$path" --arg wrong "$wrong" '{path: $path, is_valid: ($wrong == ""), error_message: $wrong}'
  index=$((index + 1))
done | jq -s '{validation_results: ., valid_documents: map(select(.is_valid) | .path)}'
