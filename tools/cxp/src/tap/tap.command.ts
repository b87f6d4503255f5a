import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { CxpClient } from '@cxp/client';
import { UsageError } from '../environment';
import { followedAreas } from '../follow/followed-area';
import type { Catalog } from './tap';

interface TapCommandOptions {
  readonly config: string;
  readonly state?: string;
  readonly catalog?: string;
  readonly discover?: boolean;
}

export function tapCommand(): Command {
  return new Command('tap')
    .description(
      'a Singer tap: write the rows of areas, and what has changed since a state, for a Singer target',
    )
    .requiredOption(
      '--config <file>',
      'JSON: organization_id, token, and contact_center_url, survey_url or both',
    )
    .option('--state <file>', 'JSON: the value of the last STATE; without it everything is read')
    .option('--catalog <file>', 'JSON: which streams and properties are read; without it all')
    .option('--discover', 'write the catalog, and end')
    .action(runTap);
}

async function runTap(options: TapCommandOptions): Promise<void> {
  const config = readJson(options.config) as Record<string, string | undefined>;
  const { organization_id: organizationId, token } = config;
  if (!organizationId || !token) throw new UsageError(`${options.config} needs organization_id and token`);
  const urls = { contactCenter: config.contact_center_url, survey: config.survey_url };
  const areas = followedAreas.filter(({ urlKey }) => urls[urlKey]);
  if (areas.length === 0) throw new UsageError(`${options.config} needs contact_center_url or survey_url`);
  // Loaded here: it brings code of the apps.
  const { discover, tap } = await import('@cxp/cxp/tap/tap');
  const { stdout, stderr } = process;
  // The target has ended.
  stdout.on('error', () => process.exit(1));
  if (options.discover) {
    stdout.write(`${JSON.stringify(discover(areas), null, 2)}\n`);
    return;
  }
  await tap({
    client: new CxpClient({ organizationId, token, urls }),
    areas,
    state: options.state ? readJson(options.state) : {},
    ...(options.catalog && { catalog: readJson(options.catalog) as Catalog }),
    write: async (message) => {
      if (!stdout.write(`${JSON.stringify(message)}\n`)) await once(stdout, 'drain');
    },
    report: (line) => stderr.write(`${line}\n`),
  });
}

function readJson(file: string): object {
  const text = readFileSync(file, 'utf8');
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Reported below.
  }
  throw new UsageError(`${file} is no JSON object`);
}
