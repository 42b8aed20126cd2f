#!/bin/sh
# Answers half of a number. Complains about odd ones.
read -r in
n=$(printf '%s' "$in" | tr -cd '0-9')
[ $((n % 2)) = 0 ] || { echo "$n is odd" >&2; exit 1; }
printf '{"half": %s}' $((n / 2))
