#!/bin/sh
# The clients of clients/ against a real coordinator.
#   clients_test.sh CATENA ROOT python|typescript|commands|tools|restart
#     python, typescript, commands  scenarios.json with the client of that language, and with the command line
#     tools                         tools made with the clients: line by line, alone and on a cluster
#     restart                       clients wait, map and submit while the coordinator is killed and started again
set -eu
catena=$(realpath "$1")
root=$(realpath "$2")
here=$root/tests/clients
case $3 in python | commands) needs=python3 ;; typescript) needs=node ;; *) needs="python3 node" ;; esac
for program in $needs; do
  command -v "$program" >/dev/null || { echo "this needs $program, which is not on PATH" >&2 && exit 77; }
done
unset CATENA_CONFIG CATENA_TOOLS CATENA_DATA_DIR CATENA_CLUSTER__ADDRESS XDG_CONFIG_HOME XDG_STATE_HOME 2>/dev/null || true
export PYTHONDONTWRITEBYTECODE=1
scratch=$(mktemp -d)
export HOME="$scratch/home"
mkdir "$HOME"
processes=
trap 'kill -9 $processes 2>/dev/null || true; wait; rm -rf "$scratch"' EXIT
failures=0

# check NAME EXPECTED GOT
check() {
  [ "$2" != "$3" ] || return 0
  failures=$((failures + 1))
  printf '%s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3" >&2
}

