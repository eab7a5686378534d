-- ARGV: whether only if it has no message; its tombstones stay then.
if ARGV[3] == '1' and redis.call('EXISTS', log) == 1 then
  return
end
for _, name in ipairs(redis.call('HKEYS', states)) do
  redis.call('DEL', parts(name))
end
redis.call('DEL', meta, log, turns, states, leases)
if ARGV[3] ~= '1' then
  redis.call('DEL', dead)
end
