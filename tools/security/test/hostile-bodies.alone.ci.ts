import { useBuiltService } from '@cxp/services/built-service';
import { send } from '@cxp/services/http';
import { survey } from '@cxp/services/service-under-test';
import { postJson } from '@cxp/services/workloads';

/** As the image sets them: what takes more memory ends the process. */
const IMAGE = { NODE_OPTIONS: '--max-old-space-size=256 --max-semi-space-size=8', MALLOC_ARENA_MAX: '2' };
const AT_ONCE = 4;
const MIB = 1_024 * 1_024;

const running = useBuiltService(survey, () => IMAGE);

const repeated = (part: string, bytes: number) => part.repeat(Math.floor(bytes / part.length));
/** 200 metadata values of 20 items, every one of which is wrong. */
const WRONG_LINK = `{"metadata_mapping":[${Array(200)
  .fill(`{"value":[${repeated('[],', 60)}0]}`)
  .join()}]}`;

it.each<[string, number, string, string?]>([
  ['millions of empty objects', 422, `{"name":"x","metadata_mapping":[${repeated('{},', 4 * MIB - 100)}0]}`],
  ['millions of members', 422, `{"name":"x","x":{${repeated('"a":0,', 4 * MIB - 100)}"b":0}}`],
  ['more than its limit, without escapes', 413, `{"name":"x","x":[${repeated('1,', 12 * MIB - 100)}0]}`],
  ['links of which everything is wrong', 200, `{"items":[${Array(100).fill(WRONG_LINK).join()}]}`, '/batch'],
])('the process outlives %s, several at once', async (_, status, body, batch = '') => {
  const path = `/external/survey-campaigns/${running.tenant.campaignId}/links${batch}`;
  const request = { ...postJson(path, running.tenant.caller, {}), body };
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(running.built.url, request)));
  // While the process reads the others, a request may come to its deadline.
  for (const answer of answers) expect([status, 503]).toContain(answer.status);
  expect((await send(running.built.url, { method: 'GET', path: '/health/ready' })).status).toBe(200);
});
