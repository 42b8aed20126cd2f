#!/bin/sh
# The packages that the install script knows are those that docs/dependencies.md names, no more and no fewer.
set -eu
root=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$root/deploy/install-dependencies.sh" --list | sort >"$scratch/script"
# rows of its tables: | `package` | …
sed -n 's/^| `\([^`]*\)` |.*/\1/p' "$root/docs/dependencies.md" | sort >"$scratch/page"

if ! diff -u --label docs/dependencies.md --label deploy/install-dependencies.sh "$scratch/page" "$scratch/script"; then
  echo "docs/dependencies.md and deploy/install-dependencies.sh do not name the same packages" >&2
  exit 1
fi
