import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  answersOk,
  freePort,
  startGuarded,
  unpackedDebianPackage,
  waitUntilReady,
} from '@cxp/testing/local-servers';

export interface ImageRegistry {
  /** Its address and port. */
  readonly host: string;
  stop(): Promise<void>;
}

/** Debian's registry of images, unpacked under `.local/`, without TLS. */
export async function startRegistry(): Promise<ImageRegistry> {
  const root = await unpackedDebianPackage('docker-registry');
  const directory = mkdtempSync(join(tmpdir(), 'cxp-registry-'));
  const host = `127.0.0.1:${await freePort()}`;
  const settings = join(directory, 'config.yml');
  const storage = { filesystem: { rootdirectory: join(directory, 'images') } };
  writeFileSync(settings, JSON.stringify({ version: 0.1, storage, http: { addr: host } }));
  const started = startGuarded({ command: [join(root, 'usr/bin/docker-registry'), 'serve', settings] });
  await waitUntilReady(started, () => answersOk(`http://${host}/v2/`));
  return {
    host,
    stop: async () => {
      await started.stop();
      rmSync(directory, { recursive: true });
    },
  };
}
