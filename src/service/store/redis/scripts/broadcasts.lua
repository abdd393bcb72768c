#!lua name=callweave_broadcasts_1
-- version: 3
--
-- Broadcasts, the numbers never to be called, and the right to dial, each in one step. The rules of `functions.lua` hold
-- here, too: all keys of a function begin with its tag, and a function may be called twice.
-- A number is in one of three places: due (`again`, `new`, or for a while `held` by the node that reads ahead), `calling`
-- (number → node), or done (in neither).

local function call(...) return redis.call(...) end
local function base(keys, args) return keys[1] .. ':broadcast:' .. args[1] end
local function padded(number) return string.format('%09d', tonumber(number)) end

local function read(key, number)
  local text = call('HGET', key .. ':rows', tostring(tonumber(number)))
  return text and cjson.decode(text)
end
local function write(key, row) call('HSET', key .. ':rows', tostring(row.n), cjson.encode(row)) end

local function into_queue(key, row)
  call('ZADD', key .. (row.a > 0 and ':again' or ':new'), row.d, padded(row.n))
end
local function out_of_queue(key, row)
  call('ZREM', key .. ':again', padded(row.n))
  call('ZREM', key .. ':new', padded(row.n))
  call('ZREM', key .. ':held', padded(row.n))
end

local function tally(key, code, reason, numbers, calls)
  if numbers > 0 then call('HINCRBY', key .. ':tally', code .. ' ' .. reason, numbers) end
  if calls > 0 then call('HINCRBY', key .. ':head', 'calls', calls) end
end

-- Creation: the head, then the numbers in slices. What was begun and not finished is gone after an hour. Once it is ready it
-- is made, whoever dies: its receipt is written, then it is whole.

local UNFINISHED_MS = 3600000
local PARTS = { 'head', 'changes', 'rows', 'again', 'new', 'held', 'calling', 'tally', 'unsent' }

local function begin(keys, args)
  local key = base(keys, args)
  local token = call('HGET', key .. ':head', 'token')
  if token then return token == args[2] and 'OK' or 'EXISTS' end
  call('HSET', key .. ':head', 'token', args[2], 'whole', '0', 'state', 'initiated', 'broadcast', args[3], 'calls', '0')
  call('PEXPIRE', key .. ':head', UNFINISHED_MS)
  return 'OK'
end

-- id, atMs, the first number, then phone and input ('' for none) of each.
local function add(keys, args)
  local key, number = base(keys, args), tonumber(args[3])
  for at = 4, #args, 2 do
    local row = { n = number, p = args[at], s = 'queued', a = 0, d = tonumber(args[2]), t = tonumber(args[2]) }
    if args[at + 1] ~= '' then row.i = args[at + 1] end
    if call('HSETNX', key .. ':rows', tostring(number), cjson.encode(row)) == 1 then into_queue(key, row) end
    number = number + 1
  end
  call('PEXPIRE', key .. ':rows', UNFINISHED_MS)
  call('PEXPIRE', key .. ':new', UNFINISHED_MS)
  return 'OK'
end

-- What is to be sent, until it is in the lines of its receivers: each as its node, a line feed and a delivery.
local function to_send(key, args, from)
  for at = from, #args do call('RPUSH', key .. ':unsent', args[at]) end
end

-- id, how many numbers, who makes it, the receipt or '', what is to be sent.
local function ready(keys, args)
  local key = base(keys, args)
  local whole = call('HGET', key .. ':head', 'whole')
  if not whole then return 'NONE' end
  if whole ~= '0' then return 'OK' end
  call('HSET', key .. ':head', 'numbers', args[2], 'maker', args[3], 'receipt', args[4])
  call('HSET', key .. ':head', 'whole', args[4] == '' and '1' or 'ready')
  for _, part in ipairs(PARTS) do call('PERSIST', key .. ':' .. part) end
  to_send(key, args, 5)
  return 'OK'
end

local function complete(keys, args)
  local key = base(keys, args)
  if call('HGET', key .. ':head', 'whole') == 'ready' then
    call('HSET', key .. ':head', 'whole', '1')
    call('HDEL', key .. ':head', 'receipt')
  end
  return 'OK'
end

