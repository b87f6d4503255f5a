import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { conversationRecords, SCHEDULE_RECORD } from './generated-conversations';

/** Conversations of one request, and so of one transaction. */
const REQUEST_CONVERSATIONS = 20_000;

export interface Intake {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends an organization's conversations through the intake, one request after the other. */
export async function loadConversations(
  intake: Intake,
  count: number,
): Promise<{ records: number; seconds: number }> {
  const start = performance.now();
  let records = await send(intake, [SCHEDULE_RECORD]);
  for (let first = 0; first < count; first += REQUEST_CONVERSATIONS) {
    records += await send(intake, conversationRecords(REQUEST_CONVERSATIONS, count, first));
  }
  return { records, seconds: (performance.now() - start) / 1_000 };
}

async function send({ url, headers }: Intake, chunks: Iterable<string>): Promise<number> {
  const response = await fetch(`${url}/internal/records`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(Readable.from(encoded(chunks))) as ReadableStream,
    duplex: 'half',
  });
  if (response.status !== 200)
    throw new Error(`intake answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { accepted: number }).accepted;
}

function* encoded(chunks: Iterable<string>): Generator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}
