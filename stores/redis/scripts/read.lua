-- ARGV: bounds of the numbers, the most messages (-1: all), whether the newest. Answers with epoch,
-- revision and messages.
local command, from, to = 'ZRANGEBYSCORE', ARGV[3], ARGV[4]
if ARGV[6] == '1' then
  command, from, to = 'ZREVRANGEBYSCORE', to, from
end
local at = redis.call('HMGET', meta, 'epoch', 'version')
return { at[1] or '0', at[2] or '0', redis.call(command, log, from, to, 'LIMIT', 0, ARGV[5]) }
