#!/usr/bin/env bash
# run.sh WHAT ROOT SCRATCH [CATENA]
#   run.sh dist ROOT SCRATCH            dist is what the sources give, and within its budget
#   run.sh browser ROOT SCRATCH CATENA  the page of a coordinator in Debian's chromium
# The tools come from npm, in the versions of web/package-lock.json, into SCRATCH. Exits with 77 where they, or chromium, cannot be had; that dist is not stale is checked all the same.
set -euo pipefail
what=$1 root=$2 scratch=$3 catena=${4:-}
command -v node >/dev/null || { echo "skipped: there is no node" && exit 77; }

[[ $what != dist ]] || node "$root/web/test/stale.mjs"
if [[ $what == browser ]]; then
  export CHROMIUM=${CHROMIUM:-$(command -v chromium || command -v google-chrome || true)}
  [[ -n $CHROMIUM ]] || { echo "skipped: there is no chromium" && exit 77; }
  export CATENA_BINARY=$catena
fi

# Both tests may run at a time: one of them fetches.
mkdir -p "$scratch"
exec 9>"$scratch/lock"
flock 9
rm -rf "$scratch/web"
mkdir "$scratch/web"
cp -r "$root"/web/{src,test,dist,build.mjs,dev.mjs,package.json,package-lock.json,tsconfig.json,.npmrc} "$scratch/web"
if [[ -d $root/web/node_modules ]] && cmp -s "$root/web/package-lock.json" "$root/web/node_modules/.catena-lock.json"; then
  ln -s "$root/web/node_modules" "$scratch/web/node_modules"
else
  if ! cmp -s "$root/web/package-lock.json" "$scratch/installed-lock.json"; then
    command -v npm >/dev/null || { echo "skipped: there is no npm" && exit 77; }
    rm -rf "$scratch/node_modules"
    cp "$root"/web/{package.json,package-lock.json,.npmrc} "$scratch"
    # one try: where there is no network npm would try for minutes
    npm --prefix "$scratch" ci --fetch-retries=0 --fetch-timeout=60000 >"$scratch/npm.log" 2>&1 || { echo "skipped: npm ci: $(tail -n 3 "$scratch/npm.log")" && exit 77; }
    cp "$root/web/package-lock.json" "$scratch/installed-lock.json"
  fi
  ln -s "$scratch/node_modules" "$scratch/web/node_modules"
fi
# what was copied stays until the next run of this one
if [[ $what == browser ]]; then
  rm -rf "$scratch/browser" && cp -r "$scratch/web" "$scratch/browser"
  flock -u 9
  cd "$scratch/browser"
  exec node --test test/*_test.mjs
fi
cd "$scratch/web"
node_modules/.bin/tsc --noEmit
node --test test/dist.mjs
