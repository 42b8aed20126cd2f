#!/bin/sh
# stdin {"document_path", "combined_context": [{"analysis": [{"word"}], "metadata": {"filename"}}, …], "processing_summary"}
set -eu
jq '(.document_path | sub(".*/"; "")) as $name
  | [.combined_context[] | select(.metadata.filename == $name) | .analysis[].word] as $own
  | [.combined_context[] | select(.metadata.filename != $name)] as $others
  | [$others[].analysis[].word] as $theirs
  | {filename: $name, shared_words: [$own[] | select(. as $word | $theirs | index($word))], compared_with: ($others | length)}'
