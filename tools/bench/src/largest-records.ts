import { randomUUID } from 'node:crypto';
import { largestSchedule } from '@cxp/system-tests/workloads';
import type { Area } from './rows';

export const CAMPAIGN_ID = '00000000-0000-4000-8000-000000000001';
export const LARGEST_CONVERSATION = 'largest';

/** What has to be stored for the calls. */
export function* largestRecords(area: Area): Generator<object[]> {
  if (area === 'webchat') yield [{ type: 'installed_source', data: { id: 1, name: 'Website' } }];
  if (area === 'contactCenter') {
    yield [{ type: 'human_schedule', data: largestSchedule() }];
    yield largestConversation();
    for (let n = 0; n < 4; n++) yield manyTickets(n);
    yield Array.from({ length: 10_000 }, (_, n) => [
      { type: 'conversation', data: { id: `c-${n}`, createdAt: at(n * 2_000), updatedAt: at(n * 2_000) } },
    ]).flat();
  }
  if (area === 'survey') {
    yield [
      ...Array.from({ length: 200 }, (_, n) => ({
        ...{
          type: 'metadata_field',
          data: { id: n, name: 'ế'.repeat(255), variable: `${n} ${'ế'.repeat(200)}` },
        },
      })),
      {
        type: 'organization_settings',
        data: {
          max_survey_links_per_campaign: 1_000_000,
          brand: { name: 'ế'.repeat(60), color: '#000000', logo: largestLogo() },
        },
      },
    ];
    for (let n = 1; n <= 100; n++) {
      yield [
        {
          type: 'survey_campaign',
          data: largestCampaign(`00000000-0000-4000-8000-${String(n).padStart(12, '0')}`),
        },
      ];
    }
    for (let n = 0; n < 5; n++) yield Array.from({ length: 100 }, () => largestResponse(40_000));
    yield Array.from({ length: 4_500 }, () => largestResponse(1_000));
  }
}

function largestConversation(): object[] {
  const id = LARGEST_CONVERSATION;
  const customer = { name: 'ế'.repeat(255) };
  return [
    {
      type: 'conversation',
      data: { id, createdAt: at(0), updatedAt: at(0), closedAt: '2199-01-01T00:00:00Z', customer },
    },
    ...Array.from({ length: 9_900 }, (_, n) => ({
      type: 'activity',
      data: {
        id: `${id}-${n}`,
        conversationId: id,
        action: 'assign',
        occurredAt: at(n),
        agent: { accountId: n % 2, email: `agent-${n % 2}@example.com`, name: 'Agent' },
      },
    })),
  ];
}

/** Sixty rows of 48 kB each. */
function manyTickets(n: number): object[] {
  const conversationId = `tickets ${n}`;
  return [
    { type: 'conversation', data: { id: conversationId, createdAt: at(n), updatedAt: at(n) } },
    ...Array.from({ length: 60 }, (_, ticket) => ({
      type: 'ticket',
      data: {
        ...{ id: n * 60 + ticket + 1, conversationId, createdAt: at(n), updatedAt: at(n) },
        description: `${n} é `.repeat(12_000).slice(0, 48_000),
      },
    })),
  ];
}

/** As many characters of a page as a campaign may make. */
function largestCampaign(id: string): object {
  const options = Array.from({ length: 900 }, (_, n) => [`${n}`, `${n} ${'&'.repeat(110)}`]);
  const survey_questions = [
    {
      id: 1,
      type: 'checkbox',
      title: 'ế'.repeat(2_000),
      option_titles_by_id: Object.fromEntries(options) as object,
    },
    { id: 1_000, type: 'text', title: 'ế'.repeat(2_000) },
  ];
  return { id, name: 'ế'.repeat(1_000), status: 'active', survey_questions };
}

export function largestResponse(characters: number): object {
  return {
    type: 'survey_response',
    data: {
      identifier: randomUUID(),
      survey_campaign_id: CAMPAIGN_ID,
      sent_timestamp: at(turn() % 30_000_000),
      user_name: 'Hoa',
      answers: { 1_000: 'ế'.repeat(characters / 2) },
    },
  };
}

function largestLogo(): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path d="M0 0${'h8'.repeat(9_900)}"/></svg>`;
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString('base64')}`;
}

export function largestUser(): object {
  const unique = randomUUID();
  return {
    id: `${unique}${'ế'.repeat(200)}`,
    name: 'ế'.repeat(255),
    email: `${unique}@${'İ'.repeat(180)}.example`,
  };
}

let turns = 1_000;

export function turn(): number {
  return turns++;
}

export function at(seconds: number): string {
  return new Date(Date.UTC(2026, 0, 5) + seconds * 1_000).toISOString();
}
