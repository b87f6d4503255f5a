import request from 'supertest';
import { signServiceToken } from '@cxp/auth-headers';
import type { TestService } from '@cxp/service-kit/testing';
import { record } from './builders/platform-records';
import { getConversation, importRecords, startContactCenter, UNAUTHORIZED } from './contact-center-service';

const KEY = { id: 'current', secret: 'x'.repeat(32) };
const INVALID = { detail: 'Invalid or missing token' };

let service: TestService;
beforeAll(async () => {
  service = await startContactCenter({ SERVICE_TOKEN_KEYS: `${KEY.id}:${KEY.secret}` });
});
afterAll(() => service.stop());

async function callerOf(organizationId: string, by: object = {}) {
  const token = await signServiceToken([{ ...KEY, ...by }], { organizationId, service: 'webchat-gateway' });
  const headers = {
    authorization: `Bearer ${token}`,
    'organization-id': organizationId,
    'auth-type': 'token',
  };
  return { organizationId, headers };
}

const conversation = [record.conversation({ id: 'c' })];

it('a service imports records of the organization that its token names', async () => {
  const { organizationId } = await service.caller();
  const caller = await callerOf(organizationId);
  await importRecords(service, caller as never, conversation).expect(200, { accepted: 1 });
});

it('its token reaches nothing else, and no other organization', async () => {
  const [own, other] = [await service.caller(), await service.caller()];
  const caller = await callerOf(own.organizationId);
  const elsewhere = { headers: { ...caller.headers, 'organization-id': other.organizationId } };
  await importRecords(service, elsewhere as never, conversation).expect(401, INVALID);
  await getConversation(service, caller, 'c').expect(401, UNAUTHORIZED);
  await request(service.url).post('/external/erasures').set(caller.headers).send({}).expect(401);
  const asAccount = { headers: { ...caller.headers, 'auth-type': 'account' } };
  await importRecords(service, asAccount as never, conversation).expect(401, INVALID);
});

it('a token of another key is refused, and every token where there are no keys', async () => {
  const { organizationId } = await service.caller();
  const forged = await callerOf(organizationId, { secret: 'y'.repeat(32) });
  await importRecords(service, forged as never, conversation).expect(401, INVALID);
  const without = await startContactCenter();
  const caller = await callerOf((await without.caller()).organizationId);
  await importRecords(without, caller as never, conversation).expect(401, INVALID);
  await without.stop();
});
