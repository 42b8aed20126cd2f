#!/bin/sh
# What deploy/ says is what the binary knows, and no container or unit has more than it needs. Linters that are installed are asked as well.
#   deploy_test.sh CATENA YAML_JSON ROOT
# Every breach is a line; the test fails when there is one. CATENA_LINTERS=no: without systemd-analyze and kubectl;
# CATENA_DEPLOY_PARTS: only these parts.
set -eu
catena=$(realpath "$1")
yaml_json=$(realpath "$2")
root=$(realpath "$3")
deploy=$root/deploy
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
breaches=$scratch/breaches
: >"$breaches"
export HOME="$scratch" XDG_STATE_HOME="$scratch/state"
unset CATENA_CONFIG XDG_CONFIG_HOME || true

# linter NAME: whether it is there, and wanted
linter() { [ "${CATENA_LINTERS:-yes}" = yes ] && command -v "$1" >/dev/null 2>&1; }

breach() { printf '%s\n' "$*" >>"$breaches"; }

# says FILE FILTER: each line that the jq filter prints is a breach of the file
says() {
  jq -r "$2" "$1" >"$scratch/lines" 2>"$scratch/jq" || breach "$1: $(cat "$scratch/jq")"
  sed "s|^|$(basename "$1" .json): |" "$scratch/lines" >>"$breaches"
}

"$catena" config --example >"$scratch/example.yaml" || breach "catena config --example fails"
setting() { sed -n "/^$1:/,/^[a-z]/s/^  $2: \"\(.*\)\"/\1/p" "$scratch/example.yaml"; }
seconds() { setting "$1" "$2" | sed -n 's/^\([0-9]*\)s$/\1/p'; }
worker_drain_s=$(seconds worker drain_timeout)
coordinator_drain_s=$(seconds coordinator drain_timeout)
[ "${worker_drain_s:-0}" -gt 0 ] && [ "${coordinator_drain_s:-0}" -gt 0 ] || breach "the drain timeouts are not in the example"
# what stops a node waits for its drain timeout and for the watchdog of its end, and still longer: else it is killed before it ends itself
end_max_s=$(sed -n 's/.* kEndMax{\([0-9]*\)};.*/\1/p' "$root/cli/processes/daemon.hpp")
[ "${end_max_s:-0}" -gt 0 ] || breach "cli/processes/daemon.hpp does not say how long an end may take"
worker_stop_s=$((worker_drain_s + ${end_max_s:-0}))
coordinator_stop_s=$((coordinator_drain_s + ${end_max_s:-0}))

# ---- settings --------------------------------------------------------------------------------------------------------

check_settings() {
  diff -u --label deploy/catena.example.yaml --label 'catena config --example' "$deploy/catena.example.yaml" "$scratch/example.yaml" >>"$breaches" || true
  grep -o 'CATENA_[A-Z_]*' "$scratch/example.yaml" | sort -u >"$scratch/known"
  printf '%s\n' CATENA_CONFIG CATENA_DATA_DIR CATENA_TOOLS >>"$scratch/known"
  # variables of settings, not of scripts: they have two underscores, or are known
  grep -rhoE 'CATENA_[A-Z]+__[A-Z_]+|CATENA_CONFIG|CATENA_DATA_DIR' "$deploy" | sort -u >"$scratch/used"
  for variable in $(cat "$scratch/used"); do
    grep -qx "$variable" "$scratch/known" || breach "deploy/ sets $variable, which is no setting"
  done
}

# ---- scripts ---------------------------------------------------------------------------------------------------------

