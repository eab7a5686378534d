-- ARGV: the state's name, the version it must have, the call's name, the new watermark, a count of items, these, a count
-- of embeddings, these. Answers with the new version, or nothing if the state has another one. A client whose connection
-- is lost sends the call once more, and must hear the same as before, though others may have committed meanwhile.
local name, call = ARGV[3], ARGV[5]
local newest = redis.call('HGET', meta, 'commits') or '' -- "call version call version "
if redis.call('EXISTS', meta) == 0 or state_of(name) ~= ARGV[4] then
  return string.match(newest, call .. ' (%d+) ') or false
end
local version = next_version()
put(name, version, tonumber(ARGV[7]), 8)
redis.call('HSET', states, name, version .. ' ' .. ARGV[6])
redis.call('HSET', meta, 'commits', string.sub(call .. ' ' .. version .. ' ' .. newest, 1, 480)) -- of 16 calls
keep()
return version
