import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Pool, type PoolConfig } from 'pg';
import { WatchedClient } from '@cxp/storage';
import { SurveySettings } from '../settings';

/** How long an export may wait for its turn before it is answered 503, in milliseconds. */
const WAIT_MS = 1_500;

/** How long an export may take at the pace of its client, in milliseconds. */
const EXPORT_TIMEOUT_MS = 600_000;

/**
 * Connections for exports alone: a client that reads slowly holds one for long, and must not keep it from other
 * requests.
 */
@Injectable()
export class ExportPool extends Pool implements OnApplicationShutdown {
  constructor(settings: SurveySettings) {
    super({
      // Its type knows no constructor that takes what the pool gives it.
      Client: WatchedClient as unknown as PoolConfig['Client'],
      connectionString: settings.DATABASE_URL,
      application_name: 'survey-api export',
      max: settings.SURVEY_EXPORT_POOL_SIZE,
      connectionTimeoutMillis: WAIT_MS,
      statement_timeout: EXPORT_TIMEOUT_MS,
      keepAlive: true,
    });
    // Without a listener a lost connection would end the process; whoever uses it learns of the loss from its query.
    this.on('error', () => undefined);
    this.on('connect', (client) => client.on('error', () => undefined));
  }

  onApplicationShutdown(): Promise<void> {
    return this.end();
  }
}
