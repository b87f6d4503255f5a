import { dropTestDatabases } from '../test-database';
import { startedServers } from './global-setup';

export default async function globalTeardown(): Promise<void> {
  if (process.env.CXP_TEST_RUN) await dropTestDatabases();
  await Promise.all(startedServers.map((server) => server.stop()));
}
