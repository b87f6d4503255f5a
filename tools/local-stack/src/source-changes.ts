import { watch } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/testing/local-servers';

const SOURCE = /(?<!\.spec|\.e2e)\.(tsx?|css|client\.js)$/;
/** An editor, or a change of branch, writes several files. */
const SETTLE_MS = 200;

/** Calls back after sources in these folders of the workspace have changed and come to rest. */
export function onSourceChange(folders: string[], changed: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  for (const folder of folders) {
    watch(join(workspaceRoot, folder), { recursive: true }, (_, file) => {
      if (!file || !SOURCE.test(file)) return;
      clearTimeout(timer);
      timer = setTimeout(changed, SETTLE_MS);
    });
  }
}
