import type { ModuleMetadata } from '@nestjs/common';
import type { DocumentBuilder } from '@nestjs/swagger';
import type { AccountSessionOptions } from '@cxp/access';
import type { Envelope, ValidationProblems } from '@cxp/error-envelopes';
import type { RateLimits } from '@cxp/rate-limit';
import type { DatabaseArea } from '@cxp/storage';
import type { ServiceSettings } from './settings/service-settings';

/** All that distinguishes one service from another. */
export interface ServiceDefinition<Settings extends ServiceSettings> {
  /** The name of the app, in logs, metrics and `pg_stat_activity`. */
  readonly name: string;
  readonly settings: new () => Settings;
  readonly port: (settings: Settings) => number;
  /** What it keeps in PostgreSQL, and reads there. */
  readonly databases: readonly DatabaseArea[];
  /** The family of the area's error bodies, and how its 422 lists what is wrong. */
  readonly envelope: Envelope;
  readonly validationProblems: ValidationProblems;
  /** What an organization may do with an endpoint; failed authentication has settings of its own. */
  readonly rateLimits: (settings: Settings) => Omit<RateLimits, 'unauthenticated'>;
  /** Only areas that take `auth-type: account` have one. */
  readonly accountSessions?: (settings: Settings) => AccountSessionOptions | undefined;
  /** The area's own modules. */
  readonly imports: (settings: Settings) => ModuleMetadata['imports'];
  /** Title, description and the like of the OpenAPI document. */
  readonly document: (builder: DocumentBuilder) => DocumentBuilder;
}
