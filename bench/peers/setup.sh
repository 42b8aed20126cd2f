#!/usr/bin/env bash
# setup.sh HOME: puts the peers of catena into a folder of their own, from npm and from Debian's packages, which are unpacked there and not installed.
# What the machine has already is used as it is. Does nothing where all is there.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=$1
mkdir -p "$home"
home=$(cd "$home" && pwd)
packages="redis-server postgresql-15 parallel python3-distributed wrk"
done_with="$home/.done"
wanted=$(cat "$here/package.json" "$here/setup.sh" | sha256sum)
[ "$(cat "$done_with" 2>/dev/null)" != "$wanted" ] || exit 0

command -v npm >/dev/null || { echo "setup.sh: there is no npm" >&2; exit 1; }
cp "$here/package.json" "$home/"
(cd "$home" && npm install --no-audit --no-fund --no-package-lock --loglevel=error >npm.log 2>&1) || { tail -n 20 "$home/npm.log" >&2; exit 1; }

mkdir -p "$home/debs/partial" "$home/root"
apt() { apt-get -q -y -o APT::Sandbox::User=root -o Dir::Cache::archives="$home/debs" "$@" >>"$home/apt.log" 2>&1; }
if ! apt install --download-only --no-install-recommends $packages; then
  apt update && apt install --download-only --no-install-recommends $packages || { tail -n 20 "$home/apt.log" >&2; exit 1; }
fi
for each in "$home"/debs/*.deb; do
  [ ! -e "$each" ] || dpkg-deb -x "$each" "$home/root"
done
echo "$wanted" >"$done_with"
