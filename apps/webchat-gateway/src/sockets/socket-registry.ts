import { Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { RedisScript } from '@cxp/storage';
import { sessionKey } from '../sessions/session.repository';
import { WebchatSettings } from '../settings';

/** When the last trace of sockets goes whose processes died without a word, in seconds. */
const FORGOTTEN_AFTER_SECONDS = 86_400;

/**
 * KEYS: the session, its sockets by the time they came. ARGV: the new socket, the most there may be.
 * Returns the ids of the oldest ones that are too many; nil when there is no such session.
 */
const ENTER = new RedisScript<string[] | null>(`
  if redis.call('HEXISTS', KEYS[1], 'conversationId') == 0 then return nil end
  local time = redis.call('TIME')
  redis.call('ZADD', KEYS[2], tonumber(time[1]) * 1000000 + tonumber(time[2]), ARGV[1])
  redis.call('EXPIRE', KEYS[2], ${FORGOTTEN_AFTER_SECONDS})
  local surplus = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[2])
  if surplus <= 0 then return {} end
  local oldest = redis.call('ZRANGE', KEYS[2], 0, surplus - 1)
  redis.call('ZREM', KEYS[2], unpack(oldest))
  return oldest
`);

/** The sockets of every session, on all processes together. */
@Injectable()
export class SocketRegistry {
  constructor(
    private readonly redis: Redis,
    private readonly settings: WebchatSettings,
  ) {}

  /**
   * Adds a socket to a live session.
   * @returns the sockets that have to make room for it; undefined when there is no such session
   */
  async enter(organizationId: string, sessionId: string, socketId: string): Promise<string[] | undefined> {
    const replaced = await ENTER.run(
      this.redis,
      [sessionKey(organizationId, sessionId), socketsKey(organizationId, sessionId)],
      [socketId, this.settings.WEBCHAT_SOCKETS_PER_SESSION],
    );
    return replaced ?? undefined;
  }

  async leave(organizationId: string, sessionId: string, socketId: string): Promise<void> {
    await this.redis.zrem(socketsKey(organizationId, sessionId), socketId);
  }
}

function socketsKey(organizationId: string, sessionId: string): string {
  return `webchat:{${organizationId}}:sockets:${sessionId}`;
}
