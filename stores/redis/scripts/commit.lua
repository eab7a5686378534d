-- ARGV: the state's name, the version it must have, the new watermark, a count of items, these, a count of embeddings,
-- these. Answers with the new version, or nothing if the state has another one.
local name = ARGV[3]
if redis.call('EXISTS', meta) == 0 or state_of(name) ~= ARGV[4] then
  return false
end
local version = next_version()
put(name, version, tonumber(ARGV[6]), 7)
redis.call('HSET', states, name, version .. ' ' .. ARGV[5])
keep()
return version