check_scripts() {
  for script in "$deploy"/*.sh; do
    sh -n "$script" 2>"$scratch/null" || breach "$script is no shell script"
    [ -x "$script" ] || breach "$script cannot be executed"
  done
}

# ---- units -----------------------------------------------------------------------------------------------------------

check_units() {
  # value UNIT KEY: the last that is set
  value() { sed -n "s/^$2=//p" "$1" | tail -1; }
  seconds_over() { [ "$2" -gt "$3" ] 2>/dev/null || breach "$1 is $2, but must be more than the drain timeout and the end together, $3 s"; }
  for role in coordinator worker; do
    unit=$deploy/systemd/catena-$role.service
    [ "$(value "$unit" Type)" = notify ] || breach "$role: not Type=notify"
    [ "$(value "$unit" ExecReload)" = '/bin/kill -HUP $MAINPID' ] || breach "$role: reload is not SIGHUP"
    [ "$(value "$unit" Restart)" = on-failure ] || breach "$role: a process that ended well would be started again, or one that failed not"
    [ "$(value "$unit" RestartPreventExitStatus)" = 2 ] || breach "$role: wrong settings would be tried for ever"
    user=$(value "$unit" User)
    grep -q "^u $user " "$deploy/systemd/catena.sysusers.conf" || breach "$role: no sysusers line makes the user '$user'"
    grep -q "^z /etc/catena/$role/\* *0400 *$user *$user\$" "$deploy/systemd/catena.tmpfiles.conf" || breach "$role: no tmpfiles line keeps the keys for '$user'"
    case $(value "$unit" ExecStart) in
      "/usr/bin/catena $role" | "/usr/bin/catena $role "*) ;;
      *) breach "$role: the unit starts something else" ;;
    esac
  done
  seconds_over "catena-worker.service: TimeoutStopSec" "$(value "$deploy/systemd/catena-worker.service" TimeoutStopSec)" "$worker_stop_s"
  seconds_over "catena-coordinator.service: TimeoutStopSec" "$(value "$deploy/systemd/catena-coordinator.service" TimeoutStopSec)" "$coordinator_stop_s"
  [ "$(value "$deploy/systemd/catena-worker.service" KillMode)" = mixed ] || breach "worker: tools would be told to stop together with the worker"
  [ "$(value "$deploy/systemd/catena-worker.service" User)" != "$(value "$deploy/systemd/catena-coordinator.service" User)" ] ||
    breach "worker and coordinator are the same user: tools could read the store"

  if linter systemd-analyze; then
    mkdir "$scratch/units"
    for role in coordinator worker; do
      # the binary is not installed here
      sed "s|/usr/bin/catena|$catena|" "$deploy/systemd/catena-$role.service" >"$scratch/units/catena-$role.service"
      systemd-analyze verify --man=no "$scratch/units/catena-$role.service" >"$scratch/verify" 2>&1 || breach "$role: systemd-analyze verify fails"
      grep "catena-$role.service" "$scratch/verify" >>"$breaches" || true
      systemd-analyze security --no-pager --offline=true --threshold=29 "$scratch/units/catena-$role.service" >"$scratch/security" 2>&1 ||
        breach "$role: $(tail -1 "$scratch/security")"
    done
  fi
}

# ---- image -----------------------------------------------------------------------------------------------------------

check_image() {
  dockerfile=$deploy/Dockerfile
  awk '
    function breach(text) { print "Dockerfile:" FNR ": " text }
    # one instruction a line
    { while (/\\$/ && (getline next_line) > 0) $0 = substr($0, 1, length($0) - 1) " " next_line }
    /^FROM / { stages++; user = ""; if ($2 !~ /^debian:12(\.[0-9]+)?-slim$/) breach("the base is not debian:12-slim: " $2) }
    /^USER / { user = $2 }
    /^ADD / { breach("ADD; COPY says what it does") }
    /^(ENTRYPOINT|CMD) / && $2 !~ /^\[/ { breach($1 " goes through a shell") }
    /^RUN .*apt-get install/ && !/--no-install-recommends/ { breach("installs what is recommended") }
    /^RUN .*apt-get update/ && !/rm -rf \/var\/lib\/apt\/lists/ { breach("leaves package lists in the layer") }
    /^RUN .*(curl|wget) / { breach("downloads what nobody has checked") }
    /^COPY --from=build / { from = 1 }
    /^COPY \. / && stages > 1 { breach("the sources are in the last stage") }
    END {
      if (stages < 2) breach("has one stage: the compiler would be shipped")
      if (!from) breach("takes nothing from the build")
      if (user !~ /^[1-9][0-9]*:[1-9][0-9]*$/) breach("the last stage does not end as a user by number that is not root: \"" user "\"")
    }' "$dockerfile" >>"$breaches"

  # Directly linked libraries must be named; what these need comes with them.
  sed -n '/^FROM/h;/^RUN apt-get/,/rm -rf/p' "$dockerfile" | sed -n 's/^ *\(lib[a-z0-9.-]*\) \\$/\1/p' | sort >"$scratch/shipped"
  if command -v objdump >/dev/null 2>&1 && command -v dpkg-query >/dev/null 2>&1; then
    objdump -p "$catena" | sed -n 's/^ *NEEDED *//p' | grep -vE '^(libc|libm|libgcc_s|libstdc\+\+|ld-linux.*|libasan|libubsan|libtsan)\.so' >"$scratch/needed" || true
    : >"$scratch/linked"
    while read -r library; do
      file=$(ldconfig -p | sed -n "s|^[[:space:]]*$library .*=> ||p" | head -1)
      package=$(dpkg-query -S "$(realpath "$file")" 2>/dev/null | sed 's/:.*//' | head -1)
      [ -n "$package" ] || continue
      echo "$package" >>"$scratch/linked"
      grep -qx "$package" "$scratch/shipped" || breach "Dockerfile: the binary is linked with $library, but $package is not installed"
    done <"$scratch/needed"
    [ -s "$scratch/linked" ] || breach "no linked library was found: this check checks nothing"
    while read -r package; do
      [ "$package" = libstdc++6 ] || grep -qx "$package" "$scratch/linked" || breach "Dockerfile: installs $package, which nothing is linked with"
    done <"$scratch/shipped"
  fi

  # The build sees every folder that the root's CMakeLists.txt adds, but tests and benchmarks; and no keys.
  for folder in $(sed -n 's/^ *add_subdirectory(\(.*\))/\1/p' "$root/CMakeLists.txt") cmake CMakeLists.txt CMakePresets.json deploy/install-dependencies.sh; do
    case $folder in tests | bench) continue ;; esac
    grep -qx "!$folder" "$root/.dockerignore" || breach ".dockerignore: '$folder' is not let into the build"
  done
  [ "$(grep -v '^#' "$root/.dockerignore" | head -1)" = '*' ] || breach ".dockerignore: does not begin with leaving out everything"
  for secret in '**/*.key' '**/*.pem' '**/token'; do
    grep -qxF "$secret" "$root/.dockerignore" || breach ".dockerignore: '$secret' may get into an image"
  done
}