local function whole(key) return call('HGET', key .. ':head', 'whole') == '1' end

-- id, token, state, '1' where it ends, members of the state as one JSON text, what is to be sent.
local function change(keys, args)
  local key = base(keys, args)
  if not whole(key) then return 'NONE' end
  local before = call('HMGET', key .. ':head', 'ended', 'change', 'state')
  if before[2] == args[2] then return 'OK' end
  if before[1] then return 'OVER' end
  -- Another node has begun it, or stopped it.
  if args[3] == 'running' and before[3] ~= 'initiated' then return 'OK' end
  call('HSET', key .. ':head', 'change', args[2], 'state', args[3])
  call('RPUSH', key .. ':changes', args[5])
  if args[4] == '1' then call('HSET', key .. ':head', 'ended', '1') end
  to_send(key, args, 6)
  return 'OK'
end

-- id, what is in the lines of its receivers.
local function sent(keys, args)
  for at = 2, #args do call('LREM', base(keys, args) .. ':unsent', 1, args[at]) end
  return 'OK'
end

-- What may have been left half done.
local function left(keys, args)
  local key = base(keys, args)
  local head = call('HMGET', key .. ':head', 'whole', 'maker', 'receipt', 'ended')
  return { head[1] or '', head[2] or '', head[3] or '', head[4] or '', call('LRANGE', key .. ':unsent', 0, -1) }
end

-- id, and 'ready' for one that is not whole yet, too.
local function find(keys, args)
  local key = base(keys, args)
  if not whole(key) and args[2] ~= 'ready' then return false end
  local head = call('HMGET', key .. ':head', 'broadcast', 'numbers')
  return head[1] and { head[1], head[2] or '0', call('LRANGE', key .. ':changes', 0, -1) }
end

-- Numbers

local function freed(key, nowMs)
  for _, member in ipairs(call('ZRANGEBYSCORE', key .. ':held', '-inf', nowMs, 'LIMIT', 0, 1000)) do
    call('ZREM', key .. ':held', member)
    local row = read(key, member)
    if row and row.s == 'queued' then into_queue(key, row) end
  end
end

local function redis_ms()
  local time = call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- id, nowMs, limit, for how long they are held for the node that asks.
