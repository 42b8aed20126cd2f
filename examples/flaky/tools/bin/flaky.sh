#!/bin/sh
# Reads {"failures": n} on stdin; fails for now (exit code 75) in each of the first n attempts.
set -eu
failures=$(sed -n 's/.*"failures": *\([0-9][0-9]*\).*/\1/p')
if [ "$CATENA_ATTEMPT" -le "${failures:-0}" ]; then
  echo "attempt $CATENA_ATTEMPT of $CATENA_IDEMPOTENCY_KEY is one of the $failures that fail" >&2
  exit 75
fi
echo "{\"attempts\": $CATENA_ATTEMPT}"
