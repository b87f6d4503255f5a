import request from 'supertest';
import { startTestService, type Caller, type TestService } from '@cxp/service-kit/testing';
import { contactCenterDatabase } from '../src/database';
import { AppModule } from '../src/app.module';

export const ACCOUNT_SESSION_SECRET = '0123456789abcdef0123456789abcdef';

/** A window that every conversation of a test falls into. */
export const EVER = { startDate: '2000-01-01', endDate: '2099-12-31' };

/** The contract's error bodies. */
export const UNAUTHORIZED = { detail: { message: 'Unauthorized' } };
export const ORGANIZATION_MISMATCH = {
  detail: { message: 'organizationId does not match the authenticated organization' },
};
export const RATE_LIMITED = { detail: 'Rate limit exceeded' };
export function conversationNotFound(id: string) {
  return { detail: { message: `Conversation with id ${id} was not found` } };
}

export function startContactCenter(environment: Record<string, string> = {}): Promise<TestService> {
  return startTestService(AppModule, contactCenterDatabase, {
    ACCOUNT_SESSION_SECRET,
    ...environment,
  });
}

export function importRecords(
  service: Pick<TestService, 'url'>,
  caller: Caller,
  records: readonly object[],
): request.Test {
  return request(service.url)
    .post('/internal/records')
    .set(caller.headers)
    .set('content-type', 'application/x-ndjson')
    .send(records.map((record) => JSON.stringify(record)).join('\n'));
}

export function listSessions(
  service: Pick<TestService, 'url'>,
  caller: Pick<Caller, 'headers'>,
  query: Record<string, string | number | readonly string[]>,
): request.Test {
  return request(service.url).get('/external/conversation-sessions').set(caller.headers).query(query);
}

export function getConversation(
  service: Pick<TestService, 'url'>,
  caller: Pick<Caller, 'headers'>,
  conversationId: string,
  query: Record<string, string> = {},
): request.Test {
  return request(service.url)
    .get(`/external/conversation-sessions/${encodeURIComponent(conversationId)}`)
    .set(caller.headers)
    .query(query);
}
