import { IsOptional, IsString, IsUrl, MinLength } from 'class-validator';
import {
  FeedSettings,
  IntegerSetting,
  SigningKeysSetting,
  SwitchSetting,
  type SigningKey,
} from '@cxp/service-kit';

export class ContactCenterSettings extends FeedSettings {
  /** The port of the service. */
  @IntegerSetting(1, 65_535)
  CONTACT_CENTER_PORT = 3002;

  /** The secret of the platform's login for account sessions (HS256). */
  @IsOptional()
  @MinLength(32)
  ACCOUNT_SESSION_SECRET?: string;

  /** The login's public keys, instead of a secret. Without either, `auth-type: account` is refused. */
  @IsOptional()
  @IsUrl({ require_tld: false, protocols: ['http', 'https'], require_protocol: true })
  ACCOUNT_SESSION_JWKS_URL?: string;

  /** The `iss` that account sessions must have. In production set it and the audience: the keys may sign other tokens. */
  @IsOptional()
  @IsString()
  ACCOUNT_SESSION_ISSUER?: string;

  /** The `aud` that account sessions must have. */
  @IsOptional()
  @IsString()
  ACCOUNT_SESSION_AUDIENCE?: string;

  /** These keys sign the tokens of area A's deliveries; A and B have the same ones. Without them A can't deliver. */
  @IsOptional()
  @SigningKeysSetting()
  SERVICE_TOKEN_KEYS?: readonly SigningKey[];

  /** Days for which the feed of changes keeps removals; who was away for longer reads all rows again. 0: a minute. */
  @IntegerSetting(0, 36_500)
  CONTACT_CENTER_REMOVALS_KEPT_DAYS = 90;

  /** Days for which conversations are kept after their last update; by default for ever. */
  @IsOptional()
  @IntegerSetting(1, 36_500)
  CONTACT_CENTER_CONVERSATIONS_KEPT_DAYS?: number;

  /** `off`: formulas in the CSV stream get no apostrophe. */
  @SwitchSetting()
  CONTACT_CENTER_EXPORT_FORMULA_GUARD = true;

  /** Calls of an organization to an endpoint in a second. */
  @IntegerSetting(1, 1_000_000)
  EXTERNAL_CONTACT_CENTER_PER_SEC_LIMIT = 5;

  /** The same in a minute. */
  @IntegerSetting(1, 1_000_000)
  EXTERNAL_CONTACT_CENTER_PER_MIN_LIMIT = 50;
}
