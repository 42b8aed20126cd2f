#!/bin/sh
# deploy_test.sh tells each of these breaches: a check that cannot fail checks nothing.
#   deploy_finds_breaches_test.sh CATENA YAML_JSON ROOT
set -eu
root=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
count=0

# finds PART FILE SED TOLD: with the file changed so, that part of the test fails and says that
finds() {
  part=$1
  shift
  count=$((count + 1))
  rm -rf "$scratch/tree"
  mkdir -p "$scratch/tree/docs" "$scratch/tree/cli/processes"
  cp -r "$root/deploy" "$root/.dockerignore" "$root/CMakeLists.txt" "$scratch/tree/"
  cp "$root/docs/cluster.md" "$root/docs/metrics.md" "$scratch/tree/docs/"
  cp "$root/cli/processes/daemon.hpp" "$scratch/tree/cli/processes/"
  sed "$2" "$root/$1" >"$scratch/tree/$1"
  if cmp -s "$root/$1" "$scratch/tree/$1"; then
    failures=$((failures + 1))
    echo "$1: '$2' changes nothing" >&2
  elif CATENA_DEPLOY_PARTS=$part "$root/tests/house/deploy_test.sh" "$catena" "$yaml_json" "$scratch/tree" >"$scratch/out" 2>&1; then
    failures=$((failures + 1))
    echo "$1: '$2' is not found" >&2
  elif ! grep -qF -- "$3" "$scratch/out"; then
    failures=$((failures + 1))
    printf "%s: '%s' is not told as: %s\nbut as:\n%s\n" "$1" "$2" "$3" "$(cat "$scratch/out")" >&2
  fi
}

catena=$1
yaml_json=$2
export CATENA_LINTERS=no

finds settings deploy/catena.example.yaml 's/7420/7421/' '-  listen: "127.0.0.1:7421"'
finds scripts deploy/install-dependencies.sh 's/^set -eu$/if/' 'is no shell script'

finds monitoring deploy/monitoring/alerts.yml 's/catena_slots == 0/catena_places == 0/' 'names the series catena_places, which there is not'
finds monitoring deploy/monitoring/overview.json 's/catena_workers_lost_total/catena_workers_gone_total/' 'names the series catena_workers_gone_total'
finds monitoring deploy/monitoring/internals.json 's/catena_http_streams/catena_http_rivers/' 'names the series catena_http_rivers'
finds monitoring deploy/monitoring/alerts.yml 's/#join-a-worker/#hire-a-worker/' 'names RUNBOOK.md#hire-a-worker, which is not there'

unit=deploy/systemd/catena-worker.service
finds units $unit 's/^Type=notify/Type=simple/' 'worker: not Type=notify'
finds units $unit 's/^TimeoutStopSec=.*/TimeoutStopSec=50/' 'must be more than the drain timeout and the end together, 50 s'
finds units $unit 's/^KillMode=.*//' 'tools would be told to stop'
finds units $unit 's/^User=.*/User=catena/' 'are the same user'
finds units $unit 's/^User=.*/User=nobody/' "no sysusers line makes the user 'nobody'"
finds units $unit 's/^Restart=.*/Restart=always/' 'would be started again'
finds settings $unit 's/CATENA_WORKER__CACHE_DIR/CATENA_WORKER__CACHE_DIRECTORY/' 'CATENA_WORKER__CACHE_DIRECTORY, which is no setting'
finds units deploy/systemd/catena-coordinator.service 's/^TimeoutStopSec=.*/TimeoutStopSec=30/' 'must be more than the drain timeout and the end together, 30 s'
finds units deploy/systemd/catena-coordinator.service 's/catena coordinator --/catena head --/' 'the unit starts something else'
finds units deploy/systemd/catena.tmpfiles.conf 's/0400/0444/' 'keeps the keys'

finds image deploy/Dockerfile 's/debian:12-slim AS/debian:latest AS/' 'the base is not debian:12-slim: debian:latest'
finds image deploy/Dockerfile 's/^USER .*/USER root/' 'is not root: "root"'
finds image deploy/Dockerfile '/^USER /d' 'is not root: ""'
finds image deploy/Dockerfile 's/^ENTRYPOINT .*/ENTRYPOINT catena/' 'ENTRYPOINT goes through a shell'
finds image deploy/Dockerfile 's/ --no-install-recommends//' 'installs what is recommended'
finds image deploy/Dockerfile '/libre2-9/d' 'but libre2-9 is not installed'
finds image deploy/Dockerfile 's/^      tini/      libncurses6 \\\n&/' 'installs libncurses6, which nothing is linked with'
finds image .dockerignore 's/^!engine//' "'engine' is not let into the build"
finds image .dockerignore '/key$/d' 'may get into an image'