local function due(keys, args)
  local key, limit, holdMs = base(keys, args), tonumber(args[3]), tonumber(args[4])
  local found = {}
  if not whole(key) then return found end
  freed(key, redis_ms())
  for _, queue in ipairs({ ':again', ':new' }) do
    if #found >= limit then break end
    for _, member in ipairs(call('ZRANGEBYSCORE', key .. queue, '-inf', args[2], 'LIMIT', 0, limit - #found)) do
      found[#found + 1] = call('HGET', key .. ':rows', tostring(tonumber(member)))
      if holdMs > 0 then
        call('ZREM', key .. queue, member)
        call('ZADD', key .. ':held', redis_ms() + holdMs, member)
      end
    end
  end
  return found
end

-- id, numbers that were read ahead and are not called by this node.
local function let_go(keys, args)
  local key = base(keys, args)
  for at = 2, #args do
    local row = read(key, args[at])
    if call('ZREM', key .. ':held', padded(args[at])) == 1 and row and row.s == 'queued' then into_queue(key, row) end
  end
  return 'OK'
end

local function next_due(keys, args)
  local key = base(keys, args)
  local least
  if not whole(key) then return false end
  for _, queue in ipairs({ ':again', ':new', ':held' }) do
    local first = call('ZRANGE', key .. queue, 0, 0, 'WITHSCORES')
    if first[2] and (not least or tonumber(first[2]) < least) then least = tonumber(first[2]) end
  end
  return least and string.format('%.0f', least) or false
end

-- id, number, call, atMs, node. '1' also for the call that has it.
local function claim(keys, args)
  local key = base(keys, args)
  local row = whole(key) and read(key, args[2])
  if not row then return '0' end
  if row.s == 'calling' then return row.c == args[3] and '1' or '0' end
  if row.s ~= 'queued' or call('HGET', key .. ':head', 'ended') then return '0' end
  if call('HGET', key .. ':head', 'state') == 'stopped' then return '0' end
  out_of_queue(key, row)
  row.s, row.a, row.l, row.c, row.t = 'calling', row.a + 1, row.c, args[3], tonumber(args[4])
  call('HSET', key .. ':calling', tostring(row.n), args[5])
  write(key, row)
  return '1'
end

-- What a node that was taken for lost says of a number that another has now is not heard.
local function is_of(key, row, node) return call('HGET', key .. ':calling', tostring(row.n)) == node end

-- id, number, node.
local function release(keys, args)
  local key = base(keys, args)
  local row = read(key, args[2])
  if not row or row.s ~= 'calling' or not is_of(key, row, args[3]) then return 'OK' end
  row.s, row.a, row.c, row.l = 'queued', row.a - 1, row.l, nil
  call('HDEL', key .. ':calling', tostring(row.n))
  write(key, row)
  into_queue(key, row)
  return 'OK'
end

-- The last call, as JSON: c call, an answered, en ended, ab who answered, o output.
local function with_call(row, text)
  local last = cjson.decode(text)
  row.l, row.an, row.en, row.ab, row.o = nil, last.an, last.en, last.ab, last.o
  if last.c then row.c = last.c end
end

-- id, number, last call, code, reason, cause, dueMs, atMs, node.
local function requeue(keys, args)
  local key = base(keys, args)
  local row = read(key, args[2])
  if not row or row.s ~= 'calling' or not is_of(key, row, args[9]) then return 'OK' end
  with_call(row, args[3])
  row.s, row.r, row.d, row.t = 'queued', { args[4], args[5], args[6] }, tonumber(args[7]), tonumber(args[8])
  call('HDEL', key .. ':calling', tostring(row.n))
  write(key, row)
  into_queue(key, row)
  tally(key, '', '', 0, 1)
  return 'OK'
end

-- id, number, last call or '', code, reason, cause, atMs, node, '1' where that is another one, which is lost.
local function settle(keys, args)
  local key = base(keys, args)
  local row = read(key, args[2])
  if not row or row.s == 'done' then return 'OK' end
  local was_calling = row.s == 'calling'
  if was_calling and not is_of(key, row, args[8]) then return 'OK' end
  if args[9] == '1' and not was_calling then return 'OK' end
  if was_calling or args[3] ~= '' then with_call(row, args[3] ~= '' and args[3] or '{}') end
  if was_calling then call('HDEL', key .. ':calling', tostring(row.n)) else out_of_queue(key, row) end
  row.s, row.i, row.r, row.t = 'done', nil, { args[4], args[5], args[6] }, tonumber(args[7])
  write(key, row)
  tally(key, args[4], args[5], 1, was_calling and 1 or 0)
  return 'OK'
end

-- id, code, reason, cause, atMs, most.
local function settle_queued(keys, args)
  local key, most, count = base(keys, args), tonumber(args[6]), 0
  for _, queue in ipairs({ ':again', ':new', ':held' }) do
    if count >= most then break end
    for _, member in ipairs(call('ZRANGE', key .. queue, 0, most - count - 1)) do
      call('ZREM', key .. queue, member)
      local row = read(key, member)
      if row and row.s == 'queued' then
        row.s, row.i, row.t, row.r = 'done', nil, tonumber(args[5]), row.r or { args[2], args[3], args[4] }
        write(key, row)
        tally(key, row.r[1], row.r[2], 1, 0)
        count = count + 1
      end
    end
  end
  return count
end

-- id, limit. Each with the node that calls it.
local function calling(keys, args)
  local key = base(keys, args)
  local nodes, numbers, found = {}, {}, {}
  local all = call('HGETALL', key .. ':calling')
  for at = 1, #all, 2 do
    numbers[#numbers + 1] = tonumber(all[at])
    nodes[tonumber(all[at])] = all[at + 1]
  end
  table.sort(numbers)
  for at = 1, math.min(#numbers, tonumber(args[2])) do
    found[#found + 1] = { call('HGET', key .. ':rows', tostring(numbers[at])), nodes[numbers[at]] }
  end
  return found
end

-- id: the nodes that call numbers of it.
local function callers(keys, args)
  local seen, found = {}, {}
  for _, node in ipairs(call('HVALS', base(keys, args) .. ':calling')) do
    if not seen[node] then found[#found + 1] = node end
    seen[node] = true
  end
  return found
end

local function counts(keys, args)
  local key = base(keys, args)
  if not whole(key) then return false end
  local head = call('HMGET', key .. ':head', 'numbers', 'calls')
  return { head[1], head[2], call('HLEN', key .. ':calling'), call('HGETALL', key .. ':tally') }
end

-- id, from, to: rows as they are, in order.
local function rows(keys, args)
  local key, wanted = base(keys, args), {}
  if not whole(key) then return {} end
  for number = tonumber(args[2]), tonumber(args[3]) do wanted[#wanted + 1] = tostring(number) end
  return #wanted > 0 and call('HMGET', key .. ':rows', unpack(wanted)) or {}
end

local function remove(keys, args)
  local key = base(keys, args)
  for _, part in ipairs(PARTS) do call('UNLINK', key .. ':' .. part) end
  return 'OK'
end

-- Which there are: those that are not over, those that are, by their end, and all of a project, in the order in which they
-- were made.

-- id, project or '' for one that is not whole yet.
local function index(keys, args)
  local tag = keys[1]
  local number = call('ZSCORE', tag .. ':broadcasts:open', args[1])
  if not number then
    number = call('INCR', tag .. ':broadcasts:last')
    call('ZADD', tag .. ':broadcasts:open', number, args[1])
  end
  if args[2] ~= '' then call('ZADD', tag .. ':broadcasts:of:' .. args[2], number, args[1]) end
  return 'OK'
end

-- id, endedMs.
local function index_end(keys, args)
  call('ZREM', keys[1] .. ':broadcasts:open', args[1])
  call('ZADD', keys[1] .. ':broadcasts:ended', args[2], args[1])
  return 'OK'
end

-- id, project or '' for one that was never whole.
local function unindex(keys, args)
  call('ZREM', keys[1] .. ':broadcasts:open', args[1])
  call('ZREM', keys[1] .. ':broadcasts:ended', args[1])
  if args[2] ~= '' then call('ZREM', keys[1] .. ':broadcasts:of:' .. args[2], args[1]) end
  return 'OK'
end

-- Numbers never to be called: project, atMs, keys.

local function refuse(keys, args)
  local key, added = keys[1] .. ':refused:' .. args[1], 0
  for at = 3, #args do
    if call('HSETNX', key, args[at], args[2]) == 1 then
      added = added + 1
      call('ZADD', key .. ':order', 0, args[at])
    end
  end
  return added
end

local function unrefuse(keys, args)
  local key = keys[1] .. ':refused:' .. args[1]
  call('ZREM', key .. ':order', args[2])
  return call('HDEL', key, args[2])
end

-- The right to dial. Lanes from the service down to the broadcast: name, calls per second, calls at once, and how many of
-- them the node that asks has. Time is that of Redis. What a node says of its calls holds for three seconds.

local BURST_US, KNOWN_US, WANTS_US, RESERVE = 100000, 3000000, 1500000, 0.2
-- What nodes that have work could not use in time, as they stood still or were lost, is made up for: as much as is due in this
-- time, and by calls that come a tenth faster than they should.
local MADE_UP_US, FASTER = 2000000, 1.1

local function redis_us()
  local time = call('TIME')
  return tonumber(time[1]) * 1000000 + tonumber(time[2])
end

local function with_prefix(text, prefix) return string.sub(text, 1, #prefix) == prefix end

-- Calls of all nodes, and how many children have work.
local function look(key, now)
  local all, calls, busy = call('HGETALL', key), 0, 0
  local tat, near, asked = 0, 0, 0
  for at = 1, #all, 2 do
    local name, value = all[at], all[at + 1]
    if name == 'tat' then tat = tonumber(value)
    elseif name == 'near' then near = tonumber(value)
    elseif name == 'asked' then asked = tonumber(value)
    elseif with_prefix(name, 'node ') then
      local count, untilUs = string.match(value, '^(%d+) (%d+)$')
      if tonumber(untilUs) > now then calls = calls + tonumber(count) else call('HDEL', key, name) end
    elseif with_prefix(name, 'child ') then
      if tonumber(value) > now then busy = busy + 1 else call('HDEL', key, name) end
    end
  end
  return { key = key, tat = tat, near = near, asked = asked, calls = calls, busy = busy }
end

-- node, most, then the lanes. Returns how many calls may begin now, and in how many ms to ask again where it is none.
local function grant(keys, args)
  local node, most, now = args[1], tonumber(args[2]), redis_us()
  local granted, wait = most, 0
  local lanes = {}
  for at = 3, #args, 4 do
    local key = keys[1] .. ':lane:' .. args[at]
    call('HSET', key, 'node ' .. node, string.format('%d %.0f', tonumber(args[at + 3]), now + KNOWN_US))
    call('PEXPIRE', key, 60000)
    local parent = lanes[#lanes]
    if parent and most > 0 then call('HSET', parent.key, 'child ' .. args[at], string.format('%.0f', now + WANTS_US)) end
    local lane = look(key, now)
    lane.own, lane.interval = tonumber(args[at + 3]), tonumber(args[at + 1]) > 0 and 1000000 / tonumber(args[at + 1]) or 0
    lane.most = tonumber(args[at + 2]) > 0 and tonumber(args[at + 2]) or math.huge
    if parent then
      parent.busy = math.max(1, look(parent.key, now).busy)
      local limit = math.min(parent.most, parent.share or math.huge)
      if limit < math.huge then
        lane.share = math.ceil(limit / parent.busy)
        local spare = limit - parent.calls - (parent.busy > 1 and math.ceil(limit * RESERVE) or 0)
        granted = math.min(granted, math.max(lane.share - lane.calls, spare))
      end
    end
    granted = math.min(granted, lane.most - lane.calls)
    if lane.interval > 0 then
      local slack = math.max(0, BURST_US - lane.interval)
      lane.tat = math.max(lane.tat, now - lane.asked < MADE_UP_US and now - MADE_UP_US or now)
      lane.near = math.max(lane.near, now)
      for _, each in ipairs({ { lane.tat, lane.interval }, { lane.near, lane.interval / FASTER } }) do
        local open = math.floor((now + slack - each[1]) / each[2]) + 1
        granted = math.min(granted, open)
        if open <= 0 then wait = math.max(wait, each[1] - slack - now) end
      end
      if most > 0 then call('HSET', lane.key, 'asked', string.format('%.0f', now)) end
    end
    lanes[#lanes + 1] = lane
  end
  granted = math.max(0, granted)
  if granted > 0 then
    for _, lane in ipairs(lanes) do
      if lane.interval > 0 then
        local tat, near = lane.tat + granted * lane.interval, lane.near + granted * lane.interval / FASTER
        call('HSET', lane.key, 'tat', string.format('%.0f', tat), 'near', string.format('%.0f', near))
      end
      call('HSET', lane.key, 'node ' .. node, string.format('%d %.0f', lane.own + granted, now + KNOWN_US))
    end
  end
  return { granted, math.ceil(wait / 1000) }
end

local WRITING = {
  { 'cw_b_begin', begin }, { 'cw_b_add', add }, { 'cw_b_ready', ready }, { 'cw_b_complete', complete },
  { 'cw_b_change', change }, { 'cw_b_sent', sent }, { 'cw_b_due', due }, { 'cw_b_let_go', let_go },
  { 'cw_b_claim', claim }, { 'cw_b_release', release }, { 'cw_b_requeue', requeue },
  { 'cw_b_settle', settle }, { 'cw_b_settle_queued', settle_queued }, { 'cw_b_remove', remove },
  { 'cw_b_index', index }, { 'cw_b_index_end', index_end }, { 'cw_b_unindex', unindex },
  { 'cw_refuse', refuse }, { 'cw_unrefuse', unrefuse }, { 'cw_grant', grant },
}
local READING = {
  { 'cw_b_find', find }, { 'cw_b_left', left }, { 'cw_b_next_due', next_due }, { 'cw_b_calling', calling },
  { 'cw_b_callers', callers }, { 'cw_b_counts', counts }, { 'cw_b_rows', rows },
}
for at = 1, #WRITING do redis.register_function(WRITING[at][1], WRITING[at][2]) end
for at = 1, #READING do
  redis.register_function({ function_name = READING[at][1], callback = READING[at][2], flags = { 'no-writes' } })
end
