import { REAL_DEADLINE_MS, statusInTime } from '@cxp/service-kit/testing';
import { ConversationSessionService } from '../src/conversation-sessions/conversation-session.service';
import { ExplanationService } from '../src/explanations/explanation.service';
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