compose=deploy/compose.yaml
finds compose $compose 's/catena:0.1.0/catena:latest/' 'its image has no version'
finds compose $compose 's/  user: "10001:10001"//' 'service worker1: runs as root'
finds compose $compose 's/  cap_drop: .*//' 'keeps capabilities'
finds compose $compose 's/  read_only: true//' 'may write to its image'
finds compose $compose 's/stop_grace_period: 65s/stop_grace_period: 50s/' 'is killed before its drain timeout and its end are over, 50 s'
finds compose $compose 's/^  certs-worker2:$//' 'mounts the volume certs-worker2, which is not declared'
finds compose $compose 's|certs-worker2:/certs:ro|certs-worker2:/certs|' 'may write its keys'
finds compose $compose 's|certs-worker2:/certs:ro|authority:/certs:ro|' 'sees the key of the CA'
finds compose $compose 's/worker1.key/worker9.key/' 'nobody makes worker1/worker9.key'
finds compose $compose 's/CATENA_WORKER__NAME: worker3/CATENA_WORKER__NAME: worker2/' 'not three workers of three names'

coordinator=deploy/kubernetes/coordinator.yaml
workers=deploy/kubernetes/workers.yaml
finds kubernetes $coordinator 's/terminationGracePeriodSeconds: 45/terminationGracePeriodSeconds: 30/' 'is killed before its drain timeout and its end are over, 30 s'
finds kubernetes $coordinator 's/replicas: 1/replicas: 2/' 'there must be one coordinator'
finds kubernetes $coordinator 's/runAsNonRoot: true//' 'may run as root'
finds kubernetes $coordinator 's/readOnlyRootFilesystem: true//' 'may write to its image'
finds kubernetes $coordinator 's/tcpSocket: {port: link}/tcpSocket: {port: http}/' 'probes the port http, which is none'
finds kubernetes $coordinator 's/livenessProbe/lifeProbe/' 'the coordinator is not probed'
finds kubernetes $coordinator 's/configMap: {name: catena-settings}/configMap: {name: settings}/' 'there is no ConfigMap settings'
finds kubernetes $coordinator 's/name: chains, mountPath/name: store, mountPath/' 'mounts the volume store, which is none'
finds kubernetes $coordinator 's/containerPort: 7420/containerPort: 7421/' 'port 7421 is not the port of the settings'
finds kubernetes $workers 's/catena:0.1.0/catena/' 'its image has no version'
finds kubernetes $workers 's/terminationGracePeriodSeconds: 65/terminationGracePeriodSeconds: 50/' 'is killed before its drain timeout and its end are over, 50 s'
finds kubernetes $workers 's/limits: {memory: 2Gi}//' 'has no bounds of memory'
finds kubernetes $workers 's/{sizeLimit: 4Gi}/{}/' 'tmp may fill the disk'
finds kubernetes $workers 's/catena-worker-tls/catena-tls/' 'does not say how the secret catena-tls is made'
finds kubernetes deploy/kubernetes/workers-budget.yaml 's/component: worker/component: tools/' 'PodDisruptionBudget catena-workers: selects no pod'
finds kubernetes deploy/kubernetes/network.yaml 's/matchLabels: {app.kubernetes.io\/name: catena, app.kubernetes.io\/component: coordinator}/matchLabels: {a: b}/' \
  'StatefulSet catena-coordinator: has no network policy'
finds kubernetes deploy/kubernetes/coordinator-service.yaml 's/^  selector: .*/  selector: {app: catena}/' 'Service catena-coordinator: selects no pod'
finds kubernetes deploy/kubernetes/coordinator-service.yaml 's/^apiVersion: v1/apiVersion: v2/' 'v2 is not its version'
finds kubernetes deploy/kubernetes/kustomization.yaml 's/  - network.yaml//' 'kustomization.yaml leaves out network.yaml'
finds kubernetes deploy/kubernetes/settings.yaml 's/token_file/tokenfile/' "there is no option 'cluster.tokenfile'"

finds pages deploy/RUNBOOK.md 's/catena cordon/catena fence/' 'a page names `catena fence'
finds pages deploy/RUNBOOK.md 's|(README.md)|(READYOU.md)|' 'which is not there'

[ "$failures" -eq 0 ] || echo "$failures of $count" >&2
[ "$failures" -eq 0 ]
