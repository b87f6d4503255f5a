import type { Caller, TestService } from '@cxp/service-kit/testing';

/** Takes records in, as the platform would. @throws when the service does not accept them all */
export async function importRecords(service: TestService, caller: Caller, records: object[]): Promise<void> {
  const answer = await fetch(`${service.url}/internal/records`, {
    method: 'POST',
    headers: { ...caller.headers, 'content-type': 'application/x-ndjson' },
    body: records.map((record) => JSON.stringify(record)).join('\n'),
  });
  if (!answer.ok) throw new Error(await answer.text());
}
