-- For wrk: posts BODY, and counts answers in which EXPECTED does not stand.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = os.getenv("BODY")
local expected = os.getenv("EXPECTED")
local threads = {}
wrong = 0

function setup(thread) table.insert(threads, thread) end
function response(status, headers, body)
  if status < 200 or status > 299 or not body:find(expected, 1, true) then wrong = wrong + 1 end
end
function done(summary)
  local failed = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  for _, thread in ipairs(threads) do failed = failed + thread:get("wrong") end
  io.write(string.format("answers %d wrong %d microseconds %d\n", summary.requests, failed, summary.duration))
end
