#!/usr/bin/env bash
# openapi_test.sh CATENA ROOT SCRATCH
# The OpenAPI document passes a linter, and types are made from it that compile; the types of the TypeScript client are those of its source. The tools
# come from npm, in the versions of tests/openapi/package-lock.json, into SCRATCH. Exits with 77 where they cannot be had.
set -euo pipefail
catena=$1 root=$2 scratch=$3
here=$root/tests/openapi

command -v npm >/dev/null && command -v node >/dev/null || { echo "skipped: there is no npm" && exit 77; }
mkdir -p "$scratch"
cp "$here"/* "$scratch"
if ! cmp -s "$here/package-lock.json" "$scratch/installed-lock.json"; then
  # one try: where there is no network npm would try for minutes
  npm --prefix "$scratch" ci --no-audit --no-fund --fetch-retries=0 --fetch-timeout=60000 >"$scratch/npm.log" 2>&1 || { echo "skipped: npm ci: $(tail -n 3 "$scratch/npm.log")" && exit 77; }
  cp "$here/package-lock.json" "$scratch/installed-lock.json"
fi
cd "$scratch"
bin=$scratch/node_modules/.bin

"$catena" openapi >openapi.json
node lint.mjs openapi.json
"$bin/openapi-typescript" openapi.json -o types.ts >types.log 2>&1 || { cat types.log >&2 && exit 1; }
"$bin/tsc" --noEmit --strict --target es2022 --moduleResolution bundler --module es2022 --types node types.ts use.ts

# a document that is wrong is found to be
jq 'del(.components.schemas.Chain)' openapi.json >wrong.json
if node lint.mjs wrong.json >wrong.log 2>&1; then echo "the linter takes a reference that leads nowhere" >&2 && exit 1; fi

# the types of the client are made from it
cp "$root/clients/typescript/catena.mjs" .
"$bin/tsc" catena.mjs --allowJs --checkJs --strict --declaration --emitDeclarationOnly --target es2022 --module nodenext --types node --outDir made
cmp made/catena.d.mts "$root/clients/typescript/catena.d.mts" || { echo "catena.d.mts is not that of catena.mjs: make it anew with npm run types" >&2 && exit 1; }
