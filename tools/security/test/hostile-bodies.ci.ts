import { imageEnvironment } from '@cxp/local-servers';
import { useBuiltService } from '@cxp/services/built-service';
import { send } from '@cxp/services/http';
import { survey } from '@cxp/services/service-under-test';
import { postJson } from '@cxp/services/workloads';

const AT_ONCE = 4;
const MIB = 1_024 * 1_024;

// As the image starts it: what takes more memory ends the process.
const running = useBuiltService(survey, imageEnvironment);

const repeated = (part: string, bytes: number) => part.repeat(Math.floor(bytes / part.length));
/** A batch of the most links, each with one value of so many items. All is wrong; at 195 items it holds 99,501 of 100,000 JSON values. */
const wrongLinks = (items: number) =>
  `{"items":[${Array(500)
    .fill(`{"metadata_mapping":[{"value":[${'[],'.repeat(items - 1)}0]}]}`)
    .join()}]}`;

const TOO_LARGE = '"type":"too_large"';
/** The last of the 100 problems that are listed for a link: its name, its `metadata_id` and 98 items are wrong. */
const LAST_PROBLEM = '"loc":["body","metadata_mapping",0,"value",97]';

it.each<[string, number, string, string, string?]>([
  [
    'millions of empty objects',
    422,
    TOO_LARGE,
    `{"name":"x","metadata_mapping":[${repeated('{},', 4 * MIB - 100)}0]}`,
  ],
  ['millions of members', 422, TOO_LARGE, `{"name":"x","x":{${repeated('"a":0,', 4 * MIB - 100)}"b":0}}`],
  ['more than its limit, without escapes', 413, '', `{"name":"x","x":[${repeated('1,', 12 * MIB - 100)}0]}`],
  ['links of which everything is wrong', 200, LAST_PROBLEM, wrongLinks(195), '/batch'],
  ['links of which everything is wrong, over the limit of values', 422, TOO_LARGE, wrongLinks(196), '/batch'],
])('the process outlives %s, several at once', async (_, status, listed, body, batch = '') => {
  const path = `/external/survey-campaigns/${running.tenant.campaignId}/links${batch}`;
  const request = { ...postJson(path, running.tenant.caller, {}), body };
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => send(running.built.url, request)));
  for (const answer of answers) {
    // While the process reads the others, a request may come to its deadline.
    expect([status, 503]).toContain(answer.status);
    if (answer.status === status) expect(answer.text).toContain(listed);
  }
  expect((await send(running.built.url, { method: 'GET', path: '/health/ready' })).status).toBe(200);
});
