#!lua name=callweave_shared_1
-- version: 2
--
-- What nodes share beside calls, deliveries and broadcasts. Runs on Redis 7.0 and Valkey; a key is a hash tag.
-- Tables are held in memory by every node: who changes one says so, and the others read what has changed since they looked.
-- Invariants
--  * each change of a table has a number, higher than all before; fields that are gone are remembered with theirs, or with
--    the number before which they are not;
--  * a function that is called twice with the same arguments answers the same, and changes nothing the second time, but
--    that a removal finds nothing then.

local function call(...) return redis.call(...) end

local MOST_GONE = 10000

local function changes_key(tag, name) return tag .. ':' .. name .. ':changes' end
local function gone_key(tag, name) return tag .. ':' .. name .. ':gone' end
local function counts_key(tag) return tag .. ':counts' end

-- The number of a change, which the nodes hear of.
local function next_change(tag, name)
  local number = call('HINCRBY', counts_key(tag), name, 1)
  call('PUBLISH', tag .. ':changed', name)
  return number
end

-- The text begins with the number of the change that brought the field: in this order fields are listed.
local function write(tag, name, field, text)
  local key, number = tag .. ':' .. name, next_change(tag, name)
  local old = call('HGET', key, field)
  local first = old and old:match('^%d+') or string.format('%d', number)
  call('HSET', key, field, first .. ' ' .. text)
  call('ZADD', changes_key(tag, name), number, field)
  call('ZREM', gone_key(tag, name), field)
end

local function erase(tag, name, field)
  if call('HDEL', tag .. ':' .. name, field) == 0 then return 0 end
  call('ZREM', changes_key(tag, name), field)
  call('ZADD', gone_key(tag, name), next_change(tag, name), field)
  while call('ZCARD', gone_key(tag, name)) > MOST_GONE do
    local oldest = call('ZPOPMIN', gone_key(tag, name))
    call('HSET', counts_key(tag), name .. ' gone before', oldest[2])
  end
  return 1
end

-- cw_put(tag; table, field, text, condition): `new`: only where the field is not there; `known`: only where it is;
-- `first`: only where the table is empty. 0: that is not so.
local function put(keys, args)
  local tag, name, field, text, condition = keys[1], args[1], args[2], args[3], args[4]
  local old = call('HGET', tag .. ':' .. name, field)
  if old and old:gsub('^%d+ ', '', 1) == text then return 1 end
  if condition == 'new' and old then return 0 end
  if condition == 'known' and not old then return 0 end
  if condition == 'first' and call('HLEN', tag .. ':' .. name) > 0 then return 0 end
  write(tag, name, field, text)
  return 1
end

-- cw_remove(tag; table, field, '1' where its name is to be forgotten, too: every node reads all anew). 0: it was not there.
local function remove(keys, args)
  local tag, name, field = keys[1], args[1], args[2]
  local count = erase(tag, name, field)
  call('ZREM', tag .. ':' .. name .. ':until', field)
  if args[3] == '1' and call('ZREM', gone_key(tag, name), field) == 1 then
    call('HSET', counts_key(tag), name .. ' gone before', call('HGET', counts_key(tag), name))
  end
  return count
end

