-- ARGV: whether what was learnt goes too, whether tombstones stay, the call's name, numbers in order. Answers with those
-- removed. A client whose connection is lost sends the call once more, and must hear the same as before.
local removed, missing = {}, {}
local call, list = string.match(redis.call('HGET', meta, 'forgot') or '', '^(%x+)(.*)$')
if call == ARGV[5] then
  for place = 6, #ARGV do
    if not string.find(list .. ' ', ' ' .. ARGV[place] .. ' ', 1, true) then
      removed[#removed + 1] = ARGV[place]
    end
  end
  return removed
end
for place = 6, #ARGV do
  local seq = ARGV[place]
  local member = redis.call('ZRANGEBYSCORE', log, seq, seq)[1]
  if member then
    removed[#removed + 1] = seq
    redis.call('ZREM', log, member)
    local turn = string.match(member, '^%d+:(%x+):')
    if ARGV[4] == '1' then
      redis.call('SADD', dead, turn)
    end
    local range = redis.call('HGET', turns, turn)
    local first, last = string.match(range or '1 0', '(%d+) (%d+)')
    if redis.call('ZCOUNT', log, first, last) == 0 then
      redis.call('HDEL', turns, turn)
    end
  else
    missing[#missing + 1] = ' ' .. seq
  end
end
if #removed == 0 then
  return removed
end
redis.call('HSET', meta, 'epoch', next_version(), 'forgot', ARGV[5] .. table.concat(missing))
local born
if ARGV[3] == '1' then
  born = next_version()
  redis.call('HSET', meta, 'born', born)
  for _, name in ipairs(redis.call('HKEYS', leases)) do
    local token, _, owner = lease_of(name)
    put_lease(name, token, '0', owner)
  end
end
for _, name in ipairs(redis.call('HKEYS', states)) do
  local values, versions, vectors, numbers = parts(name)
  local _, watermark = state_of(name)
  local only_embeddings = redis.call('EXISTS', versions) == 0 and redis.call('EXISTS', vectors) == 1
  if born and tonumber(watermark) >= tonumber(removed[1]) and not only_embeddings then
    redis.call('DEL', values, versions, vectors, numbers)
    redis.call('HDEL', states, name)
  else
    if born then
      redis.call('HSET', states, name, born .. ' ' .. watermark)
    end
    many('HDEL', vectors, removed)
    many('ZREM', numbers, removed)
  end
end
keep()
return removed
