#!/bin/sh
# The examples run as their pages say, and a chain whose process was killed goes on without doing again what was recorded.
#   examples_test.sh CATENA ROOT
set -eu
catena=$1
root=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# check NAME EXPECTED GOT; white space does not count
check() {
  [ "$(printf '%s' "$2" | tr -d ' \n')" != "$(printf '%s' "$3" | tr -d ' \n')" ] || return 0
  failures=$((failures + 1))
  printf '%s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3" >&2
}

# run EXAMPLE [options]: the response, or the exit code and what stderr says
run() {
  definition=$root/examples/$1/$1.tool
  shift
  status=0
  "$catena" run "$definition" --data-dir "$scratch/data" -q "$@" 2>"$scratch/err" || status=$?
  [ "$status" -eq 0 ] || { echo "exit $status" && cat "$scratch/err"; }
}

for example in corpus nested flaky halves slow document-analysis; do
  "$catena" validate "$root/examples/$example/$example.tool" >"$scratch/out" 2>&1 || check "$example is valid" "" "$(cat "$scratch/out")"
done

mkdir "$scratch/texts"
printf 'one two three. four\n' >"$scratch/texts/a"
printf 'five\n\nsix' >"$scratch/texts/b"
check "corpus: a report of a directory" \
  '2 documents in DIR, 6 words
 1. a: 4 words, 1 sentences, 1 paragraphs, longest word three; most frequent: three 1' \
  "$(run corpus -p directory="$scratch/texts" -p show=1 | "$root/examples/corpus/show-report.sh" | sed "s|$scratch/texts|DIR|")"
check "corpus: a report of nothing says so" "0 documents in DIR, 0 words
no file matches *.none in DIR" \
  "$(run corpus -p directory="$scratch/texts" -p pattern='*.none' | "$root/examples/corpus/show-report.sh" | sed "s|$scratch/texts|DIR|g")"

check "nested: a composite in a composite, once a team" \
  '{"winner":"Dragonflies: 21 points","table":[{"points":21,"games":1,"label":"Dragonflies: 21 points","checksum":"3a2268bdc395b2c4deda3e106b49f3098a0b85beaa8a856bafbeaeef1fe8c34e"}],"teams":1}' \
  "$(run nested -p 'teams=[{"name": "Dragonflies", "scores": [21]}]')"

check "flaky: failures are retried or handled" \
  '{"builtin_attempts":3,"process_attempts":3,"given_up":"step '\''broken'\'': attempt 1: this will never work","instead":"went on without: step '\''broken'\'': attempt 1: this will never work"}' \
  "$(run flaky)"

check "slow: a fan-out in order" '{"items":3,"slept_ms":3}' "$(run slow -p items=3 -p each=1ms)"

# Thirty tasks, four at a time, each leaves its key in a file; the process is killed when some are done.
mkdir "$scratch/kill"
cat >"$scratch/kill/task.sh" <<'TASK'
#!/bin/sh
echo "$CATENA_IDEMPOTENCY_KEY" >>"$1"
sleep 0.1
echo '{}'
TASK
chmod +x "$scratch/kill/task.sh"
: >"$scratch/kill/log"
cat >"$scratch/kill/kill.tool" <<TOOL
{"instructions": [
  {"execution_id": "n", "arguments": {"count": 30}, "tool_definition": {
    "name": "range", "arguments": [{"name": "count", "type_name": "integer"}], "system_event_endpoint": "builtin:range"}},
  {"execution_id": "t", "parallel_execution": {"iterate_over": "REF:n.items", "child_argument_name": "i", "max_concurrency": 4}, "tool_definition": {
    "name": "task", "arguments": [{"name": "i", "type_name": "integer"}], "system_event_endpoint": "exec:task.sh $scratch/kill/log"}}],
 "responses": [{"name": "done", "type_name": "integer", "required": true}],
 "response_reference_map": {"done": "REF:t.response.length"}}
TOOL
"$catena" run "$scratch/kill/kill.tool" --data-dir "$scratch/data" --id killed -q >/dev/null 2>&1 &
victim=$!
while [ "$(wc -l <"$scratch/kill/log")" -lt 8 ] && kill -0 "$victim" 2>/dev/null; do :; done
kill -9 "$victim" 2>/dev/null || true
wait "$victim" 2>/dev/null || true
check "a chain goes on after SIGKILL" '{"done":30}' "$("$catena" resume killed --data-dir "$scratch/data" -q 2>&1)"
check "every task ran" 30 "$(sort -u "$scratch/kill/log" | wc -l)"
ran=$(wc -l <"$scratch/kill/log")
[ "$ran" -le 34 ] || check "only tasks that were running ran again" "30 to 34 executions" "$ran"

[ "$failures" -eq 0 ]
