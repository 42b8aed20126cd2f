#!/usr/bin/env bash
# prometheus_test.sh CATENA ROOT SCRATCH
# A real Prometheus scrapes a coordinator on which a chain has run: it reads every series of docs/metrics.md, and evaluates every expression of deploy/monitoring. It asks for
# OpenMetrics, as each does since version 2.5; promtool reads the text form. Both are those of PATH, or those of Debian's package, which is unpacked into SCRATCH and not
# installed, so that no service starts. Exits with 77 where they cannot be had.
set -euo pipefail
catena=$(realpath "$1") root=$(realpath "$2")
for name in curl jq; do
  command -v $name >/dev/null || { echo "skipped: there is no $name" && exit 77; }
done
mkdir -p "$3"
kept=$(realpath "$3")
if command -v prometheus >/dev/null && command -v promtool >/dev/null; then
  bin=$(dirname "$(command -v prometheus)")
else
  bin=$kept/installed/usr/bin
  if [ ! -x "$bin/prometheus" ]; then
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || { echo "skipped: there is no prometheus" && exit 77; }
    (cd "$kept" && timeout 120 apt-get -o APT::Sandbox::User=root download prometheus >apt.log 2>&1 && dpkg-deb -x prometheus_*.deb installed) ||
      { echo "skipped: there is no prometheus: $(tail -n 3 "$kept/apt.log")" && exit 77; }
  fi
  PATH=$bin:$PATH
fi

