-- ARGV: counts of messages, of tombstones and of states, the call's name, then these: number, hash of the turn's id,
-- message; tombstones; name, watermark, a count of items, these, a count of embeddings, these. Answers whether there was
-- no conversation. A client whose connection is lost sends the call once more, and must hear the same as before.
if redis.call('EXISTS', meta) == 1 then
  return redis.call('HGET', meta, 'restored') == ARGV[6] and 1 or 0
end
begin()
redis.call('HSET', meta, 'restored', ARGV[6])
local place, version = 7, redis.call('HGET', meta, 'born')
for _ = 1, tonumber(ARGV[3]) do
  local seq, turn = ARGV[place], ARGV[place + 1]
  redis.call('ZADD', log, seq, seq .. ':' .. turn .. ':' .. ARGV[place + 2])
  local range = redis.call('HGET', turns, turn)
  redis.call('HSET', turns, turn, (range and string.match(range, '%d+') or seq) .. ' ' .. seq)
  redis.call('HSET', meta, 'last', seq)
  place = place + 3
end
for _ = 1, tonumber(ARGV[4]) do
  redis.call('SADD', dead, ARGV[place])
  place = place + 1
end
for _ = 1, tonumber(ARGV[5]) do
  local name = ARGV[place]
  redis.call('HSET', states, name, version .. ' ' .. ARGV[place + 1])
  place = put(name, version, tonumber(ARGV[place + 2]), place + 3)
end
keep()
return 1
