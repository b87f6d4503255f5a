import { InvalidArgumentError, Option } from 'commander';
import { ALL_PERMISSIONS, parsePermissions, type Permission, type Permissions } from '@cxp/access';

export interface PermissionOptions {
  readonly permission?: string[];
  readonly allPermissions?: boolean;
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
  '$platform_record:import': 'send records of the platform (internal)',
  '$conversation:write': 'act in conversations as the platform does (internal)',
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

export function chosenPermissions({ permission, allPermissions }: PermissionOptions): Permissions {
  return allPermissions ? ALL_PERMISSIONS : parsePermissions(permission ?? []);
}
