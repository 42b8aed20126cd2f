#!/bin/sh
# The commands of a page about several machines, in order, each on its machine, print what the page says. A machine is a network namespace with an
# address and a home folder of its own. A block ```sh machine=NAME is run by `sh -eu` there; a block ```text right behind it is what it prints, see fits.awk.
# Everything happens in namespaces of processes, mounts and networks that end with this script, however it ends.
#   cluster_page_test.sh CATENA ROOT PAGE LEAST_BLOCKS
# Exit code 77: this machine gives no namespaces.
set -eu
if [ -z "${CATENA_PAGE_INSIDE:-}" ]; then
  [ -x /usr/sbin/ip ] && [ -x /usr/bin/jq ] || { echo "needs iproute2 and jq" >&2; exit 77; }
  own="--mount --net --pid --fork --kill-child --mount-proc"
  [ "$(id -u)" -eq 0 ] || own="--user --map-root-user $own"
  # shellcheck disable=SC2086
  unshare $own true 2>/dev/null || { echo "no namespaces here" >&2; exit 77; }
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  # shellcheck disable=SC2086
  CATENA_PAGE_INSIDE=$scratch unshare $own sh "$0" "$@"
  exit
fi

catena=$(realpath "$1") root=$2 page=$3 least=$4 scratch=$CATENA_PAGE_INSIDE
ip=/usr/sbin/ip
mkdir "$scratch/blocks" "$scratch/bin"
mount -t tmpfs none /run
mkdir /run/netns
unset CATENA_CONFIG CATENA_TOOLS CATENA_DATA_DIR XDG_CONFIG_HOME XDG_STATE_HOME CATENA_PAGE_INSIDE || true
ln -s "$catena" "$scratch/bin/catena"
export PATH="$scratch/bin:$PATH" CATENA_MACHINES="$scratch"

# scp -q -r FROM MACHINE:TO
cat >"$scratch/bin/scp" <<'END'
#!/bin/sh
set -eu
while [ "${1#-}" != "$1" ]; do shift; done
cp -r "$1" "$CATENA_MACHINES/${2%%:*}/${2#*:}"
END
chmod +x "$scratch/bin/scp"

$ip link add switch type bridge
$ip link set switch up
host=1
for machine in coordinator worker1 worker2 client; do
  mkdir "$scratch/$machine"
  $ip netns add "$machine"
  $ip link add "port$host" type veth peer name eth0 netns "$machine"
  $ip link set "port$host" master switch up
  $ip -n "$machine" link set lo up
  $ip -n "$machine" addr add "10.74.20.$host/24" dev eth0
  $ip -n "$machine" link set eth0 up
  host=$((host + 1))
done

awk -v folder="$scratch/blocks" '
  /^```sh machine=/ { count++; machine = $2; sub("machine=", "", machine); file = sprintf("%s/%03d.%s.sh", folder, count, machine); kind = "sh"; next }
  /^```text$/ && after { file = sprintf("%s/%03d.%s.expected", folder, count, machine); printf "" >file; kind = "text"; next }
  /^```/ { after = kind == "sh"; if (file != "") close(file); file = ""; kind = ""; next }
  file != "" { print >file; next }
  { after = 0 }' "$page"

fits() { awk -v expected_file="$1" -v got_file="$2" -f "$root/tests/house/fits.awk"; }

blocks=0
for block in "$scratch"/blocks/*.sh; do
  blocks=$((blocks + 1))
  machine=${block%.sh}
  machine=${machine##*.}
  output=${block%.sh}.out
  status=0
  (cd "$scratch/$machine" && HOME="$scratch/$machine" exec timeout 90 "$ip" netns exec "$machine" sh -eu "$block") >"$output" 2>&1 || status=$?
  expected=${block%.sh}.expected
  if [ "$status" -ne 0 ]; then
    echo "exit code $status" >>"$output"
  elif [ ! -e "$expected" ] || fits "$expected" "$output"; then
    continue
  fi
  printf -- '--- this block, on %s\n%s\n--- prints\n%s\n--- and should print\n%s\n' "$machine" "$(cat "$block")" "$(cat "$output")" \
    "$(cat "$expected" 2>/dev/null || true)" >&2
  # what follows stands on it
  for log in "$scratch"/*/*.log; do printf -- '--- %s\n%s\n' "$log" "$(tail -n 30 "$log")" >&2; done
  exit 1
done
[ "$blocks" -ge "$least" ] || { echo "only $blocks blocks were found" >&2; exit 1; }
