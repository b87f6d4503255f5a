import { createReadStream } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { conversationRecords, SCHEDULE_RECORD } from './generated-conversations';

/** Conversations of one request, and so of one transaction. */
const REQUEST_CONVERSATIONS = 20_000;

export interface Intake {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends an organization's conversations through the intake, one request after the other, each from a file that is written before: what
 * `COPY` reads is written before, too.
 * @returns how long the requests took
 */
export async function loadConversations(
  intake: Intake,
  count: number,
): Promise<{ records: number; seconds: number }> {
  const directory = await mkdtemp(join(tmpdir(), 'cxp-bench-intake-'));
  const file = join(directory, 'records.ndjson');
  let [records, seconds] = [0, 0];
  const sendAll = async (lines: Iterable<string>) => {
    await writeFile(file, lines);
    const start = performance.now();
    records += await send(intake, file);
    seconds += (performance.now() - start) / 1_000;
  };
  await sendAll([SCHEDULE_RECORD]);
  for (let first = 0; first < count; first += REQUEST_CONVERSATIONS) {
    await sendAll(conversationRecords(REQUEST_CONVERSATIONS, count, first));
  }
  await rm(directory, { recursive: true });
  return { records, seconds };
}

async function send({ url, headers }: Intake, file: string): Promise<number> {
  const response = await fetch(`${url}/internal/records`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: Readable.toWeb(createReadStream(file)) as ReadableStream,
    duplex: 'half',
  });
  if (response.status !== 200)
    throw new Error(`intake answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { accepted: number }).accepted;
}
