import { Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import type { Subject } from '@cxp/erasure';
import { RedisScript } from '@cxp/storage';
import { subjectIdentifiers, type UserDescription } from '../conversations/conversation.repository';
import { WebchatSettings } from '../settings';

/*
 * What Redis holds of an organization's sessions. The hash tag keeps it in one slot of a cluster; all keys expire.
 *
 * <prefix>:session:<id>         hash: userId, expiresAt (epoch seconds), conversationId (once set), what PostgreSQL stored of the user
 *                               (name, email, phone, as they were sent; none while it is not known), `writer`, the call that is
 *                               storing them, and `identifier:<identifier>`, the time of setting, for each identifier that it stored
 * <prefix>:<identifier>         sorted set: sessions with `user:…`, `phone:…` or `email:…`, by Redis's time in microseconds
 * <prefix>:conversation:<id>    sorted set: sessions of a conversation, by expiry
 * <prefix>:ended:<id>           no session may begin on this conversation
 *
 * Sorted sets may name expired sessions; the next reader removes them.
 */
const prefixOf = (organizationId: string) => `webchat:{${organizationId}}`;

const sessionKey = (organizationId: string, sessionId: string) =>
  `${prefixOf(organizationId)}:session:${sessionId}`;

/** Bounds the work of a refresh. A session with more identifiers is no longer found by the oldest. */
const MAX_FIELDS = 64;

/** A claim looks at the sessions that got the identifier last, live or not. */
export const MAX_SESSIONS_OF_IDENTIFIER = 20;

/** Seconds; longer than any request that found the conversation before it ended. */
const ENDED_FOR_SECONDS = 60;

/** Seconds; longer than a call stores what it says, and than PostgreSQL runs its statement. */
const WRITES_FOR_SECONDS = 10;

/** Scripts have their named arguments as `given`, and functions over the keys above. */
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

  -- Takes the identifier that was stored first from a session.
  local function forgetOldest(sessionId)
    local oldest, oldestAt
    local fields = redis.call('HGETALL', sessionKey(sessionId))
    for i = 1, #fields, 2 do
      local identifier, storedAt = string.match(fields[i], '^identifier:(.*)$'), tonumber(fields[i + 1]) or 0
      if identifier and (not oldest or storedAt < oldestAt) then oldest, oldestAt = identifier, storedAt end
    end
    redis.call('ZREM', prefix .. oldest, sessionId)
    redis.call('HDEL', sessionKey(sessionId), 'identifier:' .. oldest)
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

class SessionScript<Given extends object, Result> {
  private readonly script: RedisScript<string>;

  /** @param body of a Lua function that returns the result */
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

interface Claim {
  /** Used if a new session is opened. */
  readonly sessionId: string;
  /** The sent id, or a generated one. */
  readonly userId: string;
  /** Ordered by precedence. */
  readonly identifiers: readonly string[];
  readonly said: UserDescription;
  /** Whether a sent user id matches only sessions of this user. */
  readonly isStrict: boolean;
  readonly lifetimeSeconds: number;
}

export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly conversationId: string;
  /** Unix epoch seconds, by Redis's clock. */
  readonly expiresAt: number;
}

/** The conversation may be unset: the creator sets it, or the next create that finds the session. */
export interface ClaimedSession extends Omit<Session, 'conversationId'> {
  readonly conversationId?: string;
  /** The call, if no other one is storing what it says of the user. */
  readonly writer?: string;
  /** Whether PostgreSQL stored all that was sent. */
  readonly isStored: boolean;
}

const DESCRIPTION = `{ 'name', 'email', 'phone' }`;

export const CLAIM_SESSION = new SessionScript<Claim, ClaimedSession>(`
  local isOfUser = given.isStrict and given.identifiers[1] == 'user:' .. given.userId
  local function findLive()
    for _, identifier in ipairs(given.identifiers) do
      for _, sessionId in ipairs(redis.call('ZREVRANGE', prefix .. identifier, 0, ${MAX_SESSIONS_OF_IDENTIFIER - 1})) do
        local session = redis.call('HMGET', sessionKey(sessionId), 'expiresAt', 'userId', 'conversationId', 'name', 'email', 'phone')
        if tonumber(session[1] or 0) <= now then
          redis.call('ZREM', prefix .. identifier, sessionId)
        elseif not (session[3] and hasEnded(session[3], sessionId)) then
          if not isOfUser or session[2] == given.userId then return sessionId, session end
        end
      end
    end
  end

  local sessionId, session = findLive()
  if not sessionId then
    sessionId, session = given.sessionId, { now + given.lifetimeSeconds, given.userId }
    redis.call('HSET', sessionKey(sessionId), 'userId', given.userId, 'expiresAt', session[1])
    redis.call('EXPIREAT', sessionKey(sessionId), session[1])
    -- A user id that was made up. One that was sent is given below.
    if given.identifiers[1] ~= 'user:' .. given.userId then give('user:' .. given.userId, sessionId, session[1]) end
  end

  local expiresAt, userId, conversationId = tonumber(session[1]), session[2], session[3] or nil
  local isStored, said = conversationId ~= nil, {}
  for i, field in ipairs(${DESCRIPTION}) do
    if given.said[field] then
      said[#said + 1] = field
      isStored = isStored and session[3 + i] == given.said[field]
    end
  end
  for _, identifier in ipairs(given.identifiers) do
    give(identifier, sessionId, expiresAt)
    isStored = isStored and (identifier == 'user:' .. userId
      or redis.call('HEXISTS', sessionKey(sessionId), 'identifier:' .. identifier) == 1)
  end
  -- Until the only writer has set it, nobody knows what PostgreSQL has. Of two at once nobody knows which it stored last.
  local writer
  if not isStored and said[1] then
    local key = sessionKey(sessionId)
    local since = string.match(redis.call('HGET', key, 'writer') or '', '^%d+')
    local mark = string.format('%.0f:%s', now, given.sessionId)
    redis.call('HDEL', key, unpack(said))
    redis.call('HSET', key, 'writer', mark)
    if not since or tonumber(since) + ${WRITES_FOR_SECONDS} < now then writer = mark end
  end
  return {
    id = sessionId, userId = userId, conversationId = conversationId, expiresAt = expiresAt, writer = writer, isStored = isStored
  }
`);

/**
 * Attaches a session to a conversation with which PostgreSQL stored what was said and these identifiers.
 * @returns the session's expiry, which a refresh may have moved; null if the session is gone or the conversation has ended
 */
export const SET_CONVERSATION = new SessionScript<
  {
    readonly sessionId: string;
    readonly conversationId: string;
    readonly identifiers: readonly string[];
    readonly said: UserDescription;
    readonly writer?: string;
  },
  number | null
>(`
  local key = sessionKey(given.sessionId)
  local expiresAt = tonumber(redis.call('HGET', key, 'expiresAt'))
  if not expiresAt or hasEnded(given.conversationId, given.sessionId) then return nil end
  redis.call('HSET', key, 'conversationId', given.conversationId)
  if given.writer and redis.call('HGET', key, 'writer') == given.writer then
    for field, text in pairs(given.said) do redis.call('HSET', key, field, text) end
    redis.call('HDEL', key, 'writer')
  end
  for _, identifier in ipairs(given.identifiers) do
    redis.call('HSET', key, 'identifier:' .. identifier, at)
    keepUntil(prefix .. identifier, expiresAt)
  end
  while redis.call('HLEN', key) > ${MAX_FIELDS} do forgetOldest(given.sessionId) end
  belong(given.conversationId, given.sessionId, expiresAt)
  return expiresAt
`);

/** @returns null without such a session, or while its conversation is not set: then no client knows it */
export const REFRESH_SESSION = new SessionScript<
  { readonly sessionId: string; readonly lifetimeSeconds: number },
  Session | null
>(`
  local id, key = given.sessionId, sessionKey(given.sessionId)
  local session = redis.call('HMGET', key, 'userId', 'conversationId', 'expiresAt')
  if not session[2] or tonumber(session[3]) <= now or hasEnded(session[2], id) then return nil end
  local expiresAt = now + given.lifetimeSeconds
  redis.call('HSET', key, 'expiresAt', expiresAt)
  redis.call('EXPIREAT', key, expiresAt)
  for _, identifier in ipairs(identifiersOf(id)) do keepUntil(prefix .. identifier, expiresAt) end
  belong(session[2], id, expiresAt)
  return { id = id, userId = session[1], conversationId = session[2], expiresAt = expiresAt }
`);

/** Ends all sessions of a conversation, and blocks new ones for a while. */
const END_SESSIONS = new SessionScript<{ readonly conversationId: string }, null>(`
  redis.call('SET', endedKey(given.conversationId), '1', 'EX', ${ENDED_FOR_SECONDS})
  local key = conversationKey(given.conversationId)
  for _, sessionId in ipairs(redis.call('ZRANGE', key, 0, -1)) do finish(sessionId) end
  redis.call('DEL', key)
`);

/** Removes an identifier from all sessions. Sessions of the user, and those without a conversation, end. */
const FORGET_IDENTIFIER = new SessionScript<{ readonly identifier: string }, null>(`
  local key = prefix .. given.identifier
  for _, sessionId in ipairs(redis.call('ZRANGE', key, 0, -1)) do
    local session = redis.call('HMGET', sessionKey(sessionId), 'userId', 'conversationId')
    if not session[2] or 'user:' .. session[1] == given.identifier then finish(sessionId)
    else redis.call('HDEL', sessionKey(sessionId), 'identifier:' .. given.identifier, 'name', 'email', 'phone', 'writer') end
  end
  redis.call('DEL', key)
`);

@Injectable()
export class SessionRepository {
  constructor(
    private readonly redis: Redis,
    private readonly settings: WebchatSettings,
  ) {}

  /**
   * Matches a live session by identifier, or opens one, atomically: of concurrent calls for one user, one opens and the others
   * match.
   */
  claim(
    organizationId: string,
    identifiers: readonly string[],
    said: UserDescription,
    fresh: { readonly sessionId: string; readonly userId: string },
  ): Promise<ClaimedSession> {
    const { WEBCHAT_STRICT_USER_ID: isStrict, WEBCHAT_SESSION_TTL_SECONDS: lifetimeSeconds } = this.settings;
    const claim = { ...fresh, identifiers, said, isStrict, lifetimeSeconds };
    return CLAIM_SESSION.run(this.redis, organizationId, claim);
  }

  /** @returns the session's expiry; null if the session or the conversation is gone */
  setConversation(
    organizationId: string,
    claimed: Pick<ClaimedSession, 'id' | 'writer'>,
    conversationId: string,
    said: UserDescription,
    identifiers: readonly string[],
  ): Promise<number | null> {
    const { id: sessionId, writer } = claimed;
    const given = { sessionId, writer, conversationId, said, identifiers };
    return SET_CONVERSATION.run(this.redis, organizationId, given);
  }

  /** Sets the expiry to one lifetime from now. */
  refresh(organizationId: string, sessionId: string): Promise<Session | null> {
    const { WEBCHAT_SESSION_TTL_SECONDS: lifetimeSeconds } = this.settings;
    return REFRESH_SESSION.run(this.redis, organizationId, { sessionId, lifetimeSeconds });
  }

  async isLive(organizationId: string, sessionId: string): Promise<boolean> {
    return (await this.redis.hexists(sessionKey(organizationId, sessionId), 'conversationId')) === 1;
  }

  endOf(organizationId: string, conversationId: string): Promise<void> {
    return endSessions(this.redis, organizationId, [conversationId]);
  }
}

/** Ends sessions of conversations that are being erased, and blocks new ones. */
export async function endSessions(
  redis: Redis,
  organizationId: string,
  conversationIds: readonly string[],
): Promise<void> {
  await Promise.all(
    conversationIds.map((conversationId) => END_SESSIONS.run(redis, organizationId, { conversationId })),
  );
}

/** Removes a person's identifiers from all sessions; the person's sessions end. */
export async function forgetPerson(redis: Redis, organizationId: string, subject: Subject): Promise<void> {
  for (const identifier of subjectIdentifiers(subject)) {
    await FORGET_IDENTIFIER.run(redis, organizationId, { identifier });
  }
}
