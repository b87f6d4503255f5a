import { dropTestDatabases } from '../test-database';
import { started } from './global-setup';

export default async function globalTeardown(): Promise<void> {
  // A test may run Jest itself: the databases of the outer run stay.
  if (started.hasDatabases) await dropTestDatabases();
  await Promise.all(started.servers.map((server) => server.stop()));
}
