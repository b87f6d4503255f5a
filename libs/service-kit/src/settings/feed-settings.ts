import { IsOptional } from 'class-validator';
import { AddressRangesSetting, IntegerSetting, type SigningKey, SigningKeysSetting } from './decorators';
import { ServiceSettings } from './service-settings';

/** The settings of areas that have a feed of changes, and hints of it. */
export class FeedSettings extends ServiceSettings {
  /** Calls of an organization to changes, and to digests, in a second. */
  @IntegerSetting(1, 1_000_000)
  CHANGES_PER_SEC_LIMIT = 20;

  /** The same in a minute. */
  @IntegerSetting(1, 1_000_000)
  CHANGES_PER_MIN_LIMIT = 1_200;

  /** Keys like `WEBCHAT_SESSION_TOKEN_KEYS`: the first encrypts secrets of webhook endpoints, all decrypt. Needed for endpoints. */
  @IsOptional()
  @SigningKeysSetting()
  WEBHOOK_SECRET_KEYS?: readonly SigningKey[];

  /** Addresses and CIDR ranges that hints may be sent to, besides public addresses. */
  @AddressRangesSetting()
  WEBHOOK_ALLOWED_NETWORKS: string[] = [];
}
