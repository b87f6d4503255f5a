import { randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { DataSource } from 'typeorm';
import {
  BusinessCalendars,
  HumanScheduleRepository,
  Timezone,
} from '@cxp/contact-center-export/business-hours';
import { ConversationSessionReadModel } from '@cxp/contact-center-export/conversation-sessions/conversation-session.read-model';
import { contactCenterDatabase } from '@cxp/contact-center-export/database';
import { presentRows } from '@cxp/contact-center-export/conversation-sessions/present-rows';
import { FIND_OR_CREATE_CONVERSATION } from '@cxp/webchat-gateway/conversations/conversation.repository';
import { CampaignListReadModel } from '@cxp/survey-api/campaigns/campaign-list.read-model';
import { surveyDatabase } from '@cxp/survey-api/database';
import type { MetadataAssociation } from '@cxp/survey-api/links/link.dto';
import { LinkRepository, mappingKey } from '@cxp/survey-api/links/link.repository';
import {
  CLAIM_SESSION,
  REFRESH_SESSION,
  SET_CONVERSATION,
} from '@cxp/webchat-gateway/sessions/session.repository';

const ACTIVE_SOURCE =
  'SELECT 1 FROM webchat.installed_source WHERE organization_id = $1 AND id = $2 AND active';

/**
 * What the services are measured against: Fastify handlers of A1, A2, B1, C1 and C4 with the statements of the services, and nothing else:
 * no token, no validation, no rate limit, no framework.
 */
const ORGANIZATION = 'bench';
const redis = new Redis(process.env.REDIS_URL!, { enableAutoPipelining: true });
const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const dataSource = new DataSource({
  type: 'postgres',
  url: process.env.DATABASE_URL,
  poolSize: 10,
  entities: [...contactCenterDatabase.entities!, ...surveyDatabase.entities!],
});
const sessions = new ConversationSessionReadModel(dataSource.manager);
const calendars = new BusinessCalendars(new HumanScheduleRepository(dataSource.manager));
const campaigns = new CampaignListReadModel(dataSource.manager);
const links = new LinkRepository(dataSource.manager);
const app = fastify();

app.get('/health/ready', () => ({ ready: true, pid: process.pid }));

app.post<{ Body: { installedSourceId: number; user: { id: string } } }>(
  '/external/sessions',
  async (request, reply) => {
    const { user, installedSourceId } = request.body;
    await query('source', ACTIVE_SOURCE, [ORGANIZATION, installedSourceId]);
    const claim = { sessionId: randomUUID(), userId: user.id, identifiers: [`user:${user.id}`] };
    const claimed = await CLAIM_SESSION.run(redis, ORGANIZATION, {
      ...claim,
      isStrict: false,
      lifetimeSeconds: 3_600,
    });
    const { id: sessionId, userId } = claimed;
    let { conversationId } = claimed;
    if (!conversationId) {
      const values = [ORGANIZATION, userId, null, null, null, [], false];
      const [created] = await query<{ id: string }>('conversation', FIND_OR_CREATE_CONVERSATION.text, values);
      conversationId = created!.id;
      await SET_CONVERSATION.run(redis, ORGANIZATION, { sessionId, conversationId, identifiers: [] });
    }
    return reply.status(201).send({ userId, sessionId, conversationId });
  },
);

app.post<{ Body: { sessionId: string } }>('/external/sessions/refresh', ({ body: { sessionId } }) =>
  REFRESH_SESSION.run(redis, ORGANIZATION, { sessionId, lifetimeSeconds: 3_600 }),
);

app.get('/external/survey-campaigns', () => campaigns.page(ORGANIZATION, {}, { offset: 0, limit: 10 }));

app.post<{ Params: { id: string }; Body: { name: string; metadata_mapping: MetadataAssociation[] } }>(
  '/external/survey-campaigns/:id/links',
  async ({ params: { id }, body: { name, metadata_mapping: mapping } }) => {
    const hash = await mappingKey(mapping);
    const key = { organizationId: ORGANIZATION, campaignId: id, mapping, hash };
    const { fields, link } = await links.find(key, 1_000_000);
    return { ...(link ?? (await links.create(key, name, 1_000_000))), fields };
  },
);

app.get<{ Querystring: { startDate: string; endDate: string } }>(
  '/external/conversation-sessions',
  async ({ query: { startDate, endDate } }) => {
    const timezone = Timezone.named('Asia/Singapore')!;
    const eightHours = 8 * 3_600_000;
    const window = {
      startsAt: Date.parse(startDate) - eightHours,
      endsAt: Date.parse(endDate) + 24 * 3_600_000 - eightHours,
    };
    const { total, rows } = await sessions.page(ORGANIZATION, window, { offset: 0, limit: 50 });
    const items = await presentRows(rows, await calendars.ofOrganization(ORGANIZATION, timezone));
    return { items, total, page: 1, perPage: 50, pages: Math.ceil(total / 50) };
  },
);

async function query<Found extends object>(name: string, text: string, values: unknown[]): Promise<Found[]> {
  return (await pool.query<Found>({ name, text, values })).rows;
}

void dataSource.initialize().then(() => app.listen({ port: Number(process.env.WEBCHAT_PORT), host: '::' }));
