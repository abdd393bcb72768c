#!lua name=callweave_shared_1
-- version: 1
--
-- Tables that every node holds in memory: who changes one says so, and the others read what has changed since they looked.
-- Runs on Redis 7.0 and Valkey. The first key is the hash tag of all tables.
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

-- cw_remove(tag; table, field): 0: it was not there.
local function remove(keys, args) return erase(keys[1], args[1], args[2]) end

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

redis.register_function('cw_put', put)
redis.register_function('cw_remove', remove)
redis.register_function({ function_name = 'cw_changed', callback = changed, flags = { 'no-writes' } })
