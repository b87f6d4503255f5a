import { CxpClient, CxpError } from '../src';

const VARIABLES = { ORGANIZATION_ID: 'acme', API_TOKEN: 'cxp_1', SURVEY_URL: 'https://survey.test' };

/** The calls that are made, instead of requests. */
function recorder() {
  const calls: { url: string; headers: Record<string, string> }[] = [];
  const fetch: typeof globalThis.fetch = (url, init) => {
    calls.push({ url: url as string, headers: init!.headers as Record<string, string> });
    return Promise.resolve(new Response('{"items":[]}'));
  };
  return { calls, fetch };
}

it('a client is made of the environment, and options win', async () => {
  Object.assign(process.env, VARIABLES);
  const { calls, fetch } = recorder();
  await CxpClient.fromEnvironment({ fetch }).surveyCampaigns.page();
  const urls = { survey: 'https://other.test' };
  await CxpClient.fromEnvironment({ fetch, urls, token: 'cxp_2' }).surveyCampaigns.page();
  const headers = { 'organization-id': 'acme', 'auth-type': 'token' };
  expect(calls).toEqual([
    {
      url: 'https://survey.test/external/survey-campaigns',
      headers: { ...headers, authorization: 'Bearer cxp_1' },
    },
    {
      url: 'https://other.test/external/survey-campaigns',
      headers: { ...headers, authorization: 'Bearer cxp_2' },
    },
  ]);
});

it.each(['ORGANIZATION_ID', 'API_TOKEN'])('without %s the error names it', (name) => {
  Object.assign(process.env, VARIABLES, { [name]: '' });
  const error = new CxpError(`${name} is not set: set this environment variable`);
  expect(() => CxpClient.fromEnvironment()).toThrow(error);
});

it('a client needs an organization and a token', () => {
  expect(() => new CxpClient({ organizationId: '', token: 't', urls: {} })).toThrow(
    'organizationId is not set',
  );
  expect(() => new CxpClient({ organizationId: 'acme', token: '', urls: {} })).toThrow('token is not set');
});
