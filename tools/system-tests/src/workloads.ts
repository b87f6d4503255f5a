import { randomBytes } from 'node:crypto';
import { accessDatabase } from '@cxp/auth-headers';
import { issueTestToken, type Caller } from '@cxp/service-kit/testing';
import { openDatabase } from '@cxp/storage';
import type { ServiceProcess } from '@cxp/testing/local-servers';
import { importRecords, postJson, postRecords, record, type HttpAnswer, type HttpRequest } from './http';
import {
  contactCenter,
  INTERNAL_WORDING,
  startBuilt,
  survey,
  webchat,
  type ServiceUnderTest,
} from './service-under-test';

type Environment = Readonly<Record<string, string>>;

/** The name of the operation that stores records. */
export const INTAKE = 'take records in';

/** Something that is done over and over, each time with a number of its own. */
export interface Operation {
  readonly name: string;
  readonly success: number;
  /** Its answer is sent while it is made: when a store fails in the middle, it breaks off. */
  readonly streamed?: boolean;
  /** The area's 503. */
  readonly unavailable: object;
  readonly request: (n: number, caller: Caller) => HttpRequest;
  /** What has to be in the database once it was acknowledged. */
  readonly keeps?: Kept;
}

export interface Kept {
  /** All that the organization ($1) has, as `key` and `id`. */
  readonly sql: string;
  readonly key: (n: number) => string;
  readonly id: (answer: HttpAnswer, n: number) => string;
}

/** What a service does all day. */
export interface Workload {
  readonly service: ServiceUnderTest;
  /** Records that the operations need. */
  readonly records: readonly object[];
  readonly operations: readonly Operation[];
  /** The table that intake writes to. */
  readonly intakeTable: string;
}

const CAMPAIGN = 'f3b1c5de-2f7e-4c8e-9a53-5d0a6c3d1e42';
/** So much that each record takes room on the disk, and can't be compressed. */
const BULK = randomBytes(3_000).toString('hex');

/** As much of it as a conversation may hold. */
const CUSTOMER = {
  filumId: BULK.slice(0, 255),
  name: BULK.slice(255, 510),
  phone: BULK.slice(510, 765),
  email: BULK.slice(765, 1_085),
};

const NOON = '2026-01-05T05:00:00.000Z';
const DAY = 'start_date=2026-01-05&end_date=2026-01-05';

export const WORKLOADS: readonly Workload[] = [
  {
    service: webchat,
    intakeTable: 'webchat.installed_source',
    records: [record('installed_source', { id: 1, name: 'Website' })],
    operations: [
      {
        ...operation(webchat, 'create a session', (n, caller) => {
          const { organizationId } = caller;
          const user = { id: `user-${n}` };
          return postJson('/external/sessions', caller, { organizationId, installedSourceId: 1, user });
        }),
        success: 201,
        keeps: {
          sql: 'SELECT user_id AS key, id::text FROM webchat.conversation WHERE organization_id = $1',
          key: (n) => `user-${n}`,
          id: ({ body }) => (body as { conversationId: string }).conversationId,
        },
      },
      intake(
        (n) => record('installed_source', { id: 1_000 + n, name: `${BULK} ${n}` }),
        'SELECT id::text AS key, name AS id FROM webchat.installed_source WHERE organization_id = $1',
        (n) => [String(1_000 + n), `${BULK} ${n}`],
      ),
    ],
  },
  {
    service: contactCenter,
    intakeTable: 'contact_center.record',
    records: [conversation('c')],
    operations: [
      operation(
        contactCenter,
        'list sessions',
        call('GET', '/external/conversation-sessions?startDate=2026-01-05&endDate=2026-01-05&perPage=1'),
      ),
      operation(contactCenter, 'get a conversation', call('GET', '/external/conversation-sessions/c')),
      intake(
        (n) => conversation(`c-${n}`),
        `SELECT id AS key, id FROM contact_center.record WHERE organization_id = $1 AND type = 'conversation'`,
        (n) => [`c-${n}`, `c-${n}`],
      ),
    ],
  },
  {
    service: survey,
    intakeTable: 'survey.response',
    records: [
      record('survey_campaign', { id: CAMPAIGN, name: 'Visit', status: 'active', survey_questions: [] }),
      record('metadata_field', { id: 1, name: 'Number', variable: 'number' }),
    ],
    operations: [
      {
        ...operation(survey, 'create a link', (n, caller) => {
          const metadata_mapping = [{ metadata_id: 1, value: n }];
          const path = `/external/survey-campaigns/${CAMPAIGN}/links`;
          return postJson(path, caller, { name: `link-${n}`, metadata_mapping });
        }),
        keeps: {
          sql: 'SELECT name AS key, id::text FROM survey.link WHERE organization_id = $1',
          key: (n) => `link-${n}`,
          id: ({ body }) => String((body as { id: number }).id),
        },
      },
      {
        ...operation(
          survey,
          'export responses',
          call('POST', `/external/survey-responses/export?survey_campaign_id=${CAMPAIGN}&${DAY}`),
        ),
        streamed: true,
      },
      intake(
        (n) => {
          const data = { identifier: uuid(n), survey_campaign_id: CAMPAIGN, sent_timestamp: NOON };
          return record('survey_response', { ...data, metadata_mappings: { note: BULK } });
        },
        'SELECT identifier::text AS key, identifier::text AS id FROM survey.response WHERE organization_id = $1',
        (n) => [uuid(n), uuid(n)],
      ),
    ],
  },
];

