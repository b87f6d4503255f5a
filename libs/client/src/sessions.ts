import type { CallOptions, HttpClient } from './http-client';
import type { CreatedSession, RefreshedSession, WebchatUser } from './types';

export interface CreateSessionInput {
  /** Id of the webchat channel. */
  readonly installedSourceId: number;
  /** Send your own stable `id`: a conversation's history comes back only through it. */
  readonly user?: WebchatUser | null;
}

export class Sessions {
  constructor(
    private readonly http: HttpClient,
    private readonly organizationId: string,
  ) {}

  /**
   * Creates a session, or returns the user's live one. Without `user.id` every call makes a new user, so only a refused call is
   * repeated.
   */
  create(input: CreateSessionInput, { signal }: CallOptions = {}): Promise<CreatedSession> {
    return this.http.json({
      method: 'POST',
      path: '/external/sessions',
      body: { organizationId: this.organizationId, ...input },
      signal,
      isRepeatable: typeof input.user?.id === 'string',
    });
  }

  /**
   * Extends a live session by an hour.
   * @throws NotFoundError if it has ended
   */
  refresh(sessionId: string, { signal }: CallOptions = {}): Promise<RefreshedSession> {
    return this.http.json({
      method: 'POST',
      path: '/external/sessions/refresh',
      body: { sessionId },
      signal,
    });
  }
}
