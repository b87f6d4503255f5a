import { performance } from 'node:perf_hooks';
import { postRecords } from '@cxp/services/workloads';

/** Of one request, and so of one transaction. */
const REQUEST_RECORDS = 100_000;

/** What a service is called with. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends records through the intake of a service, one request after the other.
 * @returns how long the requests took, without the making of records: what `COPY` reads is made before, too
 */
export async function loadRecords(
  { url, headers }: Target,
  records: Iterable<object>,
): Promise<{ readonly records: number; readonly seconds: number }> {
  const sum = { records: 0, seconds: 0 };
  let batch: object[] = [];
  const send = async () => {
    const { path, ...request } = postRecords({ headers }, batch);
    batch = [];
    const start = performance.now();
    const answer = await fetch(url + path, request);
    if (answer.status !== 200) throw new Error(`intake answered ${answer.status}: ${await answer.text()}`);
    sum.records += ((await answer.json()) as { accepted: number }).accepted;
    sum.seconds += (performance.now() - start) / 1_000;
  };
  for (const record of records) {
    batch.push(record);
    if (batch.length === REQUEST_RECORDS) await send();
  }
  if (batch.length > 0) await send();
  return sum;
}
