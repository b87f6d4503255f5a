import { Command } from 'commander';
import type { Certificate } from '@cxp/erasure';
import { printResult, UsageError } from './environment';

/** Whose data to erase, and how. */
export interface ErasedSubject {
  readonly organization: string;
  readonly userId: readonly string[];
  readonly phone: readonly string[];
  readonly email: readonly string[];
  readonly dryRun?: boolean;
  /** A file that certificates are appended to. */
  readonly certificates?: string;
}

interface EraseOptions extends Omit<ErasedSubject, 'organization'> {
  readonly organization?: string;
  readonly again?: string;
  readonly json?: boolean;
}

export function eraseCommand(): Command {
  return new Command('erase')
    .description(
      'erase the data of a person from all areas, or apply erasures again after a backup was restored',
    )
    .option('--organization <id>', 'the organization')
    .option('--user-id <id>', 'a user id, which matches nothing in area survey; may be repeated', add, [])
    .option('--phone <phone>', 'a phone; may be repeated', add, [])
    .option('--email <email>', 'an email; may be repeated', add, [])
    .option('--dry-run', 'only count what would be erased')
    .option('--certificates <file>', 'append the certificates to this file, one JSON object a line')
    .option('--again <file>', 'apply the erasures of these certificates again')
    .option('--json', 'print one JSON object')
    .action(async (options: EraseOptions) => {
      checkUsage(options);
      // Loaded here: it brings much code, which no other command needs.
      const { eraseAgain, eraseSubject } = await import('@cxp/cxp/erase-subject');
      const certificates =
        options.again === undefined
          ? await eraseSubject({ ...options, organization: options.organization! })
          : await eraseAgain(options.again, options.organization);
      printResult(
        {
          json: { certificates: certificates.map(({ text }) => JSON.parse(text) as object) },
          text: certificates.map((certificate) => describe(certificate, options.userId)).join('\n'),
        },
        options.json,
      );
    });
}

function add(value: string, values: readonly string[]): readonly string[] {
  return [...values, value];
}

/** @throws UsageError */
function checkUsage({ again, organization, userId, phone, email, dryRun, certificates }: EraseOptions): void {
  const identifiers = [...userId, ...phone, ...email];
  if (again !== undefined) {
    if (identifiers.length > 0 || dryRun || certificates) {
      throw new UsageError('--again takes no identifiers, no --dry-run and no --certificates');
    }
    return;
  }
  if (organization === undefined) throw new UsageError('--organization is missing');
  if (identifiers.length === 0)
    throw new UsageError('name whose data to erase: --user-id, --phone or --email');
}

/** For people: what was found in an area, and what became of it. */
function describe({ area, found, erasedAt }: Certificate, userIds: readonly string[]): string {
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
