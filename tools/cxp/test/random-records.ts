import { seededRandom } from '@cxp/testing';

const CONVERSATIONS = 200;
const RESPONSES = 300;
const CAMPAIGNS = 4;

/** What belongs to it beside its type, intake checks. */
type RandomRecord = { readonly type: string } & Readonly<Record<string, unknown>>;

const next = seededRandom('records');

export const random = (below: number) => Math.floor(next() * below);

const at = (second: number) => new Date(Date.UTC(2026, 0, 5) + second * 1_000).toISOString();

/** A record of area B, sometimes two that belong together: upserts and removals in any order. */
export function randomContactCenterRecords(): RandomRecord[] {
  const number = random(CONVERSATIONS);
  const conversationId = `c-${number}`;
  const id = `${conversationId}-${random(5)}`;
  const agent = { accountId: 1 + random(3), email: `agent-${random(3)}@example.com`, name: 'Mai' };
  const second = random(86_400 * 30);
  switch (random(12)) {
    case 0:
      return [{ type: 'conversation', op: 'delete', data: { id: conversationId } }];
    case 1:
      return [{ type: 'activity', op: 'delete', data: { id } }];
    case 2:
      return [{ type: 'ticket', op: 'delete', data: { id: number } }];
    case 3:
      return random(50) > 0
        ? []
        : [
            {
              type: 'human_schedule',
              data: { weekly: [{ weekday: 1, start: `0${random(9)}:00`, end: '17:30' }] },
            },
          ];
    case 4:
      return [{ type: 'message', data: { id, conversationId, senderType: 'agent', sentAt: at(second) } }];
    case 5:
      return [
        {
          type: 'conversation_survey',
          data: { id, conversationId, rating: 1 + random(5), submittedAt: at(second) },
        },
      ];
    case 6:
      return [
        {
          type: 'ticket',
          data: {
            ...{ id: number, conversationId: `c-${random(CONVERSATIONS)}`, assigneeAccountId: 1 + random(3) },
            ...{ createdAt: at(second), updatedAt: at(random(86_400)), subject: 'Kính vỡ 😀' },
          },
        },
      ];
    default: {
      const action = ['assign', 'human_take_over', 'route_to_rating', 'end_conversation'][random(4)];
      return [
        {
          type: 'conversation',
          data: { id: conversationId, createdAt: at(0), updatedAt: at(second), customer: { name: 'Hoa' } },
        },
        { type: 'activity', data: { id, conversationId, action, occurredAt: at(second), agent } },
      ];
    }
  }
}

const uuid = (kind: number, number: number) =>
  `00000000-0000-4000-8000-${String(kind * 1_000 + number).padStart(12, '0')}`;

/** The same of area C: responses that come, change and go, and campaigns that are deleted and come back. */
export function randomSurveyRecords(): RandomRecord[] {
  const identifier = uuid(1, random(RESPONSES));
  const campaign = uuid(2, random(CAMPAIGNS));
  switch (random(12)) {
    case 0:
    case 1:
      return [{ type: 'survey_response', op: 'delete', data: { identifier } }];
    case 2:
      // The first ones stay, so that there are always responses to read.
      return [
        campaignRecord(campaign, random(4) === 0 ? 'deleted' : 'active'),
        ...[0, 1].map((number) => campaignRecord(uuid(2, number), 'active')),
      ];
    default:
      return [
        {
          type: 'survey_response',
          data: {
            ...{ identifier, survey_campaign_id: campaign, sent_timestamp: at(random(86_400 * 30)) },
            ...{ user_name: 'Nguyễn 😀', source: 'Email', answers: { '1': `answer ${random(1_000)}` } },
          },
        },
      ];
  }
}

export function campaignRecord(id: string, status: 'active' | 'deleted') {
  const question = { id: 1, type: 'text', metric_type: null, title: 'How was it?' };
  const data = { id, name: 'After the visit', status, touchpoints: [], survey_questions: [question] };
  return { type: 'survey_campaign', data };
}
