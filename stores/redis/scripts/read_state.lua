-- ARGV: the state's name, the version that the reader has. Answers with version, watermark, whether the reader has to
-- start anew, and the keys and values that changed.
local name, since = ARGV[3], tonumber(ARGV[4])
local values, versions = parts(name)
local version, watermark = state_of(name)
if since == tonumber(version) then
  return { version, watermark, 0, {}, {} }
end
local born = tonumber(redis.call('HGET', meta, 'born') or '0')
if since < born or since > tonumber(version) then
  return { version, watermark, 1, redis.call('HKEYS', values), redis.call('HVALS', values) }
end
local keys = redis.call('ZRANGEBYSCORE', versions, '(' .. ARGV[4], '+inf')
return { version, watermark, 0, keys, many('HMGET', values, keys) }