/** A service that a load is put on. */
export interface Target {
  readonly url: string;
  readonly caller: Caller;
  readonly operations: readonly Operation[];
}

/** The three services as processes over the same stores, with the records that their workloads need. */
export interface RunningWorkloads {
  readonly caller: Caller;
  readonly processes: ReadonlyMap<Workload, ServiceProcess>;
  /** All of them, to put under load. */
  readonly targets: readonly Target[];
  readonly stop: () => Promise<void>;
}

/**
 * @param databaseUrl of the migrated database itself; the services may be given another way there
 * @param environment settings of the services, or of each, `DATABASE_URL` and `REDIS_URL` among them
 */
export async function startWorkloads(
  databaseUrl: string,
  environment: Environment | ((service: ServiceUnderTest) => Environment),
): Promise<RunningWorkloads> {
  const dataSource = await openDatabase(databaseUrl, [accessDatabase]);
  const caller = await issueTestToken(dataSource);
  await dataSource.destroy();
  const processes = new Map(
    await Promise.all(
      WORKLOADS.map(async (workload) => {
        const own = typeof environment === 'function' ? environment(workload.service) : environment;
        const service = await startBuilt(workload.service, own);
        await importRecords(service.url, caller, workload.records);
        return [workload, service] as const;
      }),
    ),
  );
  return {
    caller,
    processes,
    targets: WORKLOADS.map((workload) => ({
      url: processes.get(workload)!.url,
      caller,
      operations: workload.operations,
    })),
    stop: async () => {
      await Promise.all([...processes.values()].map((service) => service.stop()));
    },
  };
}

function operation(
  { unavailable }: Pick<ServiceUnderTest, 'unavailable'>,
  name: string,
  request: Operation['request'],
): Operation {
  return { name, success: 200, unavailable, request };
}

function call(method: string, path: string): Operation['request'] {
  return (_, { headers }) => ({ method, path, headers });
}

function intake(
  recordOf: (n: number) => object,
  sql: string,
  stored: (n: number) => [key: string, id: string],
): Operation {
  return {
    ...operation(INTERNAL_WORDING, INTAKE, (n, caller) => postRecords(caller, [recordOf(n)])),
    keeps: { sql, key: (n) => stored(n)[0], id: (_, n) => stored(n)[1] },
  };
}

function conversation(id: string): object {
  return record('conversation', { id, createdAt: NOON, updatedAt: NOON, customer: CUSTOMER });
}

function uuid(n: number): string {
  return `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

/** Two hundred intervals a week, of which none touches another. */
export function largestSchedule(): object {
  const time = (minute: number) => new Date(minute * 60_000).toISOString().slice(11, 16);
  const weekly = Array.from({ length: 200 }, (_, n) => {
    const minute = Math.floor(n / 7) * 45;
    return { weekday: (n % 7) + 1, start: time(minute), end: time(minute + 20) };
  });
  return { weekly };
}
