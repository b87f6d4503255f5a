import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/**
 * Where Chromium is; installed with Debian's packages if it is nowhere and this may.
 * @returns undefined when there is none to be had, which is told
 */
export function findChromium(): string | undefined {
  const found = onPath();
  if (found) return found;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    try {
      execFileSync('apt-get', ['update', '-qq']);
      execFileSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], {
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    } catch (error) {
      console.warn(String(error));
    }
  }
  const installed = onPath();
  if (!installed) console.warn('No Chromium: the demo page is not tested (apt-get install chromium)');
  return installed;
}

function onPath(): string | undefined {
  const directories = (process.env.PATH ?? '').split(delimiter);
  return NAMES.flatMap((name) => directories.map((directory) => join(directory, name))).find(existsSync);
}