# ---- compose ---------------------------------------------------------------------------------------------------------

check_compose() {
  "$yaml_json" "$deploy/compose.yaml" >"$scratch/compose.yaml.json" || breach "compose.yaml is no YAML"
  says "$scratch/compose.yaml.json" '
    . as $all | (.services | to_entries[]) | .key as $name | .value as $service
    | def breach($text): "service \($name): \($text)";
      ( ($service.image // "") | select(test("^[a-z0-9./-]+:[0-9]+\\.[0-9]+\\.[0-9]+$") | not) | breach("its image has no version: \(.)") ),
      ( select($name != "certs" and ($service.user // "" | test("^[1-9][0-9]*:[1-9][0-9]*$") | not)) | breach("runs as root") ),
      ( select($name == "certs" and $service.network_mode != "none") | breach("is root and has a network") ),
      ( select($service.read_only != true) | breach("may write to its image") ),
      ( select($service.cap_drop != ["ALL"]) | breach("keeps capabilities") ),
      ( select($service.privileged == true) | breach("is privileged") ),
      ( select($service.security_opt != ["no-new-privileges:true"]) | breach("may gain privileges") ),
      ( ($service.volumes // [])[] | split(":")[0] | select(. as $volume | $all.volumes | has($volume) | not) | breach("mounts the volume \(.), which is not declared") ),
      ( ($service.networks // [])[] | select(. as $network | $all.networks | has($network) | not) | breach("joins the network \(.), which is not declared") ),
      ( ($service.depends_on // {}) | keys[] | select(. as $other | $all.services | has($other) | not) | breach("depends on \(.), which is none") ),
      ( select($name != "certs") | ($service.volumes // [])[] | select(startswith("authority")) | breach("sees the key of the CA") ),
      ( select($name != "certs") | ($service.volumes // [])[] | select(startswith("certs-") and (endswith(":ro") | not)) | breach("may write its keys") )'
  says "$scratch/compose.yaml.json" "
    .services | to_entries[] | select(.value.command[0] == \"worker\" or .value.command[0] == \"coordinator\")
    | (if .value.command[0] == \"worker\" then $worker_stop_s else $coordinator_stop_s end) as \$stop
    | select((.value.stop_grace_period // \"0s\" | rtrimstr(\"s\") | tonumber) <= \$stop) | \"service \\(.key): is killed before its drain timeout and its end are over, \\(\$stop) s\""
  says "$scratch/compose.yaml.json" '[.services[] | select(.command[0] == "worker") | .environment.CATENA_WORKER__NAME] | select(length != 3 or (unique | length) != 3)
    | "there are not three workers of three names"'

  # What the service `certs` runs makes every file that a node is told of.
  jq -r '.services.certs.command[0]' "$scratch/compose.yaml.json" | sed -e 's/\$\$/$/g' -e "s|/certs/|$scratch/certs/|g" >"$scratch/certs.sh"
  mkdir -p "$scratch/certs" "$scratch/bin"
  ln -s "$catena" "$scratch/bin/catena"
  printf '#!/bin/sh\n' >"$scratch/bin/chown"
  chmod +x "$scratch/bin/chown"
  PATH="$scratch/bin:$PATH" sh -eu "$scratch/certs.sh" >"$scratch/certs.out" 2>&1 || breach "compose.yaml: certs: $(cat "$scratch/certs.out")"
  PATH="$scratch/bin:$PATH" sh -eu "$scratch/certs.sh" >"$scratch/certs.out" 2>&1 || breach "compose.yaml: certs, the second time: $(cat "$scratch/certs.out")"
  jq -r '.services | to_entries[] | .value as $service
    | ($service.volumes // [])[] | select(endswith(":/certs:ro")) | split(":")[0] | ltrimstr("certs-") as $folder
    | $service.environment | to_entries[] | select(.value | tostring | startswith("/certs/")) | "\($folder)/\(.value | ltrimstr("/certs/"))"' \
    "$scratch/compose.yaml.json" >"$scratch/files"
  [ "$(wc -l <"$scratch/files")" -ge 20 ] || breach "compose.yaml: nodes are told of too few files for this check to mean something"
  while read -r file; do
    [ -s "$scratch/certs/$file" ] || breach "compose.yaml: nobody makes $file"
  done <"$scratch/files"
}

# ---- kubernetes ------------------------------------------------------------------------------------------------------

check_kubernetes() {
  "$yaml_json" "$deploy/kubernetes/kustomization.yaml" >"$scratch/kustomization.json" || breach "kustomization.yaml is no YAML"
  for file in "$deploy"/kubernetes/*.yaml; do
    name=$(basename "$file")
    [ "$name" = kustomization.yaml ] && continue
    "$yaml_json" "$file" || breach "$name is no YAML"
    jq -e --arg name "$name" '.resources | index($name)' "$scratch/kustomization.json" >"$scratch/null" || breach "kustomization.yaml leaves out $name"
  done | jq -s . >"$scratch/kubernetes.json"
  for name in $(jq -r '.resources[]' "$scratch/kustomization.json"); do
    [ -e "$deploy/kubernetes/$name" ] || breach "kustomization.yaml names $name, which is not there"
  done
  says "$scratch/kubernetes.json" '
    {"ConfigMap": "v1", "Namespace": "v1", "NetworkPolicy": "networking.k8s.io/v1", "PodDisruptionBudget": "policy/v1",
     "Service": "v1", "StatefulSet": "apps/v1"} as $kinds
    | (.[] | select($kinds[.kind] != .apiVersion) | "\(.kind) \(.metadata.name): \(.apiVersion) is not its version"),
      ($kinds | keys[]) as $kind | [.[] | select(.kind == $kind)] | select(length == 0) | "there is no \($kind)"'
  says "$scratch/kubernetes.json" '.[] | select(.kind != "Namespace") | "\(.kind) \(.metadata.name)" as $what
    | (select(.metadata.namespace != "catena") | "\($what): not in the namespace catena"),
      (select(.metadata.labels["app.kubernetes.io/name"] != "catena") | "\($what): has no name label")'
  # selectors: every one finds pods, those of a workload its own
  says "$scratch/kubernetes.json" '
    def holds($labels): to_entries | all($labels[.key] == .value);
    [.[] | select(.spec.template) | .spec.template.metadata.labels] as $pods
    | .[] | "\(.kind) \(.metadata.name)" as $what
    | ( select(.spec.template) | .spec.template.metadata.labels as $own | select(.spec.selector.matchLabels | holds($own) | not) | "\($what): does not select its own pods" ),
      ( select(.kind == "Service") | .spec.selector as $wanted | select([$pods[] | . as $labels | $wanted | holds($labels)] | any | not) | "\($what): selects no pod" ),
      ( select(.kind == "PodDisruptionBudget") | .spec.selector.matchLabels as $wanted | select([$pods[] | . as $labels | $wanted | holds($labels)] | any | not) | "\($what): selects no pod" ),
      ( select(.kind == "NetworkPolicy") | .spec.podSelector.matchLabels as $wanted | select([$pods[] | . as $labels | $wanted | holds($labels)] | any | not) | "\($what): selects no pod" )'
  says "$scratch/kubernetes.json" '
    . as $all | .[] | select(.spec.template) | "\(.kind) \(.metadata.name)" as $what | .spec.template.spec as $pod | .spec as $spec
    | def breach($text): "\($what): \($text)";
      ( [$all[] | select(.kind == "PodDisruptionBudget") | .spec.selector.matchLabels] | select(index([$spec.selector.matchLabels]) == null) | breach("has no budget") ),
      ( [$all[] | select(.kind == "NetworkPolicy") | .spec.podSelector.matchLabels] | select(index([$spec.selector.matchLabels]) == null) | breach("has no network policy") ),
      ( select($pod.securityContext.runAsNonRoot != true or ($pod.securityContext.runAsUser // 0) == 0) | breach("may run as root") ),
      ( select($pod.securityContext.seccompProfile.type != "RuntimeDefault") | breach("has no seccomp profile") ),
      ( select($pod.automountServiceAccountToken != false) | breach("gets a token of the API") ),
      ( select(($pod.hostNetwork // $pod.hostPID // $pod.hostIPC // false) != false) | breach("shares the host") ),
      ( ([$pod.volumes[].name] + [($spec.volumeClaimTemplates // [])[].metadata.name]) as $volumes
        | $pod.containers[] | .volumeMounts[].name | select(. as $name | $volumes | index($name) | not) | breach("mounts the volume \(.), which is none") ),
      ( $pod.volumes[] | select(.configMap) | .configMap.name | select(. as $name | [$all[] | select(.kind == "ConfigMap") | .metadata.name] | index($name) | not) | breach("there is no ConfigMap \(.)") ),
      ( $pod.volumes[] | select(.emptyDir) | select(.emptyDir.sizeLimit | not) | breach("\(.name) may fill the disk of the machine") ),
      ( $pod.containers[] | [(.ports // [])[].name] as $ports
        | ( .image | select(test("^[a-z0-9./-]+:[0-9]+\\.[0-9]+\\.[0-9]+$") | not) | breach("its image has no version: \(.)") ),
          ( select(.securityContext.allowPrivilegeEscalation != false) | breach("may gain privileges") ),
          ( select(.securityContext.readOnlyRootFilesystem != true) | breach("may write to its image") ),
          ( select(.securityContext.capabilities.drop != ["ALL"]) | breach("keeps capabilities") ),
          ( select((.resources.limits.memory and .resources.requests.memory and .resources.requests.cpu) | not) | breach("has no bounds of memory, or asks for nothing") ),
          ( (.startupProbe, .readinessProbe, .livenessProbe) | select(.) | .tcpSocket.port | select(. as $port | $ports | index($port) | not) | breach("probes the port \(.), which is none") ) )'
  says "$scratch/kubernetes.json" '.[] | select(.kind == "StatefulSet" and .metadata.labels["app.kubernetes.io/component"] == "coordinator") | (select(.spec.replicas != 1) | "there must be one coordinator"),
    (.spec.template.spec.containers[0] | select((.startupProbe and .readinessProbe and .livenessProbe) | not) | "the coordinator is not probed"),
    (.spec.serviceName as $service | select(.metadata.name != $service) | "StatefulSet: its service is another")'
  says "$scratch/kubernetes.json" ".[] | select(.spec.template) | (if .metadata.labels[\"app.kubernetes.io/component\"] == \"worker\" then $worker_stop_s else $coordinator_stop_s end) as \$stop
    | select((.spec.template.spec.terminationGracePeriodSeconds // 30) <= \$stop) | \"\\(.kind): is killed before its drain timeout and its end are over, \\(\$stop) s\""
  # secrets are named in the page, and the keys that settings name are what the secrets have
  for secret in $(jq -r '.[] | select(.spec.template) | .spec.template.spec.volumes[].projected | select(.) | .sources[].secret.name' "$scratch/kubernetes.json" | sort -u); do
    grep -q "create secret [a-z]* $secret " "$deploy/kubernetes/README.md" || breach "kubernetes/README.md does not say how the secret $secret is made"
  done
  jq -r '.[] | select(.kind == "ConfigMap") | .data["catena.yaml"]' "$scratch/kubernetes.json" >"$scratch/settings.yaml"
  CATENA_CONFIG=$scratch/settings.yaml "$catena" config >"$scratch/settings.out" 2>&1 || breach "kubernetes/settings.yaml: $(cat "$scratch/settings.out")"
  port=$(sed -n 's/^  listen: "\(.*\)"/\1/p' "$scratch/settings.out" | sed 's/.*://')
  says "$scratch/kubernetes.json" ".[] | (select(.kind == \"StatefulSet\") | .spec.template.spec.containers[].ports | select(.) | .[].containerPort), (select(.kind == \"Service\") | .spec.ports[].port),
    (select(.kind == \"NetworkPolicy\") | (.spec.ingress // [])[].ports[].port) | select(. != ($port)) | \"port \\(.) is not the port of the settings, $port\""
  if linter kubectl; then
    kubectl kustomize "$deploy/kubernetes" >"$scratch/kustomized" 2>"$scratch/kustomize.err" || breach "kubectl kustomize: $(cat "$scratch/kustomize.err")"
  fi
}

# ---- pages -----------------------------------------------------------------------------------------------------------

check_pages() {
  "$catena" --help >"$scratch/help"
  sed -n 's/^    //p;s/.*`\(catena [^`]*\)`.*/\1/p' "$deploy"/*.md "$deploy/kubernetes/README.md" "$root/docs/cluster.md" "$root/deploy/systemd"/*.service |
    sed 's/^kubectl .*//' | grep -oE '(^|[ =(])catena [a-z]+( [a-z]+)?' | sed 's/^[ =(]//' | sort -u >"$scratch/commands"
  [ "$(wc -l <"$scratch/commands")" -ge 12 ] || breach "the pages name too few commands for this check to mean something"
  while read -r _ command verb; do
    case $command in on | of | runs | with | is | and) continue ;; esac
    grep -qE "^ +$command( |\$)" "$scratch/help" || breach "a page names \`catena $command${verb:+ $verb}\`, and the binary has no such command"
  done <"$scratch/commands"
  for page in "$deploy/README.md" "$deploy/RUNBOOK.md" "$deploy/kubernetes/README.md"; do
    for link in $(grep -oE '\]\([^)#:]+\)' "$page" | sed 's/^](//;s/)$//'); do
      [ -e "$(dirname "$page")/$link" ] || breach "$page links to $link, which is not there"
    done
  done
}

# ---- monitoring ------------------------------------------------------------------------------------------------------

# Rules and dashboards name series that there are, and parts of the runbook that there are.
check_monitoring() {
  monitoring=$deploy/monitoring
  sed -n 's/^| `\([a-z_]*\)`.*/\1/p' "$root/docs/metrics.md" >"$scratch/metrics"
  [ "$(wc -l <"$scratch/metrics")" -ge 20 ] || breach "docs/metrics.md lists too few metrics for this check to mean something"
  : >"$scratch/expressions"
  for dashboard in "$monitoring"/*.json; do
    jq -r '.panels[].targets[].expr' "$dashboard" >>"$scratch/expressions" 2>"$scratch/jq" || breach "${dashboard##*/}: $(cat "$scratch/jq")"
  done
  sed -n 's/^ *expr: //p' "$monitoring/alerts.yml" >>"$scratch/expressions"
  for series in $(grep -oE '(catena|process)_[a-z_]+' "$scratch/expressions" | sed -E 's/_(bucket|sum|count)$//' | sort -u); do
    grep -qx "$series" "$scratch/metrics" || breach "deploy/monitoring names the series $series, which there is not"
  done
  sed -n 's/^#\+ //p' "$deploy/RUNBOOK.md" | tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9\n-' >"$scratch/anchors"
  for anchor in $(sed -n 's/^ *runbook: RUNBOOK.md#//p' "$monitoring/alerts.yml"); do
    grep -qx -- "$anchor" "$scratch/anchors" || breach "alerts.yml names RUNBOOK.md#$anchor, which is not there"
  done
  if linter promtool; then
    promtool check rules "$monitoring/alerts.yml" >"$scratch/rules" 2>&1 || breach "promtool check rules: $(cat "$scratch/rules")"
    promtool test rules "$monitoring/alerts.test.yml" >"$scratch/rules" 2>&1 || breach "promtool test rules: $(cat "$scratch/rules")"
  fi
}

for part in ${CATENA_DEPLOY_PARTS:-settings scripts units image compose kubernetes pages monitoring}; do
  check_"$part"
done

if [ -s "$breaches" ]; then
  cat "$breaches" >&2
  exit 1
fi
