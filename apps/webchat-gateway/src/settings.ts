import { IsOptional, IsUrl, Matches, ValidateIf } from 'class-validator';
import {
  IntegerSetting,
  ServiceSettings,
  SigningKeysSetting,
  SwitchSetting,
  type SigningKey,
} from '@cxp/service-kit';

export class WebchatSettings extends ServiceSettings {
  /** The port of the service. */
  @IntegerSetting(1, 65_535)
  WEBCHAT_PORT = 3001;

  /** What a session's `websocketUrl` starts with; sockets are opened below the path of this. */
  @Matches(/^wss:\/\/[^?#]+[^?#/]$/, {
    message: 'WEBCHAT_WEBSOCKET_URL must be a wss:// URL without a trailing slash',
  })
  WEBCHAT_WEBSOCKET_URL: string;

  /** `<id>:<secret of 32 characters or more>,…`: the first key signs session tokens, all verify. */
  @SigningKeysSetting()
  WEBCHAT_SESSION_TOKEN_KEYS: readonly SigningKey[];

  /** How long a session lives after its creation or last refresh; shorter in tests only. */
  @IntegerSetting(1, 86_400)
  WEBCHAT_SESSION_TTL_SECONDS = 3_600;

  /** On: a phone or email matches a session only when `user.id` is omitted or the session's own. */
  @SwitchSetting()
  WEBCHAT_STRICT_USER_ID = false;

  /** Sockets that a session may have in a process: the oldest makes room for one too many. */
  @IntegerSetting(1, 1_000)
  WEBCHAT_SOCKETS_PER_SESSION = 10;

  /** Frames that a socket may send in a second. */
  @IntegerSetting(1, 1_000_000)
  WEBCHAT_SOCKET_FRAMES_PER_SEC = 20;

  /** Where area B takes in records (`http://…/internal/records`). Without it this area runs alone. */
  @IsOptional()
  @IsUrl({ require_tld: false, protocols: ['http', 'https'], require_protocol: true })
  CONTACT_CENTER_RECORDS_URL?: string;

  /** Keys as of session tokens, the same in A and B, for the tokens of A's deliveries. Required with `CONTACT_CENTER_RECORDS_URL`. */
  @ValidateIf(
    ({ CONTACT_CENTER_RECORDS_URL: url, SERVICE_TOKEN_KEYS: keys }: WebchatSettings) => !!(url ?? keys),
  )
  @SigningKeysSetting()
  SERVICE_TOKEN_KEYS?: readonly SigningKey[];

  /** Days for which conversations are kept after their last change; unset: for ever. */
  @IsOptional()
  @IntegerSetting(1, 100_000)
  WEBCHAT_CONVERSATIONS_KEPT_DAYS?: number;

  /** Calls of an organization to an endpoint in a second. */
  @IntegerSetting(1, 1_000_000)
  EXTERNAL_WEBCHAT_PER_SEC_LIMIT = 20;

  /** The same in a minute. */
  @IntegerSetting(1, 1_000_000)
  EXTERNAL_WEBCHAT_PER_MIN_LIMIT = 1_200;

  /** Whether area B is to have what happens in conversations. */
  get deliversRecords(): boolean {
    return this.CONTACT_CENTER_RECORDS_URL !== undefined;
  }
}
