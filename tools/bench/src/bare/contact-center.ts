import { DataSource } from 'typeorm';
import {
  BusinessCalendars,
  HumanScheduleRepository,
  Timezone,
} from '@cxp/contact-center-export/business-hours';
import {
  type PresentedRow,
  RowPresenter,
} from '@cxp/contact-center-export/conversation-sessions/row-presenter';
import { pageQuery } from '@cxp/contact-center-export/conversation-sessions/session-page.read-model';
import { bareApp, bareQuery, limiter, WINDOWS } from './bare-api';

/**
 * What a page of B1 is measured against: a Fastify handler with the statement of the service over pg and the rate limit's call of Redis,
 * and nothing else: no token, no validation, no framework. The schedule is read once.
 */
interface Query {
  readonly Querystring: Readonly<Record<'startDate' | 'endDate' | 'page' | 'perPage', string>>;
}

/** Days begin with the default timezone's. */
const SINGAPORE_MS = 8 * 3_600_000;

const app = bareApp('CONTACT_CENTER_PORT');
const dataSource = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL, poolSize: 1 });
const connected = dataSource.initialize();
const calendars = new BusinessCalendars(new HumanScheduleRepository(dataSource.manager));
let presenter: RowPresenter | undefined;

app.get<Query>('/external/conversation-sessions', async (request, reply) => {
  await connected;
  const organizationId = request.headers['organization-id'] as string;
  await limiter.hit(`organization:${organizationId}:bare`, WINDOWS);
  presenter ??= new RowPresenter(
    await calendars.ofOrganization(organizationId, Timezone.named('Asia/Singapore')!),
  );
  const [page, perPage] = [Number(request.query.page), Number(request.query.perPage ?? 50)];
  const window = {
    startsAt: Date.parse(request.query.startDate) - SINGAPORE_MS,
    endsAt: Date.parse(request.query.endDate) + 24 * 3_600_000 - SINGAPORE_MS,
  };
  const { statement, values } = pageQuery(organizationId, window, (page - 1) * perPage, perPage);
  const rows = await bareQuery<PresentedRow & { total: number }>('page', statement.text, [...values]);
  const items = rows.map((row) => presenter!.toJson(row)).join(',');
  const { total } = rows[0]!;
  const totals = JSON.stringify({ total, page, perPage, pages: Math.ceil(total / perPage) });
  return reply.type('application/json').send(`{"items":[${items}],${totals.slice(1)}`);
});
