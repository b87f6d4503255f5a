import { DataSource } from 'typeorm';
import {
  BusinessCalendars,
  HumanScheduleRepository,
  Timezone,
} from '@cxp/contact-center-export/business-hours';
import { ConversationSessionRepository } from '@cxp/contact-center-export/conversation-sessions/conversation-session.repository';
import { presentRows } from '@cxp/contact-center-export/conversation-sessions/present-rows';
import { bareApp, limiter, WINDOWS } from './bare-api';

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
const dataSource = new DataSource({ type: 'postgres', url: process.env.DATABASE_URL, poolSize: 10 });
const connected = dataSource.initialize();
const calendars = new BusinessCalendars(new HumanScheduleRepository(dataSource.manager));
let calendar: ReturnType<BusinessCalendars['ofOrganization']> | undefined;
const sessions = new ConversationSessionRepository(dataSource.manager);

app.get<Query>('/external/conversation-sessions', async (request) => {
  await connected;
  const organizationId = request.headers['organization-id'] as string;
  await limiter.hit(`organization:${organizationId}:bare`, WINDOWS);
  calendar ??= calendars.ofOrganization(organizationId, Timezone.named('Asia/Singapore')!);
  const [page, perPage] = [Number(request.query.page), Number(request.query.perPage ?? 50)];
  const window = {
    startsAt: Date.parse(request.query.startDate) - SINGAPORE_MS,
    endsAt: Date.parse(request.query.endDate) + 24 * 3_600_000 - SINGAPORE_MS,
  };
  const offset = (page - 1) * perPage;
  const { total, rows } = await sessions.page(organizationId, window, { offset, limit: perPage });
  const items = await presentRows(rows, await calendar);
  return { items, total, page, perPage, pages: Math.ceil(total / perPage) };
});
