import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { ErasureKey } from '@cxp/erasure';

interface BegunErasure extends ErasureKey {
  readonly area: string;
}

/**
 * A file that certificates are appended to. Beside it, `FILE.begun` names the erasures of a run until it ends: the next run asks for the
 * certificates of one that was interrupted, whose keys only the services know by then.
 */
export async function openCertificates(path: string) {
  const begunPath = `${path}.begun`;
  const interrupted = await readBegun(begunPath);
  const file = await open(path, 'a+', 0o600);
  // An interrupted run may have written half a line: its erasure is among those that it has begun.
  const written = await file.readFile();
  await file.truncate(written.lastIndexOf('\n') + 1);
  return {
    interrupted,
    async begin(erasures: readonly BegunErasure[]): Promise<void> {
      const lines = [...interrupted, ...erasures].map((erasure) => `${JSON.stringify(erasure)}\n`);
      await writeFile(`${begunPath}.new`, lines.join(''), { mode: 0o600, flush: true });
      await rename(`${begunPath}.new`, begunPath);
    },
    async append({ text }: { readonly text: string }): Promise<void> {
      await file.appendFile(`${text}\n`);
      await file.sync();
    },
    end: () => rm(begunPath),
    close: () => file.close(),
  };
}

async function readBegun(path: string): Promise<BegunErasure[]> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as BegunErasure);
}
