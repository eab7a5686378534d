-- ARGV: the state's name, a number. Answers with the numbers above it, and their embeddings.
local _, _, vectors, numbers = parts(ARGV[3])
local found = redis.call('ZRANGEBYSCORE', numbers, '(' .. ARGV[4], '+inf')
return { found, many('HMGET', vectors, found) }
