import { randomUUID } from 'node:crypto';
import { send } from '@cxp/services/http';
import { contactCenter, webchat } from '@cxp/services/service-under-test';
import { withStack, type BenchStack } from '../bench-stack';
import { conversationRecords } from '../export/generated-conversations';
import { loadRecords } from '../load-records';
import { compareCalls, makeSteadyCalls } from '../neighbours/steady-calls';
import { reportProgress } from '../progress';
import { createSession } from '../sessions/session-calls';

/** Conversations that expire, in each of both areas. */
const CONVERSATIONS = Number(process.env.ROWS ?? 100_000);
const SECONDS = Number(process.env.SECONDS ?? 30);

/** Chats with four messages each, whose last change was a year ago. */
const OLD_CHATS = `
  WITH conversation AS (
    INSERT INTO webchat.conversation (organization_id, user_id, user_name, created_at, updated_at, last_event, last_sequence)
    SELECT 'old', 'customer-' || n, 'Customer ' || n, now() - interval '400 days', now() - interval '365 days', 4, 4
    FROM generate_series(1, $1::int) AS n
    RETURNING organization_id, id
  ), message AS (
    INSERT INTO webchat.message (organization_id, conversation_id, sequence, id, sender_type, text, sent_at)
    SELECT organization_id, id, n, id || '-' || n, 'customer', repeat('Hello ', 20), now() - interval '365 days'
    FROM conversation CROSS JOIN generate_series(1, 4) AS n
    RETURNING organization_id, conversation_id, sequence
  )
  INSERT INTO webchat.event (organization_id, conversation_id, event, message_sequence, type, payload)
  SELECT organization_id, conversation_id, sequence, sequence, 'message', '{"status": "open"}' FROM message`;

/** How A1 and B1 of an organization fare while the conversations of another one expire. */
export function benchExpiry(): Promise<void> {
  return withStack([webchat, contactCenter], 4, compareExpiry);
}

async function compareExpiry(stack: BenchStack): Promise<void> {
  const quietUrls = await startAll(stack, {});
  reportProgress(`load ${CONVERSATIONS} conversations into each area`);
  const headers = await stack.addOrganization('neighbour');
  const old = await stack.addOrganization('old');
  await loadRecords({ url: quietUrls.webchat, headers }, [
    { type: 'installed_source', data: { id: 1, name: 'Website' } },
  ]);
  await loadRecords({ url: quietUrls.contactCenter, headers }, conversationRecords(2_000));
  await loadRecords({ url: quietUrls.contactCenter, headers: old }, conversationRecords(CONVERSATIONS));
  await stack.dataSource.query(OLD_CHATS, [CONVERSATIONS]);
  await stack.dataSource.query('VACUUM ANALYZE');

  const callsTo = (urls: typeof quietUrls) => ({
    'A1 create a session': {
      perSecond: 20,
      success: 201,
      call: () =>
        send(urls.webchat, {
          ...createSession('neighbour', randomUUID()),
          headers: { ...headers, 'content-type': 'application/json' },
        }),
    },
    'B1 a page of 50': {
      perSecond: 10,
      success: 200,
      call: () =>
        send(urls.contactCenter, {
          method: 'GET',
          path: '/external/conversation-sessions?startDate=2025-03-01&endDate=2025-03-31',
          headers,
        }),
    },
  });
  await makeSteadyCalls(callsTo(quietUrls), 5);
  reportProgress(`quiet: ${SECONDS} s`);
  const quiet = await makeSteadyCalls(callsTo(quietUrls), SECONDS);

  // The neighbour's rows are as old.
  await stack.dataSource.query(
    `UPDATE contact_center.conversation SET created_at = now(), updated_at = now() WHERE organization_id = 'neighbour'`,
  );
  const urls = await startAll(stack, {
    WEBCHAT_CONVERSATIONS_KEPT_DAYS: '30',
    CONTACT_CENTER_CONVERSATIONS_KEPT_DAYS: '30',
  });
  reportProgress('while conversations expire');
  const before = await countsOf(stack);
  const startedAt = performance.now();
  const beside = await makeSteadyCalls(callsTo(urls), SECONDS);
  const seconds = (performance.now() - startedAt) / 1_000;
  const after = await countsOf(stack);
  compareCalls(quiet, beside);
  for (const area of ['webchat', 'contact_center'] as const) {
    console.log(
      `${area}: ${((before[area] - after[area]) / seconds).toFixed(0)} conversations expired a second`,
    );
  }
}

async function startAll(stack: BenchStack, env: Readonly<Record<string, string>>) {
  return {
    webchat: (await stack.startService(webchat, env)).url,
    contactCenter: (await stack.startService(contactCenter, env)).url,
  };
}

async function countsOf({ dataSource }: BenchStack): Promise<Record<'webchat' | 'contact_center', number>> {
  const [counts] = await dataSource.query(
    `SELECT (SELECT count(*)::int FROM webchat.conversation WHERE organization_id = 'old') AS webchat,
       (SELECT count(*)::int FROM contact_center.conversation WHERE organization_id = 'old') AS contact_center`,
  );
  return counts;
}
