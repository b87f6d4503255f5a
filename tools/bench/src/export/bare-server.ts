import { DataSource } from 'typeorm';
import {
  BusinessCalendars,
  HumanScheduleRepository,
  Timezone,
} from '@cxp/contact-center-export/business-hours';
import { type ConversationSessionRow, deriveRows } from '@cxp/contact-center-export/derivation';
import { ConversationRecordsReadModel } from '@cxp/contact-center-export/records/conversation-records.read-model';
import {
  type PresentedRow,
  RowPresenter,
} from '@cxp/contact-center-export/conversation-sessions/row-presenter';
import { pageQuery } from '@cxp/contact-center-export/conversation-sessions/session-page.read-model';
import { bareApp, limiter, pool, WINDOWS } from '../bare-api';

/**
 * What contact-center-export is measured against: Fastify handlers over pg with the rate limit's call of Redis, and nothing else: no
 * validation, no framework; the schedule is read once, as the service reads a token once in 5 seconds. They answer the bytes that B1
 * answers.
 */
const ORGANIZATION = process.env.BENCH_ORGANIZATION!;

/** Days begin with the default timezone's. */
const SINGAPORE_MS = 8 * 3_600_000;

/** The query of B1. */
interface Query {
  readonly Querystring: Readonly<
    Record<'startDate' | 'endDate' | 'page' | 'perPage', string> &
      Partial<Record<'sessionAgentEmails' | 'sessionEndReasons', string>>
  >;
}

type Wanted = ReturnType<typeof read>;

const app = bareApp('CONTACT_CENTER_PORT');
let presenter: RowPresenter | undefined;

app.addHook('onRequest', async () => {
  await connected;
  await limiter.consume(`organization:${ORGANIZATION}:bare`, WINDOWS);
});

/** As most people write it: a count, and a page by OFFSET. */
app.get<Query>('/offset', async (request, reply) => {
  const wanted = read(request.query);
  const where = `organization_id = $1 AND conversation_updated_at >= $2 AND conversation_updated_at < $3
    AND ($4::text IS NULL OR group_id = ANY (ARRAY(
      SELECT group_id FROM contact_center.session_group WHERE organization_id = $1 AND email = $4)))
    AND ($5::text IS NULL OR session_end_reason = $5)`;
  const values = [
    ORGANIZATION,
    new Date(wanted.startsAt),
    new Date(wanted.endsAt),
    wanted.email,
    wanted.endReason,
  ];
  const [counted, found] = await Promise.all([
    pool.query<{ total: number }>(
      `SELECT count(*)::integer AS total FROM contact_center.conversation_session WHERE ${where}`,
      values,
    ),
    pool.query<PresentedRow>(
      `SELECT document::text AS document, ${instant('bot_handoff_at')} AS "botHandoffAt",
         ${instant('first_agent_assigned_at')} AS "firstAgentAssignedAt",
         ${instant('first_agent_message_at')} AS "firstAgentMessageAt",
         ${instant('conversation_resolved_at')} AS "conversationResolvedAt"
       FROM contact_center.conversation_session WHERE ${where}
       ORDER BY conversation_updated_at, conversation_id, session_index, ticket_id
       OFFSET $6 LIMIT $7`,
      [...values, (wanted.page - 1) * wanted.perPage, wanted.perPage],
    ),
  ]);
  return reply.type('application/json').send(await answer(counted.rows[0]!.total, found.rows, wanted));
});

/** As a careful engineer writes it once OFFSET is too slow: the statement that the service itself runs. */
app.get<Query>('/counted', async (request, reply) => {
  const wanted = read(request.query);
  const { email, endReason, page, perPage, startsAt, endsAt } = wanted;
  const filter = {
    startsAt,
    endsAt,
    ...(email && { sessionAgentEmails: [email] }),
    ...(endReason && { sessionEndReasons: [endReason] }),
  };
  const { statement, values } = pageQuery(ORGANIZATION, filter, (page - 1) * perPage, perPage);
  const { name, text } = statement;
  const { rows } = await pool.query<PresentedRow & { total: number }>({ name, text, values });
  // Without rows there is one that holds the total.
  const found = rows.filter(({ document }) => document !== null);
  return reply.type('application/json').send(await answer(rows[0]!.total, found, wanted));
});

/** As the specification describes: the window's records are joined in memory. */
app.get<Query>('/in-memory', async (request, reply) => {
  const wanted = read(request.query);
  const { rows: conversations } = await pool.query<{ id: string }>(
    'SELECT id FROM contact_center.conversation WHERE organization_id = $1 AND updated_at >= $2 AND updated_at < $3',
    [ORGANIZATION, new Date(wanted.startsAt), new Date(wanted.endsAt)],
  );
  const records = new ConversationRecordsReadModel(dataSource.manager);
  const all: { updatedAt: number; session: ConversationSessionRow }[] = [];
  for (let start = 0; start < conversations.length; start += 1_000) {
    const ids = conversations.slice(start, start + 1_000).map(({ id }) => id);
    for (const conversation of await records.ofConversations(ORGANIZATION, ids)) {
      for (const session of deriveRows(conversation)) {
        if (matches(session, wanted)) all.push({ updatedAt: conversation.updatedAt, session });
      }
    }
  }
  all.sort(
    (one, other) =>
      one.updatedAt - other.updatedAt || (one.session.conversationId < other.session.conversationId ? -1 : 1),
  );
  const rows = all
    .slice((wanted.page - 1) * wanted.perPage, wanted.page * wanted.perPage)
    .map(({ session }) => ({
      document: JSON.stringify(session),
      botHandoffAt: milliseconds(session.botHandoffAt),
      firstAgentAssignedAt: milliseconds(session.firstAgentAssignedAt),
      firstAgentMessageAt: milliseconds(session.firstAgentMessageAt),
      conversationResolvedAt: milliseconds(session.conversationResolvedAt),
    }));
  return reply.type('application/json').send(await answer(all.length, rows, wanted));
});

/** What code of the service runs its statements over. */
const dataSource = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL, poolSize: 10 });
const connected = dataSource.initialize();
const calendars = new BusinessCalendars(new HumanScheduleRepository(dataSource.manager));

function read(query: Query['Querystring']) {
  return {
    startsAt: Date.parse(query.startDate) - SINGAPORE_MS,
    endsAt: Date.parse(query.endDate) + 24 * 3_600_000 - SINGAPORE_MS,
    page: Number(query.page),
    perPage: Number(query.perPage),
    email: query.sessionAgentEmails,
    endReason: query.sessionEndReasons,
  };
}

function matches(session: ConversationSessionRow, { email, endReason }: Wanted): boolean {
  const { sessionAgentEmail, sessionEndReason } = session;
  return (
    (!email || sessionAgentEmail.toLowerCase() === email) && (!endReason || sessionEndReason === endReason)
  );
}

async function answer(
  total: number,
  rows: readonly PresentedRow[],
  { page, perPage }: Wanted,
): Promise<string> {
  presenter ??= new RowPresenter(
    await calendars.ofOrganization(ORGANIZATION, Timezone.named('Asia/Singapore')!),
  );
  const items = rows.map((row) => presenter!.toJson(row)).join(',');
  const pages = Math.ceil(total / perPage);
  return `{"items":[${items}],${JSON.stringify({ total, page, perPage, pages }).slice(1)}`;
}

function instant(column: string): string {
  return `round(date_part('epoch', ${column}) * 1000)`;
}

function milliseconds(at: string | null): number | null {
  return at === null ? null : Date.parse(at);
}
