import { IsOptional, IsString, IsUrl, MinLength } from 'class-validator';
import {
  AddressRangesSetting,
  IntegerSetting,
  ServiceSettings,
  SigningKeysSetting,
  SwitchSetting,
  type SigningKey,
} from '@cxp/service-kit';

export class ContactCenterSettings extends ServiceSettings {
  @IntegerSetting(1, 65_535)
  CONTACT_CENTER_PORT = 3002;

  /** The secret that the platform's login signs account sessions with (HS256). */
  @IsOptional()
  @MinLength(32)
  ACCOUNT_SESSION_SECRET?: string;

  /** The login's public keys, instead of a secret. Without either, `auth-type: account` is refused. */
  @IsOptional()
  @IsUrl({ require_tld: false, protocols: ['http', 'https'] })
  ACCOUNT_SESSION_JWKS_URL?: string;

  /** The `iss` and `aud` that account sessions must have. In production set both: others may be signed with the same keys. */
  @IsOptional()
  @IsString()
  ACCOUNT_SESSION_ISSUER?: string;

  @IsOptional()
  @IsString()
  ACCOUNT_SESSION_AUDIENCE?: string;

  /** What webchat-gateway signs the tokens with that it delivers records with. Without them, it can't. */
  @IsOptional()
  @SigningKeysSetting()
  SERVICE_TOKEN_KEYS?: readonly SigningKey[];

  /** How long the feed of changes keeps removals, in days; 0: for one run of its job, which runs every minute. */
  @IntegerSetting(0, 36_500)
  CONTACT_CENTER_REMOVALS_KEPT_DAYS = 90;

  /** How long conversations are kept after their last update, in days; for ever if it is not set. */
  @IsOptional()
  @IntegerSetting(1, 36_500)
  CONTACT_CENTER_CONVERSATIONS_KEPT_DAYS?: number;

  /** Encrypt the secrets of webhook endpoints, the first one; all of them decrypt. Without them no endpoint can be made. */
  @IsOptional()
  @SigningKeysSetting()
  WEBHOOK_SECRET_KEYS?: readonly SigningKey[];

  /** Addresses and CIDR ranges that hints may be sent to, besides public addresses. */
  @AddressRangesSetting()
  WEBHOOK_ALLOWED_NETWORKS: string[] = [];

  /** Whether cells of the CSV stream that a spreadsheet would run as a formula get an apostrophe. */
  @SwitchSetting()
  CONTACT_CENTER_EXPORT_FORMULA_GUARD = true;

  @IntegerSetting(1, 1_000_000)
  EXTERNAL_CONTACT_CENTER_PER_SEC_LIMIT = 5;

  @IntegerSetting(1, 1_000_000)
  EXTERNAL_CONTACT_CENTER_PER_MIN_LIMIT = 50;

  /** Calls of an organization to the feed of changes, and to its digests: one follower never reaches them. */
  @IntegerSetting(1, 1_000_000)
  CHANGES_PER_SEC_LIMIT = 20;

  @IntegerSetting(1, 1_000_000)
  CHANGES_PER_MIN_LIMIT = 1_200;
}
