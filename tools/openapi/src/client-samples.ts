import type { OpenAPIObject } from '@nestjs/swagger';

const WEEK = {
  ts: "{ startDate: '2026-01-05', endDate: '2026-01-09' }",
  py: '"2026-01-05", "2026-01-09"',
};
const CAMPAIGN = '0b0f7c1e-5f5c-4a86-9b1e-3a1d4c7f2a01';
const MONTH = {
  ts: `{ survey_campaign_id: '${CAMPAIGN}', start_date: '2026-01-01', end_date: '2026-01-31' }`,
  py: `"${CAMPAIGN}", "2026-01-01", "2026-01-31"`,
};

/** By operation: what a user of `@cxp/client` writes behind `await cxp.`, and one of `cxp-client` behind `cxp.` */
const CALLS: Readonly<Record<string, readonly [string, string]>> = {
  createSession: [
    "sessions.create({ installedSourceId: 1, user: { id: 'customer-4711', name: 'Hoa' } })",
    'sessions.create(installed_source_id=1, user={"id": "customer-4711", "name": "Hoa"})',
  ],
  refreshSession: [
    "sessions.refresh('0d9f5b1c-57a4-4f0b-9a53-6d2f3a3f7a11')",
    'sessions.refresh("0d9f5b1c-57a4-4f0b-9a53-6d2f3a3f7a11")',
  ],
  listConversationSessions: [
    `conversationSessions.page(${WEEK.ts})`,
    `conversation_sessions.page(${WEEK.py})`,
  ],
  getConversationSessions: [
    "conversationSessions.ofConversation('conversation-1')",
    'conversation_sessions.of_conversation("conversation-1")',
  ],
  listConversationSessionChanges: [
    'conversationSessions.changes({ once: true }).next()',
    'conversation_sessions.changes(once=True).__next__()',
  ],
  listConversationSessionDigests: [
    `conversationSessions.digests(${WEEK.ts})`,
    `conversation_sessions.digests(${WEEK.py})`,
  ],
  explainConversationSessions: [
    "conversationSessions.explanation('conversation-1')",
    'conversation_sessions.explanation("conversation-1")',
  ],
  listCampaigns: ['surveyCampaigns.page()', 'survey_campaigns.page()'],
  listResponses: [`surveyResponses.page(${MONTH.ts})`, `survey_responses.page(${MONTH.py})`],
  exportResponses: [`surveyResponses.exportRows(${MONTH.ts})`, `survey_responses.export_rows(${MONTH.py})`],
  listResponseChanges: [
    'surveyResponses.changes({ once: true }).next()',
    'survey_responses.changes(once=True).__next__()',
  ],
  listResponseDigests: [
    "surveyResponses.digests({ start_date: '2026-01-01', end_date: '2026-01-31' })",
    'survey_responses.digests("2026-01-01", "2026-01-31")',
  ],
  createLink: [
    `surveyLinks.create('${CAMPAIGN}', { name: 'Website' })`,
    `survey_links.create("${CAMPAIGN}", "Website")`,
  ],
};

/** The document with samples of both clients, which read their settings from the environment. */
export function withClientSamples(document: OpenAPIObject): OpenAPIObject {
  for (const { get, post } of Object.values(document.paths)) {
    for (const operation of [get, post]) {
      const calls = CALLS[operation?.operationId ?? ''];
      if (!calls) continue;
      const [ts, py] = calls;
      Object.assign(operation!, {
        'x-codeSamples': [
          {
            lang: 'TypeScript',
            label: '@cxp/client',
            source: `import { CxpClient } from '@cxp/client';\n\nconst cxp = CxpClient.fromEnvironment();\nconsole.log(await cxp.${ts});\n`,
          },
          {
            lang: 'Python',
            label: 'cxp-client',
            source: `from cxp_client import Client\n\ncxp = Client.from_environment()\nprint(cxp.${py})\n`,
          },
        ],
      });
    }
  }
  return document;
}
