#!/bin/sh
# examples/document-analysis runs to its end at every depth.
#   document_analysis_test.sh CATENA ROOT
set -eu
catena=$1
example=$2/examples/document-analysis
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# check NAME EXPECTED GOT
check() {
  [ "$2" != "$3" ] || return 0
  failures=$((failures + 1))
  printf '%s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3" >&2
}

# step STEP of the chain DEPTH: its status
status() {
  "$catena" show "$1" --data-dir "$scratch/data" -o json | jq -r --arg id "$2" '.steps[] | select(.id == $id) | .status'
}

documents=$(jq -nc --arg at "$example/documents" '["orchard", "harvest", "weather", "missing"] | map("\($at)/\(.).txt")')
for depth in basic detailed comprehensive; do
  "$catena" run "$example/document-analysis.tool" --data-dir "$scratch/data" --id "$depth" -q -p document_paths="$documents" -p analysis_depth="$depth" \
    >"$scratch/response" 2>"$scratch/error" || check "$depth ends well" "" "$(cat "$scratch/error")"
  check "$depth: three of four documents are valid" 3 "$(jq .document_count "$scratch/response")"
  check "$depth: the summary has an entry a document" "orchard.txt: extracted, $depth analysis of 3" "$(jq -r '.processing_summary[0].description' "$scratch/response")"
  "$catena" fs cat "$(jq -r .analysis_report "$scratch/response")" --data-dir "$scratch/data" >"$scratch/report" || true
  check "$depth: the report" "# Analysis of 3 documents

• orchard.txt was extracted
• harvest.txt was extracted
• weather.txt was extracted

- orchard.txt: 1 page
- harvest.txt: 1 page
- weather.txt: 1 page" "$(cat "$scratch/report")"
done

check "basic: no detailed analysis" "skipped skipped" "$(status basic detailed_analysis) $(status basic comprehensive_analysis)"
check "detailed: no comprehensive analysis" "completed skipped" "$(status detailed detailed_analysis) $(status detailed comprehensive_analysis)"
check "comprehensive: both" "completed completed" "$(status comprehensive detailed_analysis) $(status comprehensive comprehensive_analysis)"

"$catena" run "$example/document-analysis.tool" --data-dir "$scratch/data" --id none -q -p 'document_paths=[]' -p analysis_depth=comprehensive \
  >"$scratch/response" 2>"$scratch/error" || check "no documents end well" "" "$(cat "$scratch/error")"
check "no documents" '0 []' "$(jq -c .document_count "$scratch/response") $(jq -c .processing_summary "$scratch/response")"
[ "$failures" -eq 0 ]
