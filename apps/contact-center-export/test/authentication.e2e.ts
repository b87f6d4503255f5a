import { signAccountSession } from '@cxp/access';
import {
  ACCOUNT_SESSION_SECRET,
  EVER,
  listSessions,
  startContactCenter,
  UNAUTHORIZED,
} from './contact-center-service';

// Callers that are denied: tools/security/test/access-matrix.e2e.ts.
it('a service without a key for account sessions answers every one of them 401', async () => {
  const keyless = await startContactCenter({ ACCOUNT_SESSION_SECRET: '' });
  const { headers, organizationId } = await keyless.caller();
  const claims = { accountId: '42', organizationId, permissions: { $export_conversation_session: ['list'] } };
  const session = await signAccountSession(claims, ACCOUNT_SESSION_SECRET, 60);
  const asAccount = { headers: { ...headers, authorization: `Bearer ${session}`, 'auth-type': 'account' } };
  const { status, body } = await listSessions(keyless, asAccount, EVER);
  await keyless.stop();
  expect([status, body]).toEqual([401, UNAUTHORIZED]);
});
