import { eventually } from '@cxp/service-kit/testing';
import {
  ConversationSessionService,
  type StreamedRow as SessionOfStream,
} from '../src/conversation-sessions/conversation-session.service';
import { ROW_FIELDS } from '../src/derivation/conversation-session-row';
import { useContactCenter } from './contact-center-service';

const PARQUET = 'application/vnd.apache.parquet';
const NDJSON = 'application/x-ndjson';

const area = useContactCenter({ CXP_TEST_DEADLINE_MS: '4000' });
afterEach(() => jest.restoreAllMocks());

/** A row without values. */
const EMPTY = Object.fromEntries(
  Object.entries(ROW_FIELDS).map(([name, { schema }]) => {
    const { type, nullable } = schema as { type?: string; nullable?: boolean };
    return [name, nullable ? null : ({ integer: 0, object: {} }[type ?? ''] ?? '')];
  }),
);

it.each([
  [NDJSON, 8, EMPTY],
  [PARQUET, 2, { ...EMPTY, conversationId: 'of a whole row group'.repeat(250_000) }],
])(
  'a whole window as %s is refused with 429 to an organization that has %i open, and to nobody else',
  async (type, most, fields) => {
    const other = await area.service.caller();
    makeStreamsStall(fields);
    const open = await Promise.all(Array.from({ length: most }, () => area.open(type)));
    expect(open.map(({ statusCode }) => statusCode)).toEqual(open.map(() => 200));
    const refused = await area.list().set('accept', type).expect(429);
    expect(refused.headers['retry-after']).toBe('5');
    await area.list({}, other).set('accept', type).expect(200);
    await area.list().expect(200);
    if (type === PARQUET) open.push(await area.open(NDJSON));

    open.shift()!.destroy();
    await eventually(async () => {
      open.push(await area.open(type));
      return open.at(-1)!.statusCode === 200;
    });
    for (const each of open) each.destroy();
  },
);

/** Streams of the organization begin with a row, and do not go on. */
function makeStreamsStall(fields = {}): void {
  const sessions = area.service.app.get(ConversationSessionService);
  const readWindow = sessions.stream.bind(sessions);
  jest.spyOn(sessions, 'stream').mockImplementation((...query) => {
    if (query[0] !== area.caller.organizationId) return readWindow(...query);
    const stalled = async function* () {
      yield [{ fields, cursor: '', conversationUpdatedAt: '' } as unknown as SessionOfStream];
      await new Promise(() => undefined);
    };
    return Promise.resolve(stalled());
  });
}
