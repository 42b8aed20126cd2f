#!/bin/sh
# The tools of the examples, by themselves: names and texts that are hard to handle become correct JSON.
set -eu
root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# check NAME EXPECTED GOT
check() {
  [ "$2" != "$3" ] || return 0
  failures=$((failures + 1))
  printf '%s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3" >&2
}

analyse=$root/examples/corpus/tools/bin/analyse.sh
report=$root/examples/corpus/tools/bin/report.sh
show=$root/examples/corpus/show-report.sh
flaky=$root/examples/flaky/tools/bin/flaky.sh

# bytes that are not UTF-8, quotes and backslashes, in text and name
printf 'Caf\351 here. "Quoted end." Yes!\n\n  \nSecond para\\graph wonderful wonderful' >"$scratch/a \"b\\ c.txt"
check "a text of another encoding under a difficult name" \
  '{"name":"a \"b\\ c.txt","path":"DIR/a \"b\\ c.txt","words":9,"sentences":3,"paragraphs":2,"longest_word":"wonderful","most_frequent":[{"word":"wonderful","count":2},{"word":"graph","count":1},{"word":"quoted","count":1},{"word":"second","count":1}],"line":"a \"b\\ c.txt: 9 words, 3 sentences, 2 paragraphs, longest word wonderful; most frequent: wonderful 2, graph 1, quoted 1, second 1"}' \
  "$(printf '{"path":"%s/a \\"b\\\\ c.txt"}' "$scratch" | "$analyse" | sed "s|$scratch|DIR|g")"

: >"$scratch/empty"
ln -s empty "$scratch/link"
check "an empty text behind a link" \
  '{"name":"link","path":"DIR/link","words":0,"sentences":0,"paragraphs":0,"longest_word":"","most_frequent":[],"line":"link: 0 words, 0 sentences, 0 paragraphs, longest word none; most frequent: none"}' \
  "$(printf '{ "path" : "%s/link" }' "$scratch" | "$analyse" | sed "s|$scratch|DIR|g")"

check "a file that is not there is a failure, with its name" "1 analyse: cannot read /is/not/there" \
  "$(status=0; printf '{"path":"/is/not/there"}' | "$analyse" >"$scratch/out" 2>"$scratch/err" || status=$?; echo "$status $(cat "$scratch/err")$(cat "$scratch/out")")"

check "a report numbers its lines and keeps escapes" \
  '{"report":"2 documents in /x \"y\", 12 words\nhm\n 1. a\\n: \"line\":\"no\n 2. b"}' \
  "$(printf '%s' '{"directory":"/x \"y\"","documents":2,"longest":[{"line":"a\\n: \"line\":\"no","words":3},{"line":"b"}],"note":"hm","words_total":12}' | "$report")"

check "a report of nothing" '{"report":"0 documents in /x, 0 words"}' \
  "$(printf '%s' '{"directory":"/x","documents":0,"words_total":0,"longest":[],"note":null}' | "$report")"

check "a report is shown as text" 'x "q" back\slash\n no
 1. y' "$(printf '%s' '{"report": "x \"q\" back\\slash\\n no\n 1. y"}' | "$show")"

export CATENA_IDEMPOTENCY_KEY=k
check "a flaky tool fails for now as often as it is told" "75 75 0" \
  "$(for attempt in 1 2 3; do status=0; echo '{"failures": 2}' | CATENA_ATTEMPT=$attempt "$flaky" >/dev/null 2>&1 || status=$?; printf '%s ' "$status"; done | sed 's/ $//')"

[ "$failures" -eq 0 ]
