import { type Caller, eventually, type TestService } from '@cxp/service-kit/testing';
import {
  ConversationSessionService,
  type StreamedRow as SessionOfStream,
} from '../src/conversation-sessions/conversation-session.service';
import { EVER, listSessions, startContactCenter } from './contact-center-service';
import { openStream, requestStream } from './open-streams';

const PARQUET = 'application/vnd.apache.parquet';
const NDJSON = 'application/x-ndjson';

let service: TestService;
let caller: Caller;

beforeAll(async () => {
  service = await startContactCenter({ CXP_TEST_DEADLINE_MS: '4000' });
  caller = await service.caller();
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => service.stop());

describe('a whole window in one go', () => {
  it('is refused with 429 to an organization that has its share of open streams, and to nobody else', async () => {
    const other = await service.caller();
    makeStreamsStall();
    const streams = await Promise.all(Array.from({ length: 8 }, () => openStream(service, caller, NDJSON)));
    const refused = await listSessions(service, caller, EVER).set('accept', NDJSON).expect(429);
    expect(refused.headers['retry-after']).toBe('5');
    await listSessions(service, other, EVER).set('accept', NDJSON).expect(200, '');
    await listSessions(service, caller, EVER).expect(200);

    streams.shift()!.destroy();
    await eventually(async () => {
      const answer = await requestStream(service, caller, NDJSON);
      streams.push(answer);
      return answer.statusCode === 200;
    });
    for (const each of streams) each.destroy();
  });

  it('as Parquet is refused with 429 to an organization that has two such files, which other formats are not', async () => {
    makeStreamsStall({ conversationId: 'of a whole row group'.repeat(250_000) });
    const answers = [await openStream(service, caller, PARQUET), await openStream(service, caller, PARQUET)];
    const refused = await listSessions(service, caller, EVER).set('accept', PARQUET).expect(429);
    expect(refused.headers['retry-after']).toBe('5');
    answers.push(await openStream(service, caller, NDJSON));

    answers.shift()!.destroy();
    await eventually(async () => {
      const answer = await requestStream(service, caller, PARQUET);
      answers.push(answer);
      return answer.statusCode === 200;
    });
    for (const each of answers) each.destroy();
  });
});

/** Streams of the organization begin with a row, and do not go on. */
function makeStreamsStall(fields = {}): void {
  const sessions = service.app.get(ConversationSessionService);
  const readWindow = sessions.stream.bind(sessions);
  jest.spyOn(sessions, 'stream').mockImplementation((...query) => {
    if (query[0] !== caller.organizationId) return readWindow(...query);
    const stalled = async function* () {
      yield [{ fields, cursor: '', conversationUpdatedAt: '' } as unknown as SessionOfStream];
      await new Promise(() => undefined);
    };
    return Promise.resolve(stalled());
  });
}