scratch=$(mktemp -d)
behind=()
trap 'for each in "${behind[@]}"; do kill "$each" 2>/dev/null || true; done; wait; rm -rf "$scratch"' EXIT
fail() {
  echo "$*" >&2
  tail -n 20 "$scratch"/*.log >&2
  exit 1
}
# until_true WHAT COMMAND...: the command is asked until it succeeds. The limit is only for a test that would never end.
until_true() {
  local what=$1 left=1200
  shift
  until "$@"; do
    left=$((left - 1))
    [ "$left" -gt 0 ] || fail "never came: $what"
    for each in "${behind[@]}"; do kill -0 "$each" 2>/dev/null || fail "a process ended before this came: $what"; done
    sleep 0.1
  done
}

unset CATENA_CONFIG CATENA_TOOLS CATENA_DATA_DIR XDG_CONFIG_HOME XDG_STATE_HOME
export HOME=$scratch
# ask PROGRAM'S-ADDRESS PATH [OPTIONS of curl...]
ask() {
  local at=$1 path=$2
  shift 2
  curl -fsS --noproxy '*' "$@" "http://$at$path" 2>"$scratch/curl.log"
}
"$catena" coordinator --listen 127.0.0.1:0 --port-file "$scratch/port" --data-dir "$scratch/data" --http 127.0.0.1:0 --http-port-file "$scratch/http-port" >"$scratch/coordinator.log" 2>&1 &
coordinator=$!
behind+=("$coordinator")
until_true "the HTTP interface" test -s "$scratch/http-port"
served=127.0.0.1:$(cat "$scratch/http-port")
"$catena" worker --name scraped --join "127.0.0.1:$(cat "$scratch/port")" --data-dir "$scratch/worker" >"$scratch/worker.log" 2>&1 &
worker=$!
behind+=("$worker")
ask "$served" '/v1/chains?wait=60' -H 'Content-Type: application/json' -d '{"name": "math", "arguments": {"operation": "multiply", "a": 6, "b": 7}}' >"$scratch/chain.log" || fail "no chain ran"
jq -e '.status == "succeeded" or .status == "completed"' "$scratch/chain.log" >/dev/null || fail "the chain did not succeed"

# The text form.
ask "$served" /metrics -H 'Accept: text/plain' >"$scratch/metrics.txt" || fail "there are no metrics"
promtool check metrics <"$scratch/metrics.txt" >"$scratch/promtool.log" 2>&1 || fail "promtool does not read the text form"

# OpenMetrics, with its examples.
cat >"$scratch/prometheus.yml" <<END
global: {scrape_interval: 1s, evaluation_interval: 1s}
rule_files: [$root/deploy/monitoring/alerts.yml]
scrape_configs:
  - {job_name: catena, static_configs: [{targets: ["$served"]}]}
END
prometheus --config.file="$scratch/prometheus.yml" --storage.tsdb.path="$scratch/series" --web.listen-address=127.0.0.1:0 --enable-feature=exemplar-storage >"$scratch/prometheus.log" 2>&1 &
prometheus=$!
behind+=("$prometheus")
until_true "the address of Prometheus" grep -q 'msg="Listening on"' "$scratch/prometheus.log"
at=$(sed -n 's/.*msg="Listening on" address=\([0-9.:]*\).*/\1/p' "$scratch/prometheus.log" | head -1)
# holds PATH FILTER [OPTIONS of curl...]: whether what Prometheus answers is as the filter says
holds() {
  local path=$1 filter=$2
  shift 2
  ask "$at" "$path" -G "$@" 2>/dev/null | jq -e "$filter" >"$scratch/jq.log" 2>&1
}
# What a query finds is in the answer of the scrape before it: all series of one scrape come together.
until_true "a scrape of the coordinator" holds /api/v1/query '.data.result[0].value[1] == "1"' --data-urlencode 'query=up{job="catena"}'
until_true "the chain in the series" holds /api/v1/query '.data.result[0].value[1] == "1"' --data-urlencode 'query=catena_chains_ended_total{status="succeeded"}'
holds /api/v1/targets '.data.activeTargets | length == 1 and all(.lastError == "" and .health == "up")' || fail "a scrape failed"
holds /api/v1/query_exemplars '[.data[].exemplars[].labels.chain_id] | length > 0' -d start=0 -d end=99999999999 --data-urlencode 'query=catena_chain_duration_seconds_bucket' ||
  fail "the example of a chain is not beside its bucket"

# Every series of the page is there, and of its kind.
ask "$at" /api/v1/targets/metadata >"$scratch/metadata.json" || fail "Prometheus does not tell what it knows of series"
rows=0
while read -r name kind; do
  rows=$((rows + 1))
  series=$name
  if [ "$kind" = histogram ]; then series=${name}_bucket; fi
  holds /api/v1/query '.data.result | length > 0' --data-urlencode "query=$series" || fail "docs/metrics.md lists $name, which was not scraped"
  # OpenMetrics names a family of counters without _total
  jq -e --arg name "$name" --arg kind "$kind" 'any(.data[]; (.metric == $name or .metric + "_total" == $name) and .type == $kind)' "$scratch/metadata.json" >/dev/null || fail "$name is no $kind to Prometheus"
done < <(sed -n 's/^| `\([a-z_]*\)` | \([a-z]*\) |.*/\1 \2/p' "$root/docs/metrics.md")
[ "$rows" -ge 20 ] || fail "docs/metrics.md lists too few metrics for this test to mean something"

# Every expression of the dashboards and the rules is one, and the series in it are there.
jq -r '.panels[].targets[].expr' "$root"/deploy/monitoring/*.json | sed 's/\$__rate_interval/1m/g' >"$scratch/expressions"
[ -s "$scratch/expressions" ] || fail "the dashboards have no expressions"
while IFS= read -r expression; do
  holds /api/v1/query '.status == "success"' --data-urlencode "query=$expression" || fail "Prometheus refuses an expression of a dashboard: $expression"
done <"$scratch/expressions"
sed -n 's/^ *expr: //p' "$root/deploy/monitoring/alerts.yml" >>"$scratch/expressions"
while read -r series; do
  holds /api/v1/query '.data.result | length > 0' --data-urlencode "query=$series" || fail "deploy/monitoring names $series, which was not scraped"
done < <(grep -oE '(catena|process)_[a-z_]+' "$scratch/expressions" | sort -u)
rules=$(grep -c '^ *- alert:' "$root/deploy/monitoring/alerts.yml")
until_true "all rules evaluated" holds /api/v1/rules "[.data.groups[].rules[]] | length == $rules and all(.health == \"ok\")"

# A coordinator that does not answer is seen.
kill "$worker" "$coordinator"
wait "$worker" "$coordinator" || true
behind=("$prometheus")
until_true "up as 0" holds /api/v1/query '.data.result[0].value[1] == "0"' --data-urlencode 'query=up{job="catena"}'
until_true "an alert" holds /api/v1/alerts 'any(.data.alerts[]; .labels.alertname == "CatenaCoordinatorDown")'
