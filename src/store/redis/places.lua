#!lua name=callweave_places_1
-- version: 1
--
-- Which node is the home of a conference or of the queues of a project. Same invariants as `functions.lua`.

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

redis.register_function('cw_place', place)
redis.register_function('cw_keep_place', keep)
redis.register_function('cw_leave_place', leave)
redis.register_function('cw_point', point)
