#!lua name=callweave_1
-- version: 5
--
-- What is done in Redis in one step. Runs on Redis 7.0 and Valkey.
-- Invariants
--  * a key is the tag of a shard, such as `cw:{17}`; all that a function reads and writes begins with that tag, so that it
--    is in one slot. Functions that take many tags do the same for each of them;
--  * a function that is called twice with the same arguments answers the same, and changes nothing the second time: who
--    lost the answer may ask again;
--  * names that begin with `cw_` are kept: a node of an older version may call them while a newer one is being installed.

-- While the library is being loaded there is no `redis.call`.
local function call(...) return redis.call(...) end

-- Ascending, without repetition within a shard: microseconds of Redis' clock, or one more than the last.
local function next_number(tag)
  local time = call('TIME')
  local number = tonumber(time[1]) * 1000000 + tonumber(time[2])
  local last = tonumber(call('HGET', tag .. ':counts', 'number') or '0')
  if number <= last then number = last + 1 end
  call('HSET', tag .. ':counts', 'number', string.format('%d', number))
  return string.format('%d', number)
end

----------------------------------------------------------------------------------------------------------------------
-- Deliveries: a hash each; lists of ids are the lines; what may be sent is in a sorted set by attempts and receiver.

local FIELDS = { 'id', 'project', 'key', 'url', 'receiver', 'created', 'attempts', 'due', 'inLine', 'body' }

local function delivery_key(tag, id) return tag .. ':delivery:' .. id end
local function line_key(tag, key) return tag .. ':line:' .. key end
local function due_key(tag, attempts, receiver) return tag .. ':due:' .. attempts .. ':' .. receiver end
local function sendable_key(tag, receiver) return tag .. ':sendable:' .. receiver end

-- Undefined for what is not known, and for dead letters.
local function waiting(tag, id)
  local read = call('HMGET', delivery_key(tag, id),
    'key', 'url', 'receiver', 'attempts', 'due', 'inLine', 'number', 'partOf', 'waits', 'sendable', 'project', 'dead')
  if not read[1] or read[12] then return nil end
  return {
    id = id, key = read[1], url = read[2], receiver = read[3], attempts = read[4], due = read[5], inLine = read[6] == '1',
    number = read[7], partOf = read[8], waits = read[9], sendable = read[10] == '1', project = read[11],
  }
end

local function member(one) return one.number .. ':' .. one.id end

local function into_due(tag, one)
  call('ZADD', due_key(tag, one.attempts, one.receiver), one.due, member(one))
  call('HINCRBY', sendable_key(tag, one.receiver), one.attempts, 1)
end

local function out_of_due(tag, one)
  call('ZREM', due_key(tag, one.attempts, one.receiver), member(one))
  if call('HINCRBY', sendable_key(tag, one.receiver), one.attempts, -1) <= 0 then
    call('HDEL', sendable_key(tag, one.receiver), one.attempts)
  end
end

local function make_sendable(tag, one)
  if one.sendable then return end
  one.sendable = true
  call('HSET', delivery_key(tag, one.id), 'sendable', '1')
  into_due(tag, one)
end

-- The head of a line may be sent, but for an end that waits for parts. Returns the receiver of the head.
local function promote_head(tag, key)
  local id = call('LINDEX', line_key(tag, key), 0)
  local head = id and waiting(tag, id)
  if not head then return '' end
  if not head.waits then make_sendable(tag, head) end
  return head.receiver
end

local function part_name(whole, url) return whole .. ' ' .. url end

-- Takes it out of its line. Returns the name of its whole where no part is left here, and the receiver of the next head.
local function leave_line(tag, one)
  if not one.inLine then return '', '' end
  call('LREM', line_key(tag, one.key), 1, one.id)
  local left = ''
  if one.partOf then
    local name = part_name(one.partOf, one.url)
    if call('HINCRBY', tag .. ':parts', name, -1) <= 0 then
      call('HDEL', tag .. ':parts', name)
      left = name
    end
  end
  return left, promote_head(tag, one.key)
end

