# Whether an output is what a page says: line by line, where "…" stands for anything and a line of it alone for any line, or for none at the end.
#   awk -v expected_file=FILE -v got_file=FILE -f fits.awk
function line_fits(want, have, parts, n, i, at) {
  n = split(want, parts, "…")
  if (n == 1) return want == have
  if (substr(have, 1, length(parts[1])) != parts[1]) return 0
  have = substr(have, length(parts[1]) + 1)
  for (i = 2; i < n; i++) {
    at = index(have, parts[i])
    if (at == 0) return 0
    have = substr(have, at + length(parts[i]))
  }
  return length(have) >= length(parts[n]) && substr(have, length(have) - length(parts[n]) + 1) == parts[n]
}
BEGIN {
  while ((getline line <expected_file) > 0) expected[++wanted] = line
  while ((getline line <got_file) > 0) got[++had] = line
  for (i = 1; i <= wanted; i++) {
    if (i == wanted && expected[i] == "…") exit 0
    if (i > had || !line_fits(expected[i], got[i])) exit 1
  }
  exit had > wanted
}
