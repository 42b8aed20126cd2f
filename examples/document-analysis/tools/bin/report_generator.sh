#!/bin/sh
# stdin {"executive_summary", "document_stats": [{"name", "pages"}, …], "document_count"}; report.md in the directory that this runs in
set -eu
jq -r '"# Analysis of \(.document_count) documents", "",
  (if .executive_summary == "" then "Nothing was analysed." else "• " + .executive_summary end), "",
  (.document_stats[] | "- \(.name): \(.pages) \(if .pages == 1 then "page" else "pages" end)")' >report.md
echo '{"report_file": "report.md"}'
