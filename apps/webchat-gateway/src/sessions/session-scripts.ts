import { RedisScript } from '@cxp/storage';

/*
 * Session hash: userId, conversationId (once it is set), expiresAt (epoch seconds), and one field `identifier:<key>` for
 * every identifier sent with it, so that a refresh can keep them alive as long as the session. Redis may lose any single
 * key: a sorted set may name sessions that are gone, a session may miss from a set; both are mended when met.
 */

/** A bound on what one session can make a refresh touch. */
const MAX_IDENTIFIERS = 64;

/** The sessions that an identifier finds, live or not: those that were given it last. A claim looks at no others. */
export const MAX_SESSIONS_OF_IDENTIFIER = 20;

const CLOCK_AND_IDENTIFIERS = `
  -- Redis's own clock, the same for all processes: seconds, and microseconds for the order in which identifiers are given.
  local time = redis.call('TIME')
  local now = tonumber(time[1])
  local at = now * 1000000 + tonumber(time[2])

  -- Lets a key find a session until that session expires, or until others were given the key later.
  local function give(key, sessionId, givenAt, expiresAt)
    redis.call('ZADD', key, 'GT', givenAt, sessionId)
    redis.call('ZREMRANGEBYRANK', key, 0, ${-1 - MAX_SESSIONS_OF_IDENTIFIER})
    if redis.call('TTL', key) < expiresAt - now then redis.call('EXPIREAT', key, expiresAt) end
  end
`;

/**
 * KEYS: the new session, then the identifiers in matching order, the user id's always first. ARGV: prefix of session
 * keys, new session id, new user id, lifetime in seconds, whether the user id was sent (1) or made up (0), whether only
 * sessions of that user may match (1).
 * Returns session id, user id, conversation id (empty: not set), expiry.
 */
export const CLAIM_SESSION = new RedisScript<[string, string, string, string]>(`
  ${CLOCK_AND_IDENTIFIERS}
  local prefix, freshId, freshUserId, lifetime = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
  local userIdSent, onlyThatUser = ARGV[5] == '1', ARGV[6] == '1'

  local function findLive()
    for i = 2, #KEYS do
      for _, sessionId in ipairs(redis.call('ZREVRANGE', KEYS[i], 0, ${MAX_SESSIONS_OF_IDENTIFIER - 1})) do
        local session = redis.call('HMGET', prefix .. sessionId, 'expiresAt', 'userId', 'identifier:' .. KEYS[2])
        if tonumber(session[1] or 0) <= now then
          redis.call('ZREM', KEYS[i], sessionId)
        elseif not (userIdSent and onlyThatUser) or session[2] == freshUserId or session[3] then
          return sessionId
        end
      end
    end
  end

  local sessionId = findLive()
  -- A made-up user id belongs to the session that is opened with it, not to one that was found.
  local firstGiven = (sessionId and not userIdSent) and 3 or 2
  if not sessionId then
    sessionId = freshId
    redis.call('HSET', KEYS[1], 'userId', freshUserId, 'expiresAt', now + lifetime)
    redis.call('EXPIREAT', KEYS[1], now + lifetime)
  end

  local key = prefix .. sessionId
  local session = redis.call('HMGET', key, 'userId', 'conversationId', 'expiresAt')
  for i = firstGiven, #KEYS do
    if redis.call('HLEN', key) < ${MAX_IDENTIFIERS} then redis.call('HSET', key, 'identifier:' .. KEYS[i], at) end
    give(KEYS[i], sessionId, at, tonumber(session[3]))
  end
  return { sessionId, session[1], session[2] or '', session[3] }
`);

/** KEYS: the session. ARGV: its conversation. Returns 1, or 0 when the session is gone. */
export const SET_CONVERSATION = new RedisScript<number>(`
  if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
  redis.call('HSET', KEYS[1], 'conversationId', ARGV[1])
  return 1
`);

/**
 * KEYS: the session. ARGV: its id, lifetime in seconds. Returns user id, conversation id, expiry; nil when there is no
 * such session, or its conversation is not set: then no client was told of it.
 */
export const REFRESH_SESSION = new RedisScript<[string, string, string] | null>(`
  ${CLOCK_AND_IDENTIFIERS}
  local session = redis.call('HMGET', KEYS[1], 'userId', 'conversationId', 'expiresAt')
  if not session[2] or tonumber(session[3]) <= now then return nil end
  local expiresAt = now + tonumber(ARGV[2])
  redis.call('HSET', KEYS[1], 'expiresAt', expiresAt)
  redis.call('EXPIREAT', KEYS[1], expiresAt)
  local fields = redis.call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do
    local key = string.match(fields[i], '^identifier:(.*)$')
    if key then give(key, ARGV[1], tonumber(fields[i + 1]), expiresAt) end
  end
  return { session[1], session[2], tostring(expiresAt) }
`);
