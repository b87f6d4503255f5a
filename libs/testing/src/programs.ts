import { appendFileSync } from 'node:fs';
import { findOnPath } from './local-servers';

/** `.ci/setup` can't install these. Without them tests are skipped, even in CI, and the run prints how many. */
const NOT_IN_DEBIAN: Readonly<Record<string, string>> = {
  kubectl: 'Debian 12 has kubectl 1.20, which does not know the fields of the manifests',
  'standardwebhooks for Python': 'it is at PyPI alone',
  'rights to mount': 'a container may refuse them, also to root',
  'rights to run containers': 'a machine may refuse them, also to root',
  'PostgreSQL alone': 'these tests read plans of one server, and CITUS_URL is set',
};

/**
 * `describe` and `it` for tests that need a program: `const { it } = needs('curl')`.
 * @throws in CI, when an installable program is missing: a skipped test must not look green
 */
export function needs(
  what: string,
  found: unknown = findOnPath(what),
): { readonly describe: jest.Describe; readonly it: jest.It } {
  if (found) return { describe, it };
  const reason = NOT_IN_DEBIAN[what];
  if (process.env.CI && !reason) throw new Error(`${what} is missing: .ci/setup installs it`);
  const line = `skipped without ${what}${reason ? ` (${reason})` : ': .ci/setup installs it'}`;
  if (process.env.CXP_TEST_SKIPS) appendFileSync(process.env.CXP_TEST_SKIPS, `${line}\n`);
  else console.warn(line);
  return { describe: describe.skip, it: it.skip };
}

export function findChromium(): string | undefined {
  return ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
    .map(findOnPath)
    .find(Boolean);
}