# until_true COMMAND...: it becomes true while the processes of this test live
until_true() {
  until "$@" 2>/dev/null; do
    for process in $processes; do
      kill -0 "$process" 2>/dev/null || { echo "a process ended early: waiting for $*" >&2 && cat "$scratch"/*.log >&2 && exit 1; }
    done
    sleep 0.05
  done
}

# coordinator HTTP-PORT SLOTS: its process in $coordinator, its addresses in $url and $address
coordinator() {
  rm -f "$scratch/port" "$scratch/http"
  "$catena" coordinator --listen 127.0.0.1:0 --port-file "$scratch/port" --http "127.0.0.1:$1" --http-port-file "$scratch/http" --slots "$2" \
    --data-dir "$scratch/${data:-data}" >>"$scratch/coordinator.log" 2>&1 &
  coordinator=$!
  processes="$processes $coordinator"
  until_true test -s "$scratch/http"
  until_true test -s "$scratch/port"
  url=http://127.0.0.1:$(cat "$scratch/http")
  address=127.0.0.1:$(cat "$scratch/port")
}

# behind NAME COMMAND...: in the background; what it prints stands in NAME.out
behind() {
  name=$1
  shift
  "$@" >"$scratch/$name.out" 2>"$scratch/$name.log" &
  processes="$processes $!"
  eval "process_$name=$!"
  until_true grep -q begins "$scratch/$name.out"
}

# one_file FILE: short enough to be copied, and read
one_file() {
  [ "$(wc -l <"$root/clients/$1")" -le 500 ] || { echo "clients/$1 has more than 500 lines" >&2 && exit 1; }
}

# printed_program PAGE: the program that the page shows, with the coordinator of this test
printed_program() {
  awk '/^## /{ on = $0 == "## A program" } on && /^    |^$/ { print substr($0, 5) } on && /^\|/ { exit }' "$root/clients/$1" | sed "s|http://127.0.0.1:7421|$url|"
}

# tls_coordinator: one over TLS; who has issued its certificate stands in trust/ca.pem
tls_coordinator() {
  "$catena" cert init --dir "$scratch/trust" >/dev/null 2>&1
  "$catena" cert issue --dir "$scratch/trust" --name web --role coordinator --host 127.0.0.1 >/dev/null
  CATENA_HTTP__CERTIFICATE_FILE=$scratch/trust/web.pem CATENA_HTTP__KEY_FILE=$scratch/trust/web.key data=tls coordinator 0 4
  url=https://${url#http://}
}

case $3 in
  python)
    one_file python/catena.py
    coordinator 0 4
    python3 "$here/python_driver.py" "$root/clients/python" "$url"
    printed_program python/README.md >"$scratch/program.py"
    PYTHONPATH=$root/clients/python python3 "$scratch/program.py" >"$scratch/program.out"
    grep -q '^[{].*waited_ms' "$scratch/program.out" && [ "$(tail -n 1 "$scratch/program.out")" = 990 ] || check "the program of the page" "ends with 990" "$(cat "$scratch/program.out")"
    tls_coordinator
    check "over TLS" "{'result': 3}" "$(SSL_CERT_FILE=$scratch/trust/ca.pem PYTHONPATH=$root/clients/python python3 -c 'import sys; from catena import Client
print(Client(sys.argv[1]).run("math", {"operation": "add", "a": 1, "b": 2}))' "$url")"
    check "over TLS, of an authority that is not known" "ConnectionLost" "$(PYTHONPATH=$root/clients/python python3 -c 'import sys; from catena import Client, ConnectionLost
try: Client(sys.argv[1], patience=0).get("x")
except ConnectionLost: print("ConnectionLost")' "$url")"
    [ "$failures" -eq 0 ]
    ;;
  typescript)
    one_file typescript/catena.mjs
    # the types are those of the client: what it exports is in the file that was made from it, and nothing else
    sed -nE 's/^export (async )?(class|function) ([A-Za-z]+).*/\3/p' "$root/clients/typescript/catena.mjs" | sort >"$scratch/exports"
    sed -nE 's/^export (class|function) ([A-Za-z]+).*/\2/p' "$root/clients/typescript/catena.d.mts" | sort | cmp - "$scratch/exports" ||
      { echo "catena.d.mts is not that of catena.mjs: make it anew with npm run types" >&2 && exit 1; }
    coordinator 0 4
    node "$here/node_driver.mjs" "$root/clients/typescript" "$url"
    printed_program typescript/README.md >"$scratch/program.mjs"
    cp "$root/clients/typescript/catena.mjs" "$scratch"
    node "$scratch/program.mjs" >"$scratch/program.out"
    grep -q waited_ms "$scratch/program.out" && [ "$(tail -n 1 "$scratch/program.out")" = 30 ] || check "the program of the page" "ends with 30" "$(cat "$scratch/program.out")"
    tls_coordinator
    check "over TLS" '{"result":3}' "$(NODE_EXTRA_CA_CERTS=$scratch/trust/ca.pem node --input-type=module -e 'const {Client} = await import(process.argv[1]);
console.log(JSON.stringify(await new Client(process.argv[2]).run("math", {operation: "add", a: 1, b: 2})))' "$scratch/catena.mjs" "$url")"
    [ "$failures" -eq 0 ]
    ;;
  commands)
    coordinator 0 4
    python3 "$here/commands_driver.py" "$catena" "$address"
    ;;
  tools)
    mkdir "$scratch/tools"
    cp "$here"/tools/* "$root/clients/python/catena.py" "$root/clients/typescript/catena.mjs" "$scratch/tools"
    cp -r "$root/examples/python-tool" "$scratch/example"
    cp "$root/clients/python/catena.py" "$scratch/example"
    cd "$scratch/tools"
    python3 "$here/tools_driver.py" python python3 "$scratch/tools/tools.py"
    python3 "$here/tools_driver.py" node node "$scratch/tools/tools.mjs"

    sed 's/^./    &/' "$scratch/example/square.py" >"$scratch/square"
    for page in README.md clients/python/README.md; do
      awk -v wanted="$(cat "$scratch/square")" '{ all = all $0 "\n" } END { exit index(all, wanted) == 0 }' "$root/$page" ||
        check "$page shows examples/python-tool/square.py" "as it is" "another program"
    done
    check "examples/python-tool/square.tool is what square.py --definition prints" "$(python3 "$scratch/example/square.py" --definition)" "$(cat "$scratch/example/square.tool")"
    check "the example runs alone" '{"squares":[1,4,9,16],"sum":30}' "$("$catena" run "$scratch/example/squares.tool" -q | tr -d ' \n')"

    for language in python3:tools.py node:tools.mjs; do
      kind=${language%%:*}
      "$kind" "${language#*:}" --definition probe >"$kind.tool"
    done
    check "tools import writes a definition of each tool" "area.tool probe.tool" "$("$catena" tools import tools.mjs | sed 's|.*/||' | tr '\n' ' ' | sed 's/ $//')"
    check "which is a definition" 'ok area.tool' "$("$catena" validate area.tool | cut -d ' ' -f 1,2)"
    sed 's/"width"/"w"/; s/size: {type: "object"}/size: {type: "string"}/' tools.mjs >changed.mjs && mv changed.mjs tools.mjs
    check "a definition that its program has left behind is refused" "field_value" "$("$catena" validate area.tool 2>&1 | sed -n 's/.*error\[\([a-z_]*\)\].*/\1/p')"
    check "and not replaced unasked" "2" "$("$catena" tools import tools.mjs >/dev/null 2>&1 || echo $?)"
    check "tools import --force" "written" "$("$catena" tools import tools.mjs --force | sed -n 's/ .*area.tool//p')"
    cp "$here/tools/tools.mjs" tools.mjs && rm area.tool probe.tool
    coordinator 0 0
    "$catena" worker --join "$address" --name w1 --slots 2 --data-dir "$scratch/worker" >"$scratch/worker.log" 2>&1 &
    processes="$processes $!"
    # on_cluster DEFINITION [options]: the response, or what stands on stderr
    on_cluster() {
      "$catena" run "$@" -q --cluster "$address" >"$scratch/response" 2>&1 || true
      tr -d ' \n' <"$scratch/response"
    }
    check "the example runs on a cluster" '{"squares":[1,4,9,16],"sum":30}' "$(on_cluster "$scratch/example/squares.tool")"
    for script in tools.py tools.mjs; do
      cat >chain.tool <<CHAIN
{"instructions": [{"execution_id": "s", "tool_definition_path": "$script#probe", "arguments": {"do": "nothing"}},
                  {"execution_id": "t", "tool_definition_path": "/$script#probe", "arguments": {"do": "nothing"}}]}
