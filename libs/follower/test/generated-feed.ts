import { hexDigest } from '@cxp/change-feed/row-digest';
import fields from '../src/fields.json';
import { type CopiedRow, followedFeeds, type FollowedChange } from '../src/followed-feed';

export type Row = Record<string, unknown>;
type Random = (below: number) => number;

const [contactCenter] = followedFeeds;
const START = Date.UTC(2026, 2, 1);

export const isoTime = (seconds: number) => new Date(START + seconds * 1_000).toISOString();

/** A row of the export with values that its conversation has in common, and others. */
export function randomRow(
  random: Random,
  conversationId: string,
  sessionIndex: number | null,
  ticketId: number | null,
): Row {
  const or = (share: number, value: () => unknown) => (random(100) < share ? value() : null);
  const start = random(40 * 86_400);
  const agent = random(6);
  const isAnswered = sessionIndex !== null && random(5) > 0;
  const figure = () => (isAnswered ? or(90, () => random(4_000)) : null);
  const session: Row =
    sessionIndex === null
      ? {}
      : {
          sessionStartAt: isoTime(start),
          sessionAgentAccountId: agent === 0 ? null : agent,
          sessionAgentEmail: agent === 1 ? '' : `agent-${agent}@example.com`,
          sessionAgentName: `Tên ${agent} '${random(3)}`,
          firstAgentMessageAt: isAnswered ? isoTime(start + random(900)) : null,
          waitTimeSeconds: figure(),
          firstResponseTimeSeconds: figure(),
          resolutionTimeSeconds: or(50, () => random(400_000)),
          waitTimeBusinessHoursSeconds: figure(),
          firstResponseTimeBusinessHoursSeconds: figure(),
          resolutionTimeBusinessHoursSeconds: or(50, () => random(90_000)),
          rating: or(40, () => 1 + random(5)),
          resolutionYesNo: ['Yes', 'No', ''][random(3)],
          submittedAt: or(70, () => isoTime(start + random(5_000))),
        };
  const blank = Object.entries(fields['contact-center-export']).map(([name, { type, isNullable }]) => [
    name,
    isNullable ? null : type === 'object' ? {} : '',
  ]);
  const customFields = { 'Chi nhánh "1"': `Hà Nội ${random(5)}` };
  return {
    ...(Object.fromEntries(blank) as Row),
    ...{ conversationId, sessionIndex, ticketId, customFields },
    conversationCreatedAt: isoTime(0),
    customerName: `Hoa ${conversationId}`,
    ...session,
  };
}

/** The rows of a conversation: up to three sessions with up to two tickets each, or a ticket alone. */
export function randomConversation(random: Random, conversationId: string, number: number): Row[] {
  const rows: Row[] = [];
  for (let index = 0; index < random(4); index += 1) {
    const row = randomRow(random, conversationId, index, null);
    const tickets = random(3);
    if (tickets === 0) rows.push(row);
    for (let ticket = 0; ticket < tickets; ticket += 1)
      rows.push({ ...row, ticketId: number * 100 + index * 10 + ticket });
  }
  if (rows.length === 0 || random(4) === 0)
    rows.push(randomRow(random, conversationId, null, number * 100 + 99));
  return rows;
}

export function keyOf({ conversationId, sessionIndex, ticketId }: Row): FollowedChange['key'] {
  return { conversationId, sessionIndex, ticketId } as FollowedChange['key'];
}

export function upsert(change: number, row: Row, updatedAt: string): FollowedChange {
  const key = keyOf(row);
  const digest = hexDigest(contactCenter!.digestOf({ key, extra: updatedAt, row: row as CopiedRow['row'] }));
  return { op: 'upsert', change, key, conversationUpdatedAt: updatedAt, digest, row } as FollowedChange;
}

export function removal(change: number, row: Row, reason: string): FollowedChange {
  return { op: 'delete', change, key: keyOf(row), reason };
}
