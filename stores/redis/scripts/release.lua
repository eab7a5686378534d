-- ARGV: the state's name, whose lease ends.
local token, _, owner = lease_of(ARGV[3])
if owner == ARGV[4] and token ~= '0' then
  put_lease(ARGV[3], token, '0', owner)
end
