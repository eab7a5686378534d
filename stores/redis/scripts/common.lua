-- What all scripts share. KEYS[1] is the key "...:meta" of a conversation; all its other keys begin alike, with one hash
-- tag, so that they lie in one slot. ARGV[1] and ARGV[2]: how many seconds a conversation lives (0: for ever), and
-- whether each write begins them anew.
local base = string.sub(KEYS[1], 1, -5)
local meta, log, turns, dead = KEYS[1], base .. 'log', base .. 'turns', base .. 'tombstones'
local states = base .. 'states' -- name -> "version watermark"
local leases = base .. 'leases' -- name -> "token end owner"; the end in milliseconds, 0 for one that was released

local function parts(name) -- of one state: values, versions of keys, embeddings, their numbers
  return base .. 'values:' .. name, base .. 'versions:' .. name, base .. 'vectors:' .. name, base .. 'numbers:' .. name
end

local function time() -- in microseconds
  local now = redis.call('TIME')
  return now[1] * 1000000 + now[2]
end

local function next_version() -- by the clock: what was cleared and begun anew never has an earlier one again
  local last = tonumber(redis.call('HGET', meta, 'version') or '0')
  local version = string.format('%.0f', math.max(time(), last + 1))
  redis.call('HSET', meta, 'version', version)
  return version
end

local function begin() -- a conversation, unless it is there
  if redis.call('EXISTS', meta) == 0 then
    local version = next_version()
    redis.call('HSET', meta, 'born', version, 'epoch', version, 'last', '0')
  end
end

local function state_of(name)
  local found = redis.call('HGET', states, name)
  if found then
    return string.match(found, '(%d+) (%d+)')
  end
  return redis.call('HGET', meta, 'born') or '0', '0'
end

local function keep() -- all keys of the conversation end at the same moment
  local ends = redis.call('HGET', meta, 'ends')
  if ARGV[1] ~= '0' and (ARGV[2] == '1' or not ends) then
    ends = string.format('%.0f', math.floor(time() / 1000) + ARGV[1] * 1000)
    redis.call('HSET', meta, 'ends', ends)
  end
  if ends then
    for _, key in ipairs({ meta, log, turns, dead, states, leases }) do
      redis.call('PEXPIREAT', key, ends)
    end
    for _, name in ipairs(redis.call('HKEYS', states)) do
      for _, key in ipairs({ parts(name) }) do
        redis.call('PEXPIREAT', key, ends)
      end
    end
  end
end

local function lease_of(name) -- its token, end and owner
  return string.match(redis.call('HGET', leases, name) or '0 0 ', '^(%d+) (%d+) (.*)$')
end

local function put_lease(name, token, ends, owner)
  redis.call('HSET', leases, name, token .. ' ' .. ends .. ' ' .. owner)
end

local function many(command, key, names) -- as many as there are: a call takes only some thousand arguments
  local found = {}
  for first = 1, #names, 1000 do
    local some = redis.call(command, key, unpack(names, first, math.min(first + 999, #names)))
    if type(some) == 'table' then
      for _, value in ipairs(some) do
        found[#found + 1] = value
      end
    end
  end
  return found
end

local function put(name, at, count, first) -- items (key, value, ...) from ARGV[first] on, then embeddings
  local values, versions, vectors, numbers = parts(name)
  local place = first
  for _ = 1, count do
    local key, value = ARGV[place], ARGV[place + 1]
    redis.call('ZADD', versions, at, key)
    if value == '' then
      redis.call('HDEL', values, key)
    else
      redis.call('HSET', values, key, value)
    end
    place = place + 2
  end
  local embeddings = tonumber(ARGV[place])
  place = place + 1
  for _ = 1, embeddings do
    redis.call('HSET', vectors, ARGV[place], ARGV[place + 1])
    redis.call('ZADD', numbers, ARGV[place], ARGV[place])
    place = place + 2
  end
  return place
end
