import { IsOptional, IsUrl, MinLength } from 'class-validator';
import { IntegerSetting, ServiceSettings } from '@cxp/service-kit';

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

  @IntegerSetting(1, 1_000_000)
  EXTERNAL_CONTACT_CENTER_PER_SEC_LIMIT = 5;

  @IntegerSetting(1, 1_000_000)
  EXTERNAL_CONTACT_CENTER_PER_MIN_LIMIT = 50;
}
