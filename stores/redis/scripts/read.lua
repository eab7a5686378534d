-- ARGV: bounds of the numbers, the most messages (-1: all), whether the newest. Answers with the epoch and messages.
local command, from, to = 'ZRANGEBYSCORE', ARGV[3], ARGV[4]
if ARGV[6] == '1' then
  command, from, to = 'ZREVRANGEBYSCORE', to, from
end
return { redis.call('HGET', meta, 'epoch') or '0', redis.call(command, log, from, to, 'LIMIT', 0, ARGV[5]) }
