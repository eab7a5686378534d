-- ARGV: the state's name, who asks, for how many milliseconds. Answers with the owner by now, and the token; or nothing
-- if there is no conversation.
if redis.call('EXISTS', meta) == 0 then
  return false
end
local token, ends, owner = lease_of(ARGV[3])
local now = math.floor(time() / 1000)
if owner ~= ARGV[4] and tonumber(ends) <= now then
  owner, token = ARGV[4], string.format('%.0f', token + 1)
end
if owner == ARGV[4] then
  put_lease(ARGV[3], token, string.format('%.0f', now + ARGV[5]), owner)
  local whole = redis.call('HGET', meta, 'ends')
  if whole then
    redis.call('PEXPIREAT', leases, whole)
  end
end
return { owner, token }
