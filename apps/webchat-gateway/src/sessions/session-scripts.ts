import { RedisScript } from '@cxp/storage';

/** Longer than any session lives without a refresh, in seconds: the mark of a conversation outlasts the sessions over it. */
export const ENDED_FOR_SECONDS = 2 * 86_400;

/** Sessions that one call ends. */
const ENDED_AT_ONCE = 100;

/*
 * Session hash: userId, conversationId (once it is set), expiresAt (epoch seconds), and one field `identifier:<key>` for
 * every identifier sent with it, so that a refresh can keep them alive as long as the session; `unstored` while PostgreSQL may not
 * have stored some of them with the conversation. Redis may lose any single key: a sorted set may name sessions that are gone, a session may miss from a set; both are mended when met.
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

  -- Lets a conversation find a session until that session expires.
  local function belong(key, sessionId, expiresAt)
    redis.call('ZADD', key, expiresAt, sessionId)
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    if redis.call('TTL', key) < expiresAt - now then redis.call('EXPIREAT', key, expiresAt) end
  end
`;

const END = `
  -- Ends a session: nothing finds it any more.
  local function finish(key, sessionId)
    local fields = redis.call('HKEYS', key)
    for i = 1, #fields do
      local identifier = string.match(fields[i], '^identifier:(.*)$')
      if identifier then redis.call('ZREM', identifier, sessionId) end
    end
    redis.call('DEL', key)
  end
`;

/**
 * KEYS: the new session, then the identifiers in matching order, the user id's always first. ARGV: prefix of session
 * keys, new session id, new user id, lifetime in seconds, whether the user id was sent (1) or made up (0), whether only
 * sessions of that user may match (1), prefix of the marks of conversations.
 * Returns session id, user id, conversation id (empty: not set), expiry, the mark `unstored` (empty: there is none), and with it the keys
 * of all identifiers of the session.
 */
export const CLAIM_SESSION = new RedisScript<[string, string, string, string, string, string[]]>(`
  ${CLOCK_AND_IDENTIFIERS}
  ${END}
  local prefix, freshId, freshUserId, lifetime = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
  local userIdSent, onlyThatUser = ARGV[5] == '1', ARGV[6] == '1'

  local function findLive()
    for i = 2, #KEYS do
      for _, sessionId in ipairs(redis.call('ZREVRANGE', KEYS[i], 0, ${MAX_SESSIONS_OF_IDENTIFIER - 1})) do
        local session = redis.call('HMGET', prefix .. sessionId, 'expiresAt', 'userId', 'identifier:' .. KEYS[2], 'conversationId')
        if tonumber(session[1] or 0) <= now then
          redis.call('ZREM', KEYS[i], sessionId)
        elseif session[4] and redis.call('EXISTS', ARGV[7] .. session[4]) == 1 then
          finish(prefix .. sessionId, sessionId)
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
    local field = 'identifier:' .. KEYS[i]
    local isNew = redis.call('HEXISTS', key, field) == 0
    if not isNew or redis.call('HLEN', key) < ${MAX_IDENTIFIERS} then redis.call('HSET', key, field, at) end
    if isNew then redis.call('HSET', key, 'unstored', at) end
    give(KEYS[i], sessionId, at, tonumber(session[3]))
  end
  local unstored, identifiers = redis.call('HGET', key, 'unstored'), {}
  if unstored then
    for _, field in ipairs(redis.call('HKEYS', key)) do
      identifiers[#identifiers + 1] = string.match(field, '^identifier:(.*)$')
    end
  end
  return { sessionId, session[1], session[2] or '', session[3], unstored or '', identifiers }
`);

/**
 * KEYS: the session, the sessions over its conversation, the mark of its conversation. ARGV: its conversation, its id, the mark `unstored`
 * that is done with. Returns 1, or 0 when the session is gone, or no session may be over the conversation.
 */
export const SET_CONVERSATION = new RedisScript<number>(`
  ${CLOCK_AND_IDENTIFIERS}
  ${END}
  local expiresAt = redis.call('HGET', KEYS[1], 'expiresAt')
  if not expiresAt then return 0 end
  if redis.call('EXISTS', KEYS[3]) == 1 then
    finish(KEYS[1], ARGV[2])
    return 0
  end
  redis.call('HSET', KEYS[1], 'conversationId', ARGV[1])
  if redis.call('HGET', KEYS[1], 'unstored') == ARGV[3] then redis.call('HDEL', KEYS[1], 'unstored') end
  belong(KEYS[2], ARGV[2], tonumber(expiresAt))
  return 1
`);

/**
 * KEYS: the session. ARGV: its id, lifetime in seconds, prefixes of the sessions and of the mark of a conversation. Returns user id,
 * conversation id, expiry; nil when there is no such session, or its conversation is not set: then no client was told of it.
 */
export const REFRESH_SESSION = new RedisScript<[string, string, string] | null>(`
  ${CLOCK_AND_IDENTIFIERS}
  ${END}
  local session = redis.call('HMGET', KEYS[1], 'userId', 'conversationId', 'expiresAt')
  if not session[2] or tonumber(session[3]) <= now then return nil end
  if redis.call('EXISTS', ARGV[4] .. session[2]) == 1 then
    finish(KEYS[1], ARGV[1])
    return nil
  end
  local expiresAt = now + tonumber(ARGV[2])
  redis.call('HSET', KEYS[1], 'expiresAt', expiresAt)
  redis.call('EXPIREAT', KEYS[1], expiresAt)
  local fields = redis.call('HGETALL', KEYS[1])
  for i = 1, #fields, 2 do
    local key = string.match(fields[i], '^identifier:(.*)$')
    if key then give(key, ARGV[1], tonumber(fields[i + 1]), expiresAt) end
  end
  belong(ARGV[3] .. session[2], ARGV[1], expiresAt)
  return { session[1], session[2], tostring(expiresAt) }
`);

/**
 * Ends sessions over a conversation, and lets no other begin. KEYS: the sessions over it, its mark. ARGV: prefix of session keys, seconds that
 * the mark is kept. Returns how many are left.
 */
export const END_SESSIONS = new RedisScript<number>(`
  ${END}
  redis.call('SET', KEYS[2], '1', 'EX', ARGV[2])
  for _, sessionId in ipairs(redis.call('ZRANGE', KEYS[1], 0, ${ENDED_AT_ONCE - 1})) do
    finish(ARGV[1] .. sessionId, sessionId)
    redis.call('ZREM', KEYS[1], sessionId)
  end
  return redis.call('ZCARD', KEYS[1])
`);

/**
 * Takes an identifier from all sessions; those of the user ARGV[2], and those that have no conversation yet, end. KEYS: the identifier.
 * ARGV: prefix of session keys, user id.
 */
export const FORGET_IDENTIFIER = new RedisScript<null>(`
  ${END}
  for _, sessionId in ipairs(redis.call('ZRANGE', KEYS[1], 0, -1)) do
    local key = ARGV[1] .. sessionId
    local session = redis.call('HMGET', key, 'userId', 'conversationId')
    if not session[2] or session[1] == ARGV[2] then finish(key, sessionId)
    else redis.call('HDEL', key, 'identifier:' .. KEYS[1]) end
  end
  redis.call('DEL', KEYS[1])
  return nil
`);
