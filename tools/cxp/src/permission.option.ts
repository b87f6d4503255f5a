import { InvalidArgumentError, Option } from 'commander';
import { ALL_PERMISSIONS, parsePermissions, type Permissions } from '@cxp/access';

export interface PermissionOptions {
  readonly permission?: string[];
  readonly allPermissions?: boolean;
}

export function permissionOption(): Option {
  return new Option('--permission <permission>', "'$resource:action', may be repeated").argParser(
    (permission: string, previous: string[] | undefined) => {
      try {
        parsePermissions([permission]);
      } catch (error) {
        throw new InvalidArgumentError(`${(error as Error).message}.`);
      }
      return [...(previous ?? []), permission];
    },
  );
}

export function chosenPermissions({ permission, allPermissions }: PermissionOptions): Permissions {
  return allPermissions ? ALL_PERMISSIONS : parsePermissions(permission ?? []);
}
