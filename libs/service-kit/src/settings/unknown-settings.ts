import type { Environment } from './environment';

/** What names of other programs begin with, too: systemd sets `LISTEN_FDS`. */
const NOT_ONLY_OURS = new Set(['INTERNAL_', 'LISTEN_', 'LOG_']);

/** What Kubernetes gives each pod for each Service of its namespace, unless `enableServiceLinks` is off. */
const SERVICE_LINK = /_SERVICE_HOST$|_SERVICE_PORT(_\w+)?$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/;
const SERVICE_LINK_VALUE = /^(tcp|udp|sctp):\/\//;

/** A name without a prefix of ours is taken for one of our settings if no more than this many letters are wrong. */
const WRONG_LETTERS = 2;

export interface UnknownSetting {
  readonly name: string;
  /** The setting that it looks like. */
  readonly nearest: string | undefined;
}

/**
 * Variables that look like settings of a service and are none: with a prefix of its settings, or nearly the name of one. Settings of
 * other areas have other prefixes, so that all services may be given the same variables.
 * @param names of the service's settings
 */
export function unknownSettings(names: readonly string[], environment: Environment): UnknownSetting[] {
  const known = new Set(names.flatMap((name) => [name, `${name}_FILE`]));
  const prefixes = [...new Set(names.map(prefixOf))].filter((prefix) => !NOT_ONLY_OURS.has(prefix));
  return Object.entries(environment).flatMap(([name, value = '']) => {
    if (known.has(name) || SERVICE_LINK.test(name) || SERVICE_LINK_VALUE.test(value)) return [];
    const isOurs = prefixes.some((prefix) => name.startsWith(prefix));
    const nearest = nearestOf(name, known, isOurs ? Math.floor(name.length / 3) : WRONG_LETTERS);
    return isOurs || nearest ? [{ name, nearest }] : [];
  });
}

/** The first two words of a name, of which the last one tells settings apart: `EXTERNAL_SURVEY_`, `DATABASE_`. */
function prefixOf(name: string): string {
  const words = name.split('_');
  return `${words.slice(0, Math.min(2, words.length - 1)).join('_')}_`;
}

function nearestOf(name: string, known: Iterable<string>, maxDistance: number): string | undefined {
  let nearest: string | undefined;
  let least = maxDistance + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = editDistance(name, candidate);
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** How many letters have to be added, removed or replaced (Levenshtein). */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const above = row;
    row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = above[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(above[j]! + 1, row[j - 1]! + 1, replaced));
    }
  }
  return row[b.length]!;
}
