#!/bin/sh
# Launches a compiler that only checks a source (-fsyntax-only), and leaves an empty object behind, by which ninja knows that the source was checked.
#   check_alone.sh FOLDER COMPILER ARGUMENTS… -o OBJECT -c SOURCE
# clang is asked first, where it is there (it comes with clang-tidy): it instantiates the templates of a precompiled header once, and takes half of the time of gcc. What clang does not
# compile is for COMPILER to judge: clang 14 lacks some of C++20. The precompiled headers of clang are FOLDER/NAME.pch; such a one is made where SOURCE is NAME.precompiled.cpp.
set -eu
folder=$1
shift
clang=$(command -v clang++ || command -v clang++-14 || true)

object=
source=
before=
for word; do
  case $before in -o) object=$word ;; -c) source=$word ;; esac
  before=$word
done
makes=
case $source in *.precompiled.cpp) makes=${source##*/} makes=$folder/${makes%.precompiled.cpp}.pch ;; esac

# The command without its compiler, in the words of clang. Warnings are for the build with gcc.
ask_clang() {
  shift
  left=$#
  while [ "$left" -gt 0 ]; do
    word=$1
    shift
    left=$((left - 1))
    case $word in
      -fpch-preprocess | -Winvalid-pch | -Werror) ;;
      -c | -o | -fsyntax-only)
        [ "$word" = -fsyntax-only ] || { shift && left=$((left - 1)); }
        ;;
      -include)
        header=$1
        shift
        left=$((left - 1))
        name=${header%.dir/cmake_pch.hxx}
        [ -n "$makes" ] || set -- "$@" -include-pch "$folder/${name##*/}.pch"
        ;;
      *) set -- "$@" "$word" ;;
    esac
  done
  if [ -n "$makes" ]; then
    "$clang" -w "$@" -Xclang -emit-pch -fpch-instantiate-templates -x c++-header "$header" -o "$makes"
  else
    "$clang" -w "$@" -fsyntax-only -c "$source"
  fi
}

if [ -n "$makes" ]; then
  rm -f "$makes"
  if [ -n "$clang" ]; then ask_clang "$@" || echo "clang makes no precompiled header of $header: gcc checks what needs it" >&2; fi
elif [ -z "$clang" ] || ! ask_clang "$@" 2>/dev/null; then
  "$@"
fi
: >"$object"
