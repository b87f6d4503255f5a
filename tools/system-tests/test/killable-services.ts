import type { DataSource } from 'typeorm';
import { openDatabase } from '@cxp/storage';
import { accessDatabase } from '@cxp/auth-headers';
import { issueTestToken, type Caller } from '@cxp/service-kit/testing';
import { databases } from '@cxp/areas/wiring';
import { contactCenter, startBuilt, survey, webchat } from '../src/service-under-test';
import { FaultyProxy } from '@cxp/testing/local-servers';
import { startOwnStores, type OwnStores } from './own-stores';
import { ReplaceableProcess } from './replaceable-process';
import { deliveringTo } from './chat-delivery';

const SERVICES = { webchat, contactCenter, survey };
export type ServiceKey = keyof typeof SERVICES;

/** The three services over stores of their own. Webchat delivers to area B also after area B was killed. */
export interface KillableServices {
  readonly stores: OwnStores;
  readonly dataSource: DataSource;
  readonly processes: Readonly<Record<ServiceKey, ReplaceableProcess>>;
  /** Leads to area B. */
  readonly relay: FaultyProxy;
  /** Starts one more process of a service. */
  readonly another: (key: ServiceKey) => Promise<ReplaceableProcess>;
  readonly stop: () => Promise<void>;
}

export async function startKillableServices(
  settings: Readonly<Record<string, string>> = {},
): Promise<KillableServices> {
  const stores = await startOwnStores(databases);
  const dataSource = await openDatabase(stores.postgres.url, [accessDatabase]);
  const processes = {} as Record<ServiceKey, ReplaceableProcess>;
  const relay = await FaultyProxy.before(() => processes.contactCenter.url);
  const environment = {
    DATABASE_URL: stores.postgres.url,
    REDIS_URL: stores.redis.url,
    ...deliveringTo(relay),
    ...settings,
  };
  const another = (key: ServiceKey) => ReplaceableProcess.start(() => startBuilt(SERVICES[key], environment));
  for (const key of Object.keys(SERVICES) as ServiceKey[]) processes[key] = await another(key);
  return {
    stores,
    dataSource,
    processes,
    relay,
    another,
    stop: async () => {
      await Promise.all(Object.values(processes).map((process) => process.stop()));
      await relay.close();
      await dataSource.destroy();
      await stores.remove();
    },
  };
}

/** Of a new organization with a webchat. */
export async function newCallerWithWebchat(dataSource: DataSource): Promise<Caller> {
  const caller = await issueTestToken(dataSource);
  await dataSource.query(`INSERT INTO webchat.installed_source VALUES ($1, 1, 'Website', 'chat', true)`, [
    caller.organizationId,
  ]);
  return caller;
}
