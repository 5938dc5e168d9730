-- Requests for wrk: LOAD_KIND echo, unify, status, create, verify (creates and checks in turn) or mix (LOAD_STATUS_PERCENT of them status, the rest unify);
-- LOAD_RUN: counts the runs on one server, so that each has numbers of its own; LOAD_TOKEN; LOAD_IDS a file of correlation ids, one a line;
-- LOAD_LAG: how many creates a thread sends before its first check. It prints the counts of wrk as one line of JSON.
local kind = os.getenv("LOAD_KIND") or "get"
local percent = tonumber(os.getenv("LOAD_STATUS_PERCENT") or "70")
local threads = {}
local statuses = {}
local unify_head, unify_tail
-- A thread sends this many creates between a create and its check, so the check finds the answer.
local lag = tonumber(os.getenv("LOAD_LAG") or "400")

local function post(path, body, token)
  local authorization = token and ("Authorization: Bearer " .. token .. "\r\n") or ""
  return "POST " .. path .. " HTTP/1.1\r\nHost: 127.0.0.1\r\n" .. authorization ..
    "Content-Type: application/json\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
end

function setup(thread)
  thread:set("number", #threads)
  thread:set("unifies", 0)
  thread:set("creates", 0)
  thread:set("checks", 0)
  threads[#threads + 1] = thread
end

function init(args)
  local token = os.getenv("LOAD_TOKEN")
  local mark = string.rep("#", 12)
  local whole = post("/v3/unify",
    '{"possessionType":"mobile","phoneNumber":"2001004014","clientRequestId":"load-' .. mark .. '"}', token)
  local at = whole:find(mark, 1, true)
  unify_head, unify_tail = whole:sub(1, at - 1), whole:sub(at + #mark)
  if os.getenv("LOAD_IDS") then
    for id in io.lines(os.getenv("LOAD_IDS")) do
      statuses[#statuses + 1] = post("/v3/unify-status", '{"correlationId":"' .. id .. '"}', token)
    end
  end
  turn = number
end

local function unify()
  unifies = unifies + 1
  return unify_head .. string.format("%012d", number * 100000000000 + unifies) .. unify_tail
end

local function status()
  turn = turn % #statuses + 1
  return statuses[turn]
end

-- German mobile numbers: a million for each thread of each run.
local run = tonumber(os.getenv("LOAD_RUN") or "0") % 10
local function target(count)
  local digits = string.format("%08d", run * 10000000 + number * 1000000 + count)
  return '"target":{"type":"phone_number","value":"+49151' .. digits .. '"}'
end

local function create()
  creates = creates + 1
  return post("/prelude/v2/verification", "{" .. target(creates) .. ',"options":{"custom_code":"123456"}}',
    "hf_test_sandbox")
end

local function check()
  checks = checks + 1
  return post("/prelude/v2/verification/check", "{" .. target(checks) .. ',"code":"123456"}', "hf_test_sandbox")
end

if kind == "get" then
  request = nil
elseif kind == "echo" then
  local whole = post("/echo", '{"message":"hello","count":3}')
  function request() return whole end
elseif kind == "unify" then
  function request() return unify() end
elseif kind == "create" then
  function request() return create() end
elseif kind == "verify" then
  function request() if creates - checks > lag then return check() else return create() end end
elseif kind == "status" then
  function request() return status() end
else
  function request() if math.random(100) <= percent then return status() else return unify() end end
end

function done(summary, latency, requests)
  local e = summary.errors
  local made = 0
  for _, thread in ipairs(threads) do made = made + thread:get("unifies") + thread:get("creates") end
  io.write(string.format(
    'JSON {"requests":%d,"seconds":%.6f,"made":%d,"wrong":%d,"broken":%d,"p50_us":%d,"p99_us":%d,"p999_us":%d,"max_us":%d}\n',
    summary.requests, summary.duration / 1e6, made, e.status, e.connect + e.read + e.write + e.timeout,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9), latency.max))
end