-- Puts one delivery in line, or beside it; '1': it may be sent.
local function put(tag, one)
  local key = delivery_key(tag, one.id)
  call('HSET', key, 'id', one.id, 'project', one.project, 'key', one.key, 'url', one.url, 'receiver', one.receiver,
    'created', one.created, 'attempts', '0', 'due', one.due, 'inLine', one.inLine and '1' or '0', 'number', one.number,
    'body', one.body)
  if one.partOf ~= '' then
    call('HSET', key, 'partOf', one.partOf)
    call('HINCRBY', tag .. ':parts', part_name(one.partOf, one.url), 1)
  end
  if one.waits ~= '' then call('HSET', key, 'waits', one.waits) end
  call('ZADD', tag .. ':waiting', one.number, one.id)
  call('HINCRBY', tag .. ':receivers', one.receiver, 1)
  local isFirst = not one.inLine or call('RPUSH', line_key(tag, one.key), one.id) == 1
  if not isFirst or one.waits ~= '' then return '0' end
  one.attempts, one.sendable = '0', false
  make_sendable(tag, one)
  return '1'
end

-- Takes one out of everything but its hash. Returns as `leave_line`.
local function take(tag, one)
  if one.sendable then out_of_due(tag, one) end
  call('ZREM', tag .. ':waiting', one.id)
  if call('HINCRBY', tag .. ':receivers', one.receiver, -1) <= 0 then call('HDEL', tag .. ':receivers', one.receiver) end
  return leave_line(tag, one)
end

local DELIVERY_ARGS = 9

-- Deliveries from `args[from]` on: id, key, project, url, receiver, created, partOf, waits, body.
local function deliveries_of(args, from)
  local all = {}
  for at = from, #args, DELIVERY_ARGS do
    all[#all + 1] = {
      id = args[at], key = args[at + 1], project = args[at + 2], url = args[at + 3], receiver = args[at + 4],
      created = args[at + 5], due = args[at + 5], partOf = args[at + 6], waits = args[at + 7], body = args[at + 8],
      inLine = true,
    }
  end
  return all
end

-- The first that is known already, if any.
local function known_delivery(tag, all)
  local seen = {}
  for _, one in ipairs(all) do
    if seen[one.id] or call('EXISTS', delivery_key(tag, one.id)) == 1 then return one.id end
    seen[one.id] = true
  end
end

