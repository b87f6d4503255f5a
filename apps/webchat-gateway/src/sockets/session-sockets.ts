import { Injectable } from '@nestjs/common';
import { Redis } from 'ioredis';
import { RedisScript } from '@cxp/storage';
import { sessionKeys } from '../sessions/session-keys';
import { WebchatSettings } from '../settings';

/** When the sockets of a process that died without removing them are dropped, in seconds. */
const KEY_TTL_SECONDS = 86_400;

/**
 * KEYS: the session, its sockets by the time at which they were added. ARGV: the new socket, the maximum.
 * Returns the ids of the oldest ones beyond the maximum; nil if there is no such session.
 */
const ADD = new RedisScript<string[] | null>(`
  if redis.call('HEXISTS', KEYS[1], 'conversationId') == 0 then return nil end
  local time = redis.call('TIME')
  redis.call('ZADD', KEYS[2], tonumber(time[1]) * 1000000 + tonumber(time[2]), ARGV[1])
  redis.call('EXPIRE', KEYS[2], ${KEY_TTL_SECONDS})
  local surplus = redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[2])
  if surplus <= 0 then return {} end
  local oldest = redis.call('ZRANGE', KEYS[2], 0, surplus - 1)
  redis.call('ZREM', KEYS[2], unpack(oldest))
  return oldest
`);

/** The sockets of each session, those of all processes, in Redis. */
@Injectable()
export class SessionSockets {
  constructor(
    private readonly redis: Redis,
    private readonly settings: WebchatSettings,
  ) {}

  /**
   * Adds a socket to a live session.
   * @returns the ids of the sockets that have to be closed for it; undefined if there is no such session
   */
  async add(organizationId: string, sessionId: string, socketId: string): Promise<string[] | undefined> {
    const keys = sessionKeys(organizationId);
    const replaced = await ADD.run(
      this.redis,
      [keys.session(sessionId), keys.sockets(sessionId)],
      [socketId, this.settings.WEBCHAT_SOCKETS_PER_SESSION],
    );
    return replaced ?? undefined;
  }

  async remove(organizationId: string, sessionId: string, socketId: string): Promise<void> {
    await this.redis.zrem(sessionKeys(organizationId).sockets(sessionId), socketId);
  }
}
