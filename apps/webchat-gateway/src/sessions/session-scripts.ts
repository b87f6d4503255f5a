import type { Redis } from 'ioredis';
import { RedisScript } from '@cxp/storage';

/*
 * What Redis holds of an organization's sessions. All of it is in one slot of a cluster, and expires.
 *
 * <prefix>:session:<id>              hash: userId, expiresAt (epoch seconds), conversationId (once it is set), and a field `identifier:<identifier>`
 *                                    for each identifier that PostgreSQL has stored with the conversation
 * <prefix>:<identifier>              sorted set: the sessions that were given this identifier (`user:…`, `phone:…`, `email:…`), by the time (of
 *                                    Redis, in microseconds)
 * <prefix>:conversation:<id>         sorted set: the sessions over a conversation, by their expiry
 * <prefix>:ended:<id>                no session may be over this conversation any more
 *
 * A sorted set may name sessions that are gone: they are removed when they are met.
 */
const prefixOf = (organizationId: string) => `webchat:{${organizationId}}`;

/** The key of a session, for those who need no script. */
export const sessionKey = (organizationId: string, sessionId: string) =>
  `${prefixOf(organizationId)}:session:${sessionId}`;

/** A bound on what one session can make a refresh touch: its identifiers are fewer. */
const MAX_FIELDS = 64;

/** The sessions that an identifier finds, live or not: those that were given it last. A claim looks at no others. */
export const MAX_SESSIONS_OF_IDENTIFIER = 20;

/** Sessions that one call ends. */
const ENDED_AT_ONCE = 100;

/** How long no session may begin over a conversation that has ended, in seconds: longer than any request that found it before. */
const ENDED_FOR_SECONDS = 60;

/** What every script has: its arguments, by their names, as `given`, and the functions over the keys above. */
const COMMON = `
  local prefix, given = KEYS[1] .. ':', cjson.decode(ARGV[1])
  local function sessionKey(id) return prefix .. 'session:' .. id end
  local function conversationKey(id) return prefix .. 'conversation:' .. id end
  local function endedKey(id) return prefix .. 'ended:' .. id end

  -- Redis's own clock, the same for all processes: seconds, and microseconds for the order in which identifiers are given.
  local time = redis.call('TIME')
  local now = tonumber(time[1])
  local at = now * 1000000 + tonumber(time[2])

  local function keepUntil(key, expiresAt)
    if redis.call('TTL', key) < expiresAt - now then redis.call('EXPIREAT', key, expiresAt) end
  end

  -- Lets an identifier find a session until that session expires, or until others were given the identifier later.
  local function give(identifier, sessionId, expiresAt)
    redis.call('ZADD', prefix .. identifier, at, sessionId)
    redis.call('ZREMRANGEBYRANK', prefix .. identifier, 0, ${-1 - MAX_SESSIONS_OF_IDENTIFIER})
    keepUntil(prefix .. identifier, expiresAt)
  end

  -- Lets a conversation find a session until that session expires.
  local function belong(conversationId, sessionId, expiresAt)
    local key = conversationKey(conversationId)
    redis.call('ZADD', key, expiresAt, sessionId)
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    keepUntil(key, expiresAt)
  end

  local function identifiersOf(sessionId)
    local identifiers = { 'user:' .. (redis.call('HGET', sessionKey(sessionId), 'userId') or '') }
    for _, field in ipairs(redis.call('HKEYS', sessionKey(sessionId))) do
      identifiers[#identifiers + 1] = string.match(field, '^identifier:(.*)$')
    end
    return identifiers
  end

  -- Ends a session: nothing finds it any more.
  local function finish(sessionId)
    for _, identifier in ipairs(identifiersOf(sessionId)) do redis.call('ZREM', prefix .. identifier, sessionId) end
    redis.call('DEL', sessionKey(sessionId))
  end

  -- Whether no session may be over a conversation: one that is ends.
  local function hasEnded(conversationId, sessionId)
    if redis.call('EXISTS', endedKey(conversationId)) == 0 then return false end
    finish(sessionId)
    return true
  end
`;

/** A script with named arguments and a named result, both as JSON. */
class SessionScript<Given extends object, Result> {
  private readonly script: RedisScript<string>;

  /** @param body of a Lua function: `given` are its arguments, what it returns is the result */
  constructor(body: string) {
    this.script = new RedisScript(
      `${COMMON} local function run() ${body} end local result = run() return cjson.encode(result)`,
    );
  }

  async run(redis: Redis, organizationId: string, given: Given): Promise<Result> {
    const answer = await this.script.run(redis, [prefixOf(organizationId)], [JSON.stringify(given)]);
    return JSON.parse(answer) as Result;
  }
}

export interface Claim {
  /** Of the session that is opened if none is found. */
  readonly sessionId: string;
  /** The one that was sent, or one that was made up. */
  readonly userId: string;
  /** Those that were sent, in the order in which they match. */
  readonly identifiers: readonly string[];
  /** Whether a user id that was sent matches sessions of this user only. */
  readonly isStrict: boolean;
  readonly lifetimeSeconds: number;
}