-- A character for each: '1' may be sent, '0' may not, '-' is gone.
local function put_all(tag, all)
  local flags = {}
  for _, one in ipairs(all) do
    one.number = next_number(tag)
    flags[#flags + 1] = put(tag, one)
  end
  return table.concat(flags)
end

local function flags_of(tag, all)
  local flags = {}
  for _, one in ipairs(all) do
    flags[#flags + 1] = call('HGET', delivery_key(tag, one.id), 'sendable')
      or (call('EXISTS', delivery_key(tag, one.id)) == 1 and '0' or '-')
  end
  return table.concat(flags)
end

-- cw_add(tag; deliveries…): those that are known are left as they are.
local function add(keys, args)
  local tag, flags = keys[1], {}
  for _, one in ipairs(deliveries_of(args, 1)) do
    flags[#flags + 1] = call('EXISTS', delivery_key(tag, one.id)) == 1 and flags_of(tag, { one }) or put_all(tag, { one })
  end
  return table.concat(flags)
end

-- cw_delivered(tag; id): { '1', name of a whole without parts here, receiver of the next head }; { '0' }: unknown.
local function delivered(keys, args)
  local one = waiting(keys[1], args[1])
  if not one then return { '0' } end
  local left, head = take(keys[1], one)
  call('DEL', delivery_key(keys[1], one.id))
  return { '1', left, head }
end

-- cw_postpone(tag; id, attempts, dueMs)
local function postpone(keys, args)
  local tag, one = keys[1], waiting(keys[1], args[1])
  if not one then return 0 end
  if one.sendable then out_of_due(tag, one) end
  one.attempts, one.due = args[2], args[3]
  call('HSET', delivery_key(tag, one.id), 'attempts', one.attempts, 'due', one.due)
  if one.sendable then into_due(tag, one) end
  return 1
end

-- cw_aside(tag; id): leaves its line, and is retried beside it.
local function aside(keys, args)
  local tag, one = keys[1], waiting(keys[1], args[1])
  if not one or not one.inLine then return { '0' } end
  call('HSET', delivery_key(tag, one.id), 'inLine', '0')
  call('HDEL', delivery_key(tag, one.id), 'waits', 'partOf')
  local left, head = leave_line(tag, one)
  make_sendable(tag, one)
  return { '1', left, head }
end

local function bury_one(tag, one, dead, cause)
  local left, head = take(tag, one)
  local number = next_number(tag)
  call('HSET', delivery_key(tag, one.id), 'dead', dead, 'cause', cause, 'deadNumber', number, 'inLine', '0')
  call('HDEL', delivery_key(tag, one.id), 'waits', 'partOf', 'sendable')
  call('ZADD', tag .. ':dead', dead, number .. ':' .. one.id)
  call('ZADD', tag .. ':dead:' .. one.project, dead, number .. ':' .. one.id)
  return left, head
end

-- cw_bury(tag; id, deadMs, cause)
local function bury(keys, args)
  local one = waiting(keys[1], args[1])
  if not one then return { '0' } end
  return { '1', bury_one(keys[1], one, args[2], args[3]) }
end

-- cw_overdue(tags…; receiver, deadMs, cause, limit, dueByMs for 0 attempts, for 1 …):
-- { count, receivers of next heads, wholes without parts }
local function overdue(keys, args)
  local receiver, limit, count = args[1], tonumber(args[4]), 0
  local heads, lefts = {}, {}
  for at = 5, #args do
    for _, tag in ipairs(keys) do
      local due = call('ZRANGEBYSCORE', due_key(tag, at - 5, receiver), '-inf', args[at], 'LIMIT', 0, limit - count)
      for _, found in ipairs(due) do
        local left, head = bury_one(tag, waiting(tag, string.match(found, ':(.*)$')), args[2], args[3])
        if head ~= '' then heads[#heads + 1] = head end
        if left ~= '' then lefts[#lefts + 1] = left end
        count = count + 1
      end
      if count >= limit then return { count, heads, lefts } end
    end
  end
  return { count, heads, lefts }
end

-- cw_requeue(tag; id, dueMs, inLine): 1, with its receiver and URL; { 0 }: there is no such dead letter.
local function requeue(keys, args)
  local tag = keys[1]
  local key = delivery_key(tag, args[1])
  local read = call('HMGET', key, 'dead', 'deadNumber', 'project', 'key', 'url', 'receiver', 'created', 'body')
  if not read[1] then return { 0 } end
  call('ZREM', tag .. ':dead', read[2] .. ':' .. args[1])
  call('ZREM', tag .. ':dead:' .. read[3], read[2] .. ':' .. args[1])
  call('DEL', key)
  put(tag, {
    id = args[1], project = read[3], key = read[4], url = read[5], receiver = read[6], created = read[7], due = args[2],
    inLine = args[3] == '1', partOf = '', waits = '', body = read[8], number = next_number(tag),
  })
  return { 1, read[6], read[5] }
end

-- cw_release(tag; id): an end need not wait for parts any longer; 1: it may be sent now.
local function release(keys, args)
  local tag, one = keys[1], waiting(keys[1], args[1])
  if not one or not one.waits then return 0 end
  call('HDEL', delivery_key(tag, one.id), 'waits')
  if one.inLine and call('LINDEX', line_key(tag, one.key), 0) ~= one.id then return 0 end
  make_sendable(tag, one)
  return 1
end

-- cw_await(tag of the ends; id, text): an end waits for parts in other shards. cw_awaited(tag; id): not any longer.
local function await(keys, args) return call('HSET', keys[1] .. ':awaiting', args[1], args[2]) end
local function awaited(keys, args) return call('HDEL', keys[1] .. ':awaiting', args[1]) end

-- cw_serve(tag; receiver, node, from, lastsMs): who sends to a receiver: the node, unless another but `from` does.
-- cw_unserve(tag; receiver, node): it does not any longer.
local function serve(keys, args)
  local key = keys[1] .. ':served:' .. args[1]
  local holder = call('GET', key)
  if holder and holder ~= args[2] and holder ~= args[3] then return holder end
  call('SET', key, args[2], 'PX', args[4])
  return args[2]
end
local function unserve(keys, args)
  local key = keys[1] .. ':served:' .. args[1]
  return call('GET', key) == args[2] and call('DEL', key) or 0
end

-- cw_parts(tags…; name): how many parts are in line.
local function parts(keys, args)
  local count = 0
  for _, tag in ipairs(keys) do count = count + tonumber(call('HGET', tag .. ':parts', args[1]) or '0') end
  return count
end

local function read_delivery(tag, id) return call('HMGET', delivery_key(tag, id), unpack(FIELDS)) end

-- cw_due(tags…; receiver, nowMs, limit, 1: those that were tried most often first): the fields of each, and its number.
local function due(keys, args)
  local receiver, limit, mostTried = args[1], tonumber(args[3]), args[4] == '1'
  local found = {}
  for _, tag in ipairs(keys) do
    for _, attempts in ipairs(call('HKEYS', sendable_key(tag, receiver))) do
      local latest = attempts == '0' and '+inf' or args[2]
      local some = call('ZRANGEBYSCORE', due_key(tag, attempts, receiver), '-inf', latest, 'WITHSCORES', 'LIMIT', 0, limit)
      for at = 1, #some, 2 do
        found[#found + 1] = { tag = tag, member = some[at], due = tonumber(some[at + 1]), attempts = tonumber(attempts) }
      end
    end
  end
  table.sort(found, function(a, b)
    if mostTried and a.attempts ~= b.attempts then return a.attempts > b.attempts end
    if a.due ~= b.due then return a.due < b.due end
    if a.attempts ~= b.attempts then return a.attempts < b.attempts end
    return a.member < b.member
  end)
  local rows = {}
  for at = 1, math.min(limit, #found) do
    local number, id = string.match(found[at].member, '^(%d+):(.*)$')
    local row = read_delivery(found[at].tag, id)
    row[#row + 1] = number
    rows[at] = row
  end
  return rows
end

-- cw_next_due(tags…; receiver, afterMs): of what was tried before; false: none.
local function next_due(keys, args)
  local soonest
  for _, tag in ipairs(keys) do
    for _, attempts in ipairs(call('HKEYS', sendable_key(tag, args[1]))) do
      if attempts ~= '0' then
        local key = due_key(tag, attempts, args[1])
        local first = call('ZRANGEBYSCORE', key, '(' .. args[2], '+inf', 'WITHSCORES', 'LIMIT', 0, 1)[2]
        if first and (not soonest or tonumber(first) < tonumber(soonest)) then soonest = first end
      end
    end
  end
  return soonest or false
end

-- cw_line(tag; key, count): the first of a line.
local function line(keys, args)
  local rows = {}
  for at, id in ipairs(call('LRANGE', line_key(keys[1], args[1]), 0, tonumber(args[2]) - 1)) do
    rows[at] = read_delivery(keys[1], id)
  end
  return rows
end

-- cw_find(tags…; id): the fields of a delivery, and when and why it died.
local function find(keys, args)
  for _, tag in ipairs(keys) do
    local row = read_delivery(tag, args[1])
    if row[1] then
      local dead = call('HMGET', delivery_key(tag, args[1]), 'dead', 'cause')
      row[#row + 1], row[#row + 2] = dead[1], dead[2]
      return { row }
    end
  end
  return {}
end

-- cw_dead(tags…; project, '1': the last first, limit, from deadMs, to deadMs, after number): rows as `cw_find`, and their number.
local function dead(keys, args)
  local lastFirst, limit, after = args[2] == '1', tonumber(args[3]), tonumber(args[6])
  local found = {}
  for _, tag in ipairs(keys) do
    local key, some = tag .. ':dead:' .. args[1], nil
    if lastFirst then some = call('ZREVRANGEBYSCORE', key, args[5], args[4], 'WITHSCORES', 'LIMIT', 0, limit)
    else some = call('ZRANGEBYSCORE', key, args[4], args[5], 'WITHSCORES') end
    local count = 0
    for at = 1, #some, 2 do
      local number, id = string.match(some[at], '^(%d+):(.*)$')
      local isAfter = tonumber(some[at + 1]) > tonumber(args[4]) or tonumber(number) > after
      if lastFirst or (isAfter and count < limit) then
        found[#found + 1] = { tag = tag, id = id, number = tonumber(number), dead = tonumber(some[at + 1]) }
        count = count + 1
      end
    end
  end
  table.sort(found, function(a, b)
    if lastFirst then a, b = b, a end
    if a.dead ~= b.dead then return a.dead < b.dead end
    return a.number < b.number
  end)
  local rows = {}
  for at = 1, math.min(limit, #found) do
    local row = find({ found[at].tag }, { found[at].id })[1]
    row[#row + 1] = string.format('%d', found[at].number)
    rows[at] = row
  end
  return rows
end

-- cw_forget(tag; id): a delivery or a dead letter is gone, with what it says; answers as `cw_delivered`.
local function forget(keys, args)
  local tag, id = keys[1], args[1]
  local key = delivery_key(tag, id)
  local died = call('HMGET', key, 'dead', 'deadNumber', 'project')
  if not died[1] then return delivered(keys, args) end
  local member = died[2] .. ':' .. id
  call('ZREM', tag .. ':dead', member)
  call('ZREM', tag .. ':dead:' .. died[3], member)
  call('DEL', key)
  return { '1', '' }
end

-- cw_forget_dead(tags…; beforeMs, most): how many dead letters were deleted.
local function forget_dead(keys, args)
  local count, most = 0, tonumber(args[2])
  for _, tag in ipairs(keys) do
    for _, found in ipairs(call('ZRANGEBYSCORE', tag .. ':dead', '-inf', '(' .. args[1], 'LIMIT', 0, most - count)) do
      local key = delivery_key(tag, string.match(found, ':(.*)$'))
      call('ZREM', tag .. ':dead:' .. call('HGET', key, 'project'), found)
      call('ZREM', tag .. ':dead', found)
      call('DEL', key)
      count = count + 1
    end
    if count >= most then return count end
  end
  return count
end

-- cw_waiting(tags…; receiver or ''): { waiting, dead, created of the one that was committed first, receivers… }
local function waiting_of(keys, args)
  local count, deadCount, oldest, oldestNumber, receivers = 0, 0, '', nil, {}
  for _, tag in ipairs(keys) do
    if args[1] == '' then
      count = count + call('ZCARD', tag .. ':waiting')
      deadCount = deadCount + call('ZCARD', tag .. ':dead')
      local first = call('ZRANGE', tag .. ':waiting', 0, 0, 'WITHSCORES')
      if first[1] and (not oldestNumber or tonumber(first[2]) < oldestNumber) then
        oldestNumber, oldest = tonumber(first[2]), call('HGET', delivery_key(tag, first[1]), 'created')
      end
      for _, receiver in ipairs(call('HKEYS', tag .. ':receivers')) do receivers[receiver] = true end
    else
      count = count + tonumber(call('HGET', tag .. ':receivers', args[1]) or '0')
    end
  end
  local names = {}
  for receiver in pairs(receivers) do names[#names + 1] = receiver end
  return { count, deadCount, oldest, oldestNumber and string.format('%d', oldestNumber) or '', names }
end

----------------------------------------------------------------------------------------------------------------------
-- Calls: a hash each, and a list with an element for the entries of each commit: `first [entries]`.

local function call_key(tag, id) return tag .. ':call:' .. id end
local function journal_key(tag, id) return tag .. ':journal:' .. id end
-- What its journal shows masked, sealed, by the numbers of the entries: as long as the call is live.
local function private_key(tag, id) return tag .. ':private:' .. id end

local function owns(tag, owner, id)
  if call('SADD', tag .. ':owned:' .. owner, id) == 1 then call('HINCRBY', tag .. ':owners', owner, 1) end
end

local function disowns(tag, owner, id)
  if call('SREM', tag .. ':owned:' .. owner, id) == 1 and call('HINCRBY', tag .. ':owners', owner, -1) <= 0 then
    call('HDEL', tag .. ':owners', owner)
  end
end

-- cw_commit(tag; id, owner, fence, first seq, last seq (both '0': no entries), startedMs, endedMs or '', record, checkpoint,
-- entries, project, deliveries…): `OK` or `DUP` with a character for each delivery, `FENCED fence`, `GAP last seq`,
-- `TAKEN delivery`, `ARCHIVED archive`.
local function commit(keys, args)
  local tag, id, owner, fence, first, last, ended = keys[1], args[1], args[2], args[3], args[4], args[5], args[7]
  local key = call_key(tag, id)
  local known = call('HMGET', key, 'fence', 'seq', 'owner', 'ended', 'number')
  if known[1] and known[1] ~= fence then return 'FENCED ' .. known[1] end
  local archive = not known[1] and call('GET', tag .. ':old:' .. id)
  if archive then return 'ARCHIVED ' .. archive end
  local seq = known[2] or '0'
  local deliveries = deliveries_of(args, 12)
  if last ~= '0' then
    if tonumber(first) ~= tonumber(seq) + 1 then
      if tonumber(last) <= tonumber(seq) then return 'DUP ' .. flags_of(tag, deliveries) end
      return 'GAP ' .. seq
    end
    seq = last
  end
  local taken = known_delivery(tag, deliveries)
  if taken then return 'TAKEN ' .. taken end
  call('HSET', key, 'fence', fence, 'seq', seq, 'record', args[8], 'checkpoint', args[9])
  if not known[1] then
    known[5] = next_number(tag)
    call('HSET', key, 'owner', owner, 'project', args[11], 'started', args[6], 'number', known[5])
    if ended == '' then
      call('ZADD', tag .. ':live', args[6], known[5] .. ':' .. id)
      owns(tag, owner, id)
    end
  end
  if last ~= '0' then call('RPUSH', journal_key(tag, id), first .. ' ' .. args[10]) end
  if ended ~= '' and not known[4] then
    call('HSET', key, 'ended', ended)
    call('DEL', private_key(tag, id))
    call('ZREM', tag .. ':live', known[5] .. ':' .. id)
    call('ZADD', tag .. ':ended', ended, id)
    disowns(tag, known[3] or owner, id)
  end
  return 'OK ' .. put_all(tag, deliveries)
end

-- cw_commit_private(tag; count, then seq and sealed value of so many entries, then as cw_commit): answers as that.
local function commit_private(keys, args)
  local from = 2 + 2 * tonumber(args[1])
  local rest = {}
  for at = from, #args do rest[#rest + 1] = args[at] end
  local answer = commit(keys, rest)
  if string.sub(answer, 1, 2) == 'OK' and rest[7] == '' then
    for at = 2, from - 1, 2 do call('HSET', private_key(keys[1], rest[1]), args[at], args[at + 1]) end
  end
  return answer
end

-- cw_adopt(tag; id, owner, seen fence): the new fence; false: another was first, or the call is not live.
local function adopt(keys, args)
  local tag, id, owner = keys[1], args[1], args[2]
  local known = call('HMGET', call_key(tag, id), 'fence', 'owner', 'ended')
  if not known[1] or known[3] then return false end
  local fence = tostring(tonumber(args[3]) + 1)
  -- Asked again by the one that got it.
  if known[1] == fence and known[2] == owner then return fence end
  if known[1] ~= args[3] then return false end
  disowns(tag, known[2], id)
  owns(tag, owner, id)
  call('HSET', call_key(tag, id), 'fence', fence, 'owner', owner)
  return fence
end

-- cw_owned(tags…; owner): { id, startedMs, number } of its live calls.
local function owned(keys, args)
  local all = {}
  for _, tag in ipairs(keys) do
    for _, id in ipairs(call('SMEMBERS', tag .. ':owned:' .. args[1])) do
      local read = call('HMGET', call_key(tag, id), 'started', 'number')
      all[#all + 1] = { id, read[1], read[2] }
    end
  end
  return all
end

-- cw_owners(tags…): the owners of live calls.
local function owners(keys)
  local seen, all = {}, {}
  for _, tag in ipairs(keys) do
    for _, owner in ipairs(call('HKEYS', tag .. ':owners')) do
      if not seen[owner] then all[#all + 1] = owner end
      seen[owner] = true
    end
  end
  return all
end

local LIVE_CHUNK = 100

-- The live calls of one shard that match, the newest first: at most `limit`.
local function live_of(tag, wanted, limit, add)
  local from, count = 0, 0
  while true do
    local some = call('ZREVRANGEBYSCORE', tag .. ':live', wanted.to, wanted.from, 'WITHSCORES', 'LIMIT', from, LIVE_CHUNK)
    for at = 1, #some, 2 do
      local number, id = string.match(some[at], '^(%d+):(.*)$')
      local started = tonumber(some[at + 1])
      local isBefore = started < wanted.beforeMs or (started == wanted.beforeMs and tonumber(number) < wanted.beforeNumber)
      if isBefore and (wanted.project == '' or call('HGET', call_key(tag, id), 'project') == wanted.project) then
        add({ tag = tag, id = id, started = started, number = tonumber(number) })
        count = count + 1
        if count >= limit then return end
      end
    end
    if #some < LIVE_CHUNK * 2 then return end
    from = from + LIVE_CHUNK
  end
end

-- cw_live(tags…; project or '', fromMs, toMs, beforeMs, before number, limit):
-- { id, startedMs, number, record } of live calls, the newest first.
local function live(keys, args)
  local wanted = {
    project = args[1], from = args[2], to = args[3], beforeMs = tonumber(args[4]), beforeNumber = tonumber(args[5]),
  }
  local limit, found, rows = tonumber(args[6]), {}, {}
  for _, tag in ipairs(keys) do
    live_of(tag, wanted, limit, function(one) found[#found + 1] = one end)
  end
  table.sort(found, function(a, b)
    if a.started ~= b.started then return a.started > b.started end
    return a.number > b.number
  end)
  for at = 1, math.min(limit, #found) do
    local one = found[at]
    local record = call('HGET', call_key(one.tag, one.id), 'record')
    rows[at] = { one.id, string.format('%d', one.started), string.format('%d', one.number), record }
  end
  return rows
end

-- cw_ended(tags…; beforeMs, most): calls that ended before, and are not in an archive yet.
local function ended(keys, args)
  local all = {}
  for _, tag in ipairs(keys) do
    for _, id in ipairs(call('ZRANGEBYSCORE', tag .. ':ended', '-inf', args[1], 'LIMIT', 0, args[2])) do all[#all + 1] = id end
  end
  return all
end

-- cw_archived(tag; id, archive, keepMs, seq): the call is in this archive up to the journal entry `seq`; here only that is
-- kept. 2: the journal has more entries by now, and nothing was removed. Older versions give no `seq`.
local function archived(keys, args)
  local tag, id = keys[1], args[1]
  local known = call('HMGET', call_key(tag, id), 'ended', 'seq')
  if not known[1] then return 0 end
  if args[4] and known[2] ~= args[4] then return 2 end
  call('DEL', call_key(tag, id), journal_key(tag, id), private_key(tag, id))
  call('ZREM', tag .. ':ended', id)
  call('SET', tag .. ':old:' .. id, args[2], 'PX', args[3])
  return 1
end

-- While the library is being loaded there are no loops over tables either.
redis.register_function('cw_add', add)
redis.register_function('cw_delivered', delivered)
redis.register_function('cw_postpone', postpone)
redis.register_function('cw_aside', aside)
redis.register_function('cw_bury', bury)
redis.register_function('cw_overdue', overdue)
redis.register_function('cw_requeue', requeue)
redis.register_function('cw_release', release)
redis.register_function('cw_await', await)
redis.register_function('cw_awaited', awaited)
redis.register_function('cw_serve', serve)
redis.register_function('cw_unserve', unserve)
redis.register_function('cw_forget', forget)
redis.register_function('cw_forget_dead', forget_dead)
redis.register_function('cw_commit', commit)
redis.register_function('cw_commit_private', commit_private)
redis.register_function('cw_adopt', adopt)
redis.register_function('cw_archived', archived)

local function register_reader(name, work)
  redis.register_function({ function_name = name, callback = work, flags = { 'no-writes' } })
end
register_reader('cw_parts', parts)
register_reader('cw_due', due)
register_reader('cw_next_due', next_due)
register_reader('cw_line', line)
register_reader('cw_find', find)
register_reader('cw_dead', dead)
register_reader('cw_waiting', waiting_of)
register_reader('cw_owned', owned)
register_reader('cw_owners', owners)
register_reader('cw_live', live)
register_reader('cw_ended', ended)
