-- ARGV: the hash of the turn's id, then its messages. Answers with the first one's number; or with 0 and what there is
-- of a turn that is known already.
local turn = ARGV[3]
local range = redis.call('HGET', turns, turn)
if range then
  local first, last = string.match(range, '(%d+) (%d+)')
  return { 0, redis.call('ZRANGEBYSCORE', log, first, last) }
end
if #ARGV == 3 or redis.call('SISMEMBER', dead, turn) == 1 then
  return { 0, {} }
end
begin()
local last = tonumber(redis.call('HGET', meta, 'last'))
for place = 4, #ARGV do
  local seq = string.format('%.0f', last + place - 3)
  redis.call('ZADD', log, seq, seq .. ':' .. turn .. ':' .. ARGV[place])
end
local new = last + #ARGV - 3
redis.call('HSET', meta, 'last', string.format('%.0f', new))
redis.call('HSET', turns, turn, string.format('%.0f %.0f', last + 1, new))
keep()
return { last + 1, {} }
