import { ChangeWatch } from '@cxp/change-feed';
import { eventually, REAL_DEADLINE_MS, statusInTime } from '@cxp/service-kit/testing';
import { ConversationSessionService } from '../src/conversation-sessions/conversation-session.service';
import { ExplanationService } from '../src/explanations/explanation.service';
import { conversationOfAnn } from './builders/platform-records';
import { EVER, useContactCenter } from './contact-center-service';

const area = useContactCenter({ CXP_TEST_DEADLINE_MS: String(REAL_DEADLINE_MS) });

const never = () => new Promise<never>(() => undefined);
const schedule = { humanSchedule: { weekly: [] } };

it.each([
  ['POST', '/external/conversation-sessions/1/explanation', schedule],
  ['GET', `/external/conversation-sessions?${new URLSearchParams(EVER).toString()}`, undefined],
])('%s %s that is handled too slowly is 503 in time', async (method, path, body) => {
  jest.spyOn(area.service.app.get(ExplanationService), 'explain').mockImplementation(never);
  jest.spyOn(area.service.app.get(ConversationSessionService), 'page').mockImplementation(never);
  const { headers } = await area.service.caller();
  const call = () =>
    fetch(area.service.url + path, {
      method,
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
  expect(await statusInTime(call)).toEqual({ status: 503, isInTime: true });
});

it('twenty readers of an organization that wait for changes are all answered when a thousand rows come at once', async () => {
  const readers = Array.from({ length: 20 }, () =>
    area.listChanges({ limit: 1_000, wait: 20 }).then(({ status }) => status),
  );
  await eventually(() => area.service.app.get(ChangeWatch).waiting === readers.length);
  await area.store(
    Array.from({ length: 1_000 }, (_, number) => conversationOfAnn({ id: `c-${number}` })).flat(),
  );
  expect(await Promise.all(readers)).toEqual(readers.map(() => 200));
});
