import { InvalidArgumentError, Option } from 'commander';
import {
  EXTERNAL_PERMISSIONS,
  parsePermissions,
  type Permission,
  type Permissions,
  PLATFORM_PERMISSIONS,
} from '@cxp/auth-headers';
import { UsageError } from './environment';

export interface PermissionOptions {
  readonly permission?: string[];
  readonly allPermissions?: boolean;
  /** Only tokens have it: account sessions are not for `/internal`. */
  readonly platform?: boolean;
}

/** Every permission, and what it allows. */
const MEANINGS: Readonly<Record<Permission, string>> = {
  '$webchat_session:create': 'create webchat sessions (A1)',
  '$webchat_session:refresh': 'refresh their tokens (A2)',
  '$export_conversation_session:list': 'list conversation sessions, their changes and digests (B)',
  '$survey_campaign:list': 'list survey campaigns (C1)',
  '$survey_response:list': 'list survey responses, their changes and digests (C2)',
  '$survey_response:export': 'export survey responses (C3)',
  '$survey_link:create': 'create survey links (C4)',
  '$personal_data:erase': 'erase the data of a person',
  '$webhook_endpoint:manage': 'manage webhook endpoints, which are sent hints (B, C)',
  '$platform_record:import': 'send records of the platform (internal: --platform)',
  '$conversation:write': 'act in conversations as the platform does (internal: --platform)',
};

/** For the end of a command's help. */
export function permissionsHelp(): string {
  const width = Math.max(...Object.keys(MEANINGS).map(({ length }) => length));
  const lines = Object.entries(MEANINGS).map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`);
  return ['', 'Permissions:', ...lines].join('\n');
}

export function permissionOption(): Option {
  return new Option('--permission <permission>', "'$resource:action', may be repeated").argParser(
    (permission: string, previous: string[] | undefined) => {
      try {
        parsePermissions([permission]);
      } catch (error) {
        const known = Object.keys(MEANINGS).join(', ');
        throw new InvalidArgumentError(`${(error as Error).message}; there are: ${known}.`);
      }
      return [...(previous ?? []), permission];
    },
  );
}

export function allPermissionsOption(): Option {
  return new Option('--all-permissions', 'every permission but the internal ones');
}

/**
 * With `--permission` exactly those that are named, besides those of `--all-permissions`. Those of `/internal` are given only together
 * with `--platform`, which gives all of them if nothing is named.
 * @throws UsageError if an internal permission is named without it
 */
export function chosenPermissions({
  permission = [],
  allPermissions,
  platform,
}: PermissionOptions): Permissions {
  const named = parsePermissions(permission);
  const internal = Object.keys(PLATFORM_PERMISSIONS).filter((resource) => resource in named);
  if (internal.length > 0 && !platform) {
    const [first] = permission.filter((one) => internal.includes(one.split(':')[0]!));
    throw new UsageError(`${first} is for the platform's own programs: it needs token create --platform`);
  }
  const chosen = allPermissions ? { ...named, ...EXTERNAL_PERMISSIONS } : named;
  return platform && permission.length === 0 ? { ...chosen, ...PLATFORM_PERMISSIONS } : chosen;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Reads `<n>s|m|h|d` as seconds. */
export function parseDuration(written: string): number {
  const [, count, unit] = /^([1-9]\d{0,8})([smhd])$/.exec(written) ?? [];
  if (!count || !unit) throw new InvalidArgumentError('durations are <n>s, <n>m, <n>h or <n>d.');
  return Number(count) * SECONDS[unit]!;
}
