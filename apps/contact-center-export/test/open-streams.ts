import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { Caller, TestService } from '@cxp/service-kit/testing';
import { EVER } from './contact-center-service';

/** A stream of which nothing but the beginning is read. */
export async function openStream(
  service: TestService,
  caller: Caller,
  accept: string,
): Promise<IncomingMessage> {
  const answer = await requestStream(service, caller, accept);
  expect(answer.statusCode).toBe(200);
  await once(answer, 'readable');
  return answer;
}

export async function requestStream(
  service: TestService,
  caller: Caller,
  accept: string,
): Promise<IncomingMessage> {
  const url = `${service.url}/external/conversation-sessions?${new URLSearchParams(EVER).toString()}`;
  const [answer] = (await once(get(url, { headers: { ...caller.headers, accept } }), 'response')) as [
    IncomingMessage,
  ];
  return answer;
}
