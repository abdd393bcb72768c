#!lua name=callweave_places_1
-- version: 1
--
-- Which node is the home of a conference or of the queues of a project, and the places in queues that are kept for people who
-- are called back: texts by id, their order, and how many there are by project. Same invariants as `functions.lua`.

local function call(...) return redis.call(...) end

local function read(key)
  local found = call('HMGET', key, 'node', 'fence')
  return found[1], tonumber(found[2] or '0')
end

local function write(key, node, fence, ttl)
  call('HSET', key, 'node', node, 'fence', string.format('%d', fence))
  call('PEXPIRE', key, ttl)
  return { node, fence }
end

-- cw_place(tag; place, node, fence of the lost home or 0, ttlMs): { node, fence } of the home, which is this node where there
-- is none, or still the one that was lost.
local function place(keys, args)
  local key, me = keys[1] .. ':place:' .. args[1], args[2]
  local node, fence = read(key)
  if not node or node == '' then return write(key, me, fence + 1, args[4]) end
  if node ~= me and fence == tonumber(args[3]) then return write(key, me, fence + 1, args[4]) end
  return { node, fence }
end

-- cw_keep_place(tag; place, node, fence, ttlMs): the home is still there. One that was forgotten is known again.
local function keep(keys, args)
  local key, me, given = keys[1] .. ':place:' .. args[1], args[2], tonumber(args[3])
  local node, fence = read(key)
  if not node or (node == me and fence == given) then return write(key, me, given, args[4]) end
  return { node, fence }
end

-- cw_leave_place(tag; place, node, fence, ttlMs): it has no home. Its fence is remembered for a while.
local function leave(keys, args)
  local key = keys[1] .. ':place:' .. args[1]
  local node, fence = read(key)
  if node == args[2] and fence == tonumber(args[3]) then write(key, '', fence, args[4]) end
  return 1
end

-- cw_point(tag; id, place, ttlMs)
local function point(keys, args)
  call('SET', keys[1] .. ':at:' .. args[1], args[2], 'PX', args[3])
  return 1
end

-- cw_keep_callback(tag; id, project, text): keeps it, or its latest text.
local function keep_callback(keys, args)
  local key, id = keys[1] .. ':callbacks', args[1]
  if call('HSET', key, id, args[3]) == 1 then
    local time = call('TIME')
    call('ZADD', key .. ':order', 'NX', tonumber(time[1]) * 1000000 + tonumber(time[2]), id)
    call('HINCRBY', key .. ':projects', args[2], 1)
  end
  return 1
end

-- cw_drop_callback(tag; id)
local function drop_callback(keys, args)
  local key, id = keys[1] .. ':callbacks', args[1]
  local text = call('HGET', key, id)
  if not text then return 0 end
  local project = cjson.decode(text).projectId
  call('HDEL', key, id)
  call('ZREM', key .. ':order', id)
  if call('HINCRBY', key .. ':projects', project, -1) <= 0 then call('HDEL', key .. ':projects', project) end
  return 1
end

-- cw_callbacks(tag): the texts, in the order in which they were kept.
local function callbacks(keys)
  local ids = call('ZRANGE', keys[1] .. ':callbacks:order', 0, -1)
  local texts = {}
  for at = 1, #ids do texts[at] = call('HGET', keys[1] .. ':callbacks', ids[at]) end
  return texts
end

redis.register_function('cw_place', place)
redis.register_function('cw_keep_place', keep)
redis.register_function('cw_leave_place', leave)
redis.register_function('cw_point', point)
redis.register_function('cw_keep_callback', keep_callback)
redis.register_function('cw_drop_callback', drop_callback)
redis.register_function({ function_name = 'cw_callbacks', callback = callbacks, flags = { 'no-writes' } })
