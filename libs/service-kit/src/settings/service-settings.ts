import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { REDIS_URL_PATTERN } from '@cxp/storage';
import { AddressRangesSetting, IntegerSetting, IsDatabaseUrl } from './decorators';
import { TestSettings } from './test-settings';

/** `::` takes IPv4 too, but does not exist where IPv6 is switched off. */
function anyAddress(): string {
  const addresses = Object.values(networkInterfaces()).flat();
  return addresses.some((address) => address?.family === 'IPv6') ? '::' : '0.0.0.0';
}

/** The settings that every service has; an area's own class adds to them. Properties are named like their variables. */
export class ServiceSettings extends TestSettings {
  /** PostgreSQL, as the role that serves. */
  @IsDatabaseUrl()
  DATABASE_URL: string;

  /** `redis://host`, `redis+cluster://host,host,…` or `redis+sentinel://host,host,…/<name of the master>`; `rediss…` with TLS. */
  @Matches(REDIS_URL_PATTERN, {
    message: 'REDIS_URL must be a redis://, redis+cluster:// or redis+sentinel:// URL',
  })
  REDIS_URL: string;

  /** `transaction`: `DATABASE_URL` names a PgBouncer that pools by transactions. */
  @IsIn(['none', 'transaction'])
  DATABASE_POOLER: 'none' | 'transaction' = 'none';

  /** Connections for requests; an organization uses at most half of them. Seven more are for other work. */
  @IntegerSetting(2, 1_000)
  DATABASE_POOL_SIZE = 10;

  /** `expected`: a metric and an alert show when commits do not wait for a standby. */
  @IsOptional()
  @IsIn(['expected'])
  POSTGRES_SYNCHRONOUS?: 'expected';

  /** The address to listen on; by default all. */
  @IsString()
  LISTEN_HOST = anyAddress();

  /** The port of `/internal`; by default that of the service. */
  @IsOptional()
  @IntegerSetting(1, 65_535)
  INTERNAL_PORT?: number;

  /** The least level of log lines. */
  @IsIn(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
  LOG_LEVEL = 'info';

  /** Addresses or CIDR ranges of proxies whose `X-Forwarded-For` is believed. */
  @AddressRangesSetting()
  TRUSTED_PROXIES: string[] = [];

  /** Failed authentications of a client address in a second. */
  @IntegerSetting(1, 1_000_000)
  EXTERNAL_UNAUTHENTICATED_PER_SEC_LIMIT = 20;

  /** The same in a minute. */
  @IntegerSetting(1, 1_000_000)
  EXTERNAL_UNAUTHENTICATED_PER_MIN_LIMIT = 300;

  /** What is answered below `/docs`; by default that of the build. */
  @IsString()
  DOCUMENTS_DIRECTORY = join(__dirname, 'docs');

  /** Seconds after SIGTERM in which requests are still answered. */
  @IntegerSetting(0, 600)
  SHUTDOWN_DRAIN_SECONDS = 5;
}