-- cw_changed(tag; table, since): { number of the last change, '1' for all there is, field, text… }; a field that is gone
-- has no text. All there is: where it is not known any more what has gone since, or the last change was an earlier one.
local function changed(keys, args)
  local tag, name, since = keys[1], args[1], tonumber(args[2])
  local counts = call('HMGET', counts_key(tag), name, name .. ' gone before')
  local last, floor = tonumber(counts[1] or '0'), tonumber(counts[2] or '0')
  if last == since then return { last, '0' } end
  if since == 0 or since < floor or since > last then
    local all = call('HGETALL', tag .. ':' .. name)
    table.insert(all, 1, '1')
    table.insert(all, 1, last)
    return all
  end
  local rows, from = { last, '0' }, '(' .. args[2]
  for _, field in ipairs(call('ZRANGEBYSCORE', changes_key(tag, name), from, '+inf')) do
    rows[#rows + 1] = field
    rows[#rows + 1] = call('HGET', tag .. ':' .. name, field)
  end
  for _, field in ipairs(call('ZRANGEBYSCORE', gone_key(tag, name), from, '+inf')) do
    rows[#rows + 1] = field
    rows[#rows + 1] = ''
  end
  return rows
end

----------------------------------------------------------------------------------------------------------------------
-- Receipts: a hash of each project, and their ages. Claims of keys end by themselves.

local function receipts_key(tag, project) return tag .. ':receipts:' .. project end

local function forget_receipts(key, names)
  for _, name in ipairs(names) do
    call('HDEL', key, name)
    call('ZREM', key .. ':ages', name)
  end
  return #names
end

-- cw_receipt(tag; project, key, createdMs, text)
local function receipt(keys, args)
  local key = receipts_key(keys[1], args[1])
  call('HSET', key, args[2], args[4])
  call('ZADD', key .. ':ages', args[3], args[2])
  call('SADD', keys[1] .. ':receipts', args[1])
  return 1
end

-- cw_forget_receipt(tag; project, key)
local function forget_receipt(keys, args) return forget_receipts(receipts_key(keys[1], args[1]), { args[2] }) end

-- cw_prune_receipts(tag; beforeMs, most, atOnce): how many are gone; fewer than `atOnce`: all that were to go.
local function prune_receipts(keys, args)
  local gone = 0
  for _, project in ipairs(call('SMEMBERS', keys[1] .. ':receipts')) do
    local key = receipts_key(keys[1], project)
    local old = call('ZRANGEBYSCORE', key .. ':ages', '-inf', '(' .. args[1], 'LIMIT', 0, args[3])
    gone = gone + forget_receipts(key, old)
    local many = call('HLEN', key) - tonumber(args[2])
    if many > 0 then
      gone = gone + forget_receipts(key, call('ZRANGE', key .. ':ages', 0, math.min(many, tonumber(args[3])) - 1))
    end
    if call('HLEN', key) == 0 then call('SREM', keys[1] .. ':receipts', project) end
  end
  return gone
end

-- cw_hold(tag; name, token, forMs): 1: whoever has the token is the only one that has it.
local function hold(keys, args)
  local key = keys[1] .. ':held:' .. args[1]
  local holder = call('GET', key)
  if holder and holder ~= args[2] then return 0 end
  call('SET', key, args[2], 'PX', args[3])
  return 1
end

-- cw_let_go(tag; name, token)
local function let_go(keys, args)
  local key = keys[1] .. ':held:' .. args[1]
  return call('GET', key) == args[2] and call('DEL', key) or 0
end

----------------------------------------------------------------------------------------------------------------------
-- Phones: what answers of a phone to challenges were used; and a table of users with their contacts.

-- cw_nonce(tag; nonce, count, lifeMs): 1: the count is higher than all before.
local function nonce(keys, args)
  local key = keys[1] .. ':nonce:' .. args[1]
  if tonumber(args[2]) <= tonumber(call('GET', key) or '0') then return 0 end
  call('SET', key, args[2], 'PX', args[3])
  return 1
end

local EXPIRED_AT_ONCE = 10

local function now_ms()
  local time = call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end

-- Users whose last contact has expired.
local function forget_expired(tag, name, now)
  local key = tag .. ':' .. name .. ':until'
  for _, user in ipairs(call('ZRANGEBYSCORE', key, '-inf', now, 'LIMIT', 0, EXPIRED_AT_ONCE)) do
    erase(tag, name, user)
    call('ZREM', key, user)
  end
end

-- cw_register(tag; table, user, callId, cseq, isForAll, most, where, { key, uri, expiresMs }…): `where` is JSON that says how
-- the phone is reached. OLD: overtaken by a later one of its call; one that was done before is DONE.
local function register(keys, args)
  local tag, name, user, callId, cseq = keys[1], args[1], args[2], args[3], tonumber(args[4])
  local now, contacts = now_ms(), {}
  local old = call('HGET', tag .. ':' .. name, user)
  for _, contact in ipairs(old and cjson.decode((old:gsub('^%d+ ', '', 1))) or {}) do
    if contact.untilMs > now then
      if contact.callId == callId and cseq < contact.cseq then return 'OLD' end
      if contact.callId == callId and cseq == contact.cseq then return 'DONE' end
      contacts[#contacts + 1] = contact
    end
  end
  if args[5] == '1' then contacts = {} end
  local where = cjson.decode(args[7])
  for at = 8, #args, 3 do
    local kept, since = {}, now
    for _, contact in ipairs(contacts) do
      if contact.key == args[at] then since = contact.sinceMs or now else kept[#kept + 1] = contact end
    end
    contacts = kept
    if tonumber(args[at + 2]) > 0 then
      contacts[#contacts + 1] = {
        key = args[at], uri = args[at + 1], untilMs = now + tonumber(args[at + 2]), sinceMs = since,
        callId = callId, cseq = cseq, at = where,
      }
    end
    if #contacts > tonumber(args[6]) then table.remove(contacts, 1) end
  end
  if #contacts == 0 then
    erase(tag, name, user)
    call('ZREM', tag .. ':' .. name .. ':until', user)
  else
    local last = 0
    for _, contact in ipairs(contacts) do last = math.max(last, contact.untilMs) end
    write(tag, name, user, cjson.encode(contacts))
    call('ZADD', tag .. ':' .. name .. ':until', last, user)
  end
  forget_expired(tag, name, now)
  return 'DONE'
end

redis.register_function('cw_put', put)
redis.register_function('cw_nonce', nonce)
redis.register_function('cw_register', register)
redis.register_function('cw_receipt', receipt)
redis.register_function('cw_forget_receipt', forget_receipt)
redis.register_function('cw_prune_receipts', prune_receipts)
redis.register_function('cw_hold', hold)
redis.register_function('cw_let_go', let_go)
redis.register_function('cw_remove', remove)
redis.register_function({ function_name = 'cw_changed', callback = changed, flags = { 'no-writes' } })
