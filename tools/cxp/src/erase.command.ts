import { Command } from 'commander';
import type { Certificate } from '@cxp/erasure';
import { CommandError, organizationOption, printResult, UsageError } from './environment';
import type { EraseOptions, RequestResult } from './erase-subject';

export function eraseCommand(): Command {
  return new Command('erase')
    .description('erase the data of a person from all areas, or of each person of a file of requests')
    .addOption(organizationOption('the organization'))
    .option('--user-id <id>', 'a user id, which matches nothing in area survey; may be repeated', add, [])
    .option('--phone <phone>', 'a phone; may be repeated', add, [])
    .option('--email <email>', 'an email; may be repeated', add, [])
    .option('--id <uuid>', 'the id of the erasure (default: a new one)')
    .option('--dry-run', 'only count what would be erased')
    .option('--requests <file>', 'bodies of POST /external/erasures, one a line, or - for standard input')
    .option('--json', 'print one JSON object')
    .action(async (options: EraseOptions) => {
      checkUsage(options);
      // Loaded here: it brings much code, which no other command needs.
      const { eraseAll, eraseSubject } = await import('@cxp/cxp/erase-subject');
      if (options.requests !== undefined) {
        const results = new Results(options.json);
        await eraseAll(options.organization, options.requests, (result) => results.add(result));
        return results.end();
      }
      const certificates = await eraseSubject(options);
      const text = certificates.map((certificate) => describe(certificate, options.userId)).join('\n');
      printResult({ json: { certificates }, text }, options.json);
    });
}

function add(value: string, values: readonly string[]): readonly string[] {
  return [...values, value];
}

/** @throws UsageError */
function checkUsage({ userId, phone, email, id, dryRun, requests }: EraseOptions): void {
  const identifiers = [...userId, ...phone, ...email];
  if (requests === undefined) {
    if (identifiers.length === 0)
      throw new UsageError('name whose data to erase: --user-id, --phone or --email');
  } else if (identifiers.length > 0 || id !== undefined || dryRun) {
    throw new UsageError('--requests takes no identifiers, no --id and no --dry-run: each line has its own');
  }
}

class Results {
  private readonly all: RequestResult[] = [];

  constructor(private readonly asJson: boolean | undefined) {}

  /** Prints the line of a request as soon as it is done. */
  add(result: RequestResult): void {
    this.all.push(result);
    if (this.asJson) return;
    const outcome =
      'problem' in result
        ? `not done: ${result.problem}`
        : result.certificates.map((certificate) => describe(certificate)).join('; ');
    process.stdout.write(`${result.request}: ${outcome}\n`);
  }

  /** @throws CommandError if one was not done */
  end(): void {
    if (this.asJson) printResult({ json: { requests: this.all }, text: '' }, true);
    const failed = this.all.filter((result) => 'problem' in result).length;
    if (failed > 0) throw new CommandError(`${failed} of ${this.all.length} requests were not done`);
  }
}

/** For people: what was found in an area, and what became of it. */
function describe({ area, found, erasedAt }: Certificate, userIds: readonly string[] = []): string {
  const counts = Object.entries(found)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${words(kind)}`);
  const outcome = erasedAt === null ? 'found' : 'erased';
  const note = area === 'survey' && userIds.length > 0 ? '; user ids match nothing in this area' : '';
  return `${area}: ${counts.length > 0 ? `${counts.join(', ')} ${outcome}` : 'nothing found'}${note}`;
}

/** `conversationSurveys` as `conversation surveys`. */
function words(kind: string): string {
  return kind.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