CHAIN
      check "$script: a tool is called by what it says of itself" '{"s":{},"t":{}}' "$(on_cluster chain.tool)"
    done
    check "a tool runs by itself" '{"area":8,"unit":"m"}' "$(on_cluster 'tools.mjs#area' --args '{"size": {"width": 2, "height": 4}}')"
    for kind in python3 node; do
      # step EFFECT WHAT
      step() {
        cat <<STEP
{"instructions": [{"execution_id": "s", "tool_definition_path": "$kind.tool", "arguments": {"do": "$2"}, "effect": "$1",
  "retry": {"max_attempts": 2, "initial_interval": "1ms"}}]}
STEP
      }
      step idempotent well >chain.tool
      check "$kind: a tool answers" '{"s":{"attempt":1,"context":{"user":"ann"},"key":"'"$kind"'-well/s"}}' \
        "$(on_cluster chain.tool --id "$kind-well" --context user=ann | python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin), sort_keys=True, separators=(",", ":")))')"
      for row in fatal:1:tool_failed later:2:tool_failed throw:1:tool_failed doubt:2:in_doubt; do
        what=${row%%:*}
        step idempotent "$what" >chain.tool
        on_cluster chain.tool --id "$kind-$what" >/dev/null
        check "$kind: what becomes of $what" "${row#*:}" "$("$catena" show "$kind-$what" s --cluster "$address" -o json |
          python3 -c 'import json, sys; task = json.load(sys.stdin); print(len(task["attempts"]), task["error"]["code"], sep=":")')"
      done
      step at_most_once doubt >chain.tool
      "$catena" submit chain.tool --id "$kind-once" --cluster "$address" >/dev/null
      check "$kind: an at_most_once step in doubt waits for a person" "in_doubt" \
        "$("$catena" wait "$kind-once" --cluster "$address" -q 2>&1 | sed -n 's/^error\[\([a-z_]*\)\].*/\1/p')"
      "$catena" resolve "$kind-once" s --response '{"it": "happened"}' --cluster "$address" >/dev/null 2>&1
      check "$kind: who says what became of it" '{"s":{"it":"happened"}}' "$("$catena" wait "$kind-once" --cluster "$address" -q | tr -d ' \n')"
    done
    [ "$failures" -eq 0 ]
    ;;
  restart)
    coordinator 0 2
    "$catena" submit wait -p duration=10m --id nap --cluster "$address" >/dev/null
    behind python_waits python3 "$here/restart_driver.py" "$root/clients/python" "$url" wait
    behind node_waits node "$here/restart_driver.mjs" "$root/clients/typescript" "$url" wait
    behind python_maps python3 "$here/restart_driver.py" "$root/clients/python" "$url" map
    behind node_maps node "$here/restart_driver.mjs" "$root/clients/typescript" "$url" map
    kill -9 "$coordinator"
    wait "$coordinator" 2>/dev/null || true
    processes=$(echo "$processes" | sed "s/\b$coordinator\b//")
    behind python_submits python3 "$here/restart_driver.py" "$root/clients/python" "$url" submit
    behind node_submits node "$here/restart_driver.mjs" "$root/clients/typescript" "$url" submit
    coordinator "${url##*:}" 2
    for task in nap:wait mapped-python:each/1 mapped-node:each/1; do
      "$catena" skip "${task%:*}" "${task#*:}" --with '{"waited_ms": 1, "until": "now"}' --cluster "$address" -q >/dev/null
    done
    for client in python node; do
      for verb in waits submits maps; do
        eval "wait \$process_${client}_$verb" || check "$client $verb" "exit code 0" "$? $(cat "$scratch/${client}_$verb.log")"
      done
      check "$client has the result" '{"waited_ms":1,"until":"now"}' "$(tail -n 1 "$scratch/${client}_waits.out")"
      check "$client goes on with the items" '{"until":"now","waited_ms":1}' "$(tail -n 1 "$scratch/${client}_maps.out")"
      check "$client submits to a coordinator that comes back" '{"result":3}' "$(tail -n 1 "$scratch/${client}_submits.out")"
    done
    [ "$failures" -eq 0 ]
    ;;
esac
