import { Command } from 'commander';
import { signAccountSession } from '@cxp/auth-headers';
import {
  allPermissionsOption,
  chosenPermissions,
  parseDuration,
  permissionOption,
  type PermissionOptions,
  permissionsHelp,
} from './credential-options';
import { optionalSetting, organizationOption, printResult, setting } from './environment';

interface CreateOptions extends PermissionOptions {
  readonly organization: string;
  readonly account: string;
  readonly expiresIn: number;
  readonly json?: boolean;
}

export function accountSessionCommand(): Command {
  const command = new Command('account-session').description(
    "sessions of the platform's users (auth-type: account)",
  );
  command
    .command('create')
    .description("sign a session as the platform's login does, with ACCOUNT_SESSION_SECRET")
    .addOption(organizationOption('the organization of the account'))
    .requiredOption('--account <id>', 'the account id')
    .addOption(permissionOption())
    .addOption(allPermissionsOption())
    .option('--expires-in <duration>', 'how long it is valid', parseDuration, 3_600)
    .option('--json', 'print one JSON object')
    .addHelpText('after', permissionsHelp())
    .action(async (options: CreateOptions) => {
      const token = await signAccountSession(
        {
          accountId: options.account,
          organizationId: options.organization,
          permissions: chosenPermissions(options),
        },
        setting('ACCOUNT_SESSION_SECRET'),
        options.expiresIn,
        {
          issuer: optionalSetting('ACCOUNT_SESSION_ISSUER'),
          audience: optionalSetting('ACCOUNT_SESSION_AUDIENCE'),
        },
      );
      printResult({ json: { token }, text: token }, options.json);
    });
  return command;
}
