import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually, type Caller, type TestService } from '@cxp/service-kit/testing';

export interface DeliveredRecord {
  readonly type: string;
  readonly op?: string;
  readonly reason?: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** One request, as area B received it. */
export interface Delivery {
  readonly organizationId: string;
  readonly authorization: string;
  readonly records: readonly DeliveredRecord[];
}

/** Answers a request, in the place of area B. @returns whether it has stored the records */
export type Answer = (delivery: Delivery, response: ServerResponse) => Promise<boolean> | boolean;

/** Stands in the place of area B, whose faults a test decides on. */
export class AreaB {
  readonly deliveries: Delivery[] = [];
  /** By default everything is stored. */
  answer: Answer = accept;
  private readonly server = createServer((request, response) => void this.receive(request, response));

  static async start(): Promise<AreaB> {
    const areaB = new AreaB();
    areaB.server.listen(0, '127.0.0.1');
    await once(areaB.server, 'listening');
    return areaB;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/internal/records`;
  }

  /** What lets a service deliver here. */
  get settings() {
    return {
      CONTACT_CENTER_RECORDS_URL: this.url,
      SERVICE_TOKEN_KEYS: 'current:0123456789abcdef0123456789abcdef',
    };
  }

  /** The organization's records, once all is delivered. */
  async recordsOf(service: TestService, { organizationId }: Caller): Promise<DeliveredRecord[]> {
    await eventually(async () => {
      const left = await service.dataSource.query(
        'SELECT FROM webchat.undelivered WHERE organization_id = $1',
        [organizationId],
      );
      return left.length === 0;
    });
    return this.of(organizationId);
  }

  /** The organization's records that have come so far. */
  of(organizationId: string): DeliveredRecord[] {
    return this.deliveries
      .filter((delivery) => delivery.organizationId === organizationId)
      .flatMap(({ records }) => records);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const lines = (await text(request)).split('\n');
    const delivery = {
      organizationId: String(request.headers['organization-id']),
      authorization: String(request.headers.authorization),
      records: lines.map((line) => JSON.parse(line) as DeliveredRecord),
    };
    if (await this.answer(delivery, response)) this.deliveries.push(delivery);
  }
}

/** See `useAreaB`. */
export let areaB: AreaB;

/**
 * Webchat that delivers to an area B, for all tests of a file.
 * @param use starts the service with this environment
 */
export function useAreaB(use: (environment: () => Record<string, string>) => void): void {
  beforeAll(async () => {
    areaB = await AreaB.start();
  });
  use(() => areaB.settings);
  afterAll(() => areaB.stop());
}

export const accept: Answer = ({ records }, response) => {
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ accepted: records.length }));
  return true;
};

/** An answer that stores nothing. */
export function refuse(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (_, response) => {
    response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
    return false;
  };
}