export interface Claimed {
  readonly sessionId: string;
  readonly userId: string;
  readonly expiresAt: number;
  readonly conversationId?: string;
  /** Whether PostgreSQL has stored all identifiers that were sent with the conversation. */
  readonly isStored: boolean;
}

/** Matches a live session, or opens one. */
export const CLAIM_SESSION = new SessionScript<Claim, Claimed>(`
  local isOfUser = given.isStrict and given.identifiers[1] == 'user:' .. given.userId
  local function findLive()
    for _, identifier in ipairs(given.identifiers) do
      for _, sessionId in ipairs(redis.call('ZREVRANGE', prefix .. identifier, 0, ${MAX_SESSIONS_OF_IDENTIFIER - 1})) do
        local session = redis.call('HMGET', sessionKey(sessionId), 'expiresAt', 'userId', 'conversationId')
        if tonumber(session[1] or 0) <= now then
          redis.call('ZREM', prefix .. identifier, sessionId)
        elseif not (session[3] and hasEnded(session[3], sessionId)) then
          if not isOfUser or session[2] == given.userId then return sessionId end
        end
      end
    end
  end

  local sessionId = findLive()
  if not sessionId then
    sessionId = given.sessionId
    local expiresAt = now + given.lifetimeSeconds
    redis.call('HSET', sessionKey(sessionId), 'userId', given.userId, 'expiresAt', expiresAt)
    redis.call('EXPIREAT', sessionKey(sessionId), expiresAt)
    -- Also a user id that was made up.
    give('user:' .. given.userId, sessionId, expiresAt)
  end

  local key = sessionKey(sessionId)
  local session = redis.call('HMGET', key, 'userId', 'conversationId', 'expiresAt')
  local isStored = session[2] ~= false
  for _, identifier in ipairs(given.identifiers) do
    give(identifier, sessionId, tonumber(session[3]))
    if identifier ~= 'user:' .. session[1] and redis.call('HEXISTS', key, 'identifier:' .. identifier) == 0 then isStored = false end
  end
  return {
    sessionId = sessionId, userId = session[1], conversationId = session[2] or nil, expiresAt = tonumber(session[3]),
    isStored = isStored
  }
`);

/**
 * Attaches a session to a conversation with which PostgreSQL has stored these identifiers.
 * @returns false if the session is gone, or no session may be over the conversation
 */
export const SET_CONVERSATION = new SessionScript<
  { readonly sessionId: string; readonly conversationId: string; readonly identifiers: readonly string[] },
  boolean
>(`
  local key = sessionKey(given.sessionId)
  local expiresAt = redis.call('HGET', key, 'expiresAt')
  if not expiresAt or hasEnded(given.conversationId, given.sessionId) then return false end
  redis.call('HSET', key, 'conversationId', given.conversationId)
  for _, identifier in ipairs(given.identifiers) do
    if redis.call('HLEN', key) < ${MAX_FIELDS} then redis.call('HSET', key, 'identifier:' .. identifier, '') end
  end
  belong(given.conversationId, given.sessionId, tonumber(expiresAt))
  return true
`);

/** @returns null if there is no such session, or its conversation is not set: then it was never answered to a client */
export const REFRESH_SESSION = new SessionScript<
  { readonly sessionId: string; readonly lifetimeSeconds: number },
  { readonly userId: string; readonly conversationId: string; readonly expiresAt: number } | null
>(`
  local id, key = given.sessionId, sessionKey(given.sessionId)
  local session = redis.call('HMGET', key, 'userId', 'conversationId', 'expiresAt')
  if not session[2] or tonumber(session[3]) <= now or hasEnded(session[2], id) then return nil end
  local expiresAt = now + given.lifetimeSeconds
  redis.call('HSET', key, 'expiresAt', expiresAt)
  redis.call('EXPIREAT', key, expiresAt)
  for _, identifier in ipairs(identifiersOf(id)) do keepUntil(prefix .. identifier, expiresAt) end
  belong(session[2], id, expiresAt)
  return { userId = session[1], conversationId = session[2], expiresAt = expiresAt }
`);

/** Ends sessions over a conversation, and lets no other begin for a while. @returns how many are left */
export const END_SESSIONS = new SessionScript<{ readonly conversationId: string }, number>(`
  redis.call('SET', endedKey(given.conversationId), '1', 'EX', ${ENDED_FOR_SECONDS})
  local key = conversationKey(given.conversationId)
  for _, sessionId in ipairs(redis.call('ZRANGE', key, 0, ${ENDED_AT_ONCE - 1})) do
    finish(sessionId)
    redis.call('ZREM', key, sessionId)
  end
  return redis.call('ZCARD', key)
`);

/** Takes an identifier from all sessions; those of the user, and those that have no conversation yet, end. */
export const FORGET_IDENTIFIER = new SessionScript<{ readonly identifier: string }, null>(`
  local key = prefix .. given.identifier
  for _, sessionId in ipairs(redis.call('ZRANGE', key, 0, -1)) do
    local session = redis.call('HMGET', sessionKey(sessionId), 'userId', 'conversationId')
    if not session[2] or 'user:' .. session[1] == given.identifier then finish(sessionId)
    else redis.call('HDEL', sessionKey(sessionId), 'identifier:' .. given.identifier) end
  end
  redis.call('DEL', key)
`);
