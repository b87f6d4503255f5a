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

  /** What a session's `websocketUrl` starts with; sockets are opened below its path. */
  @Matches(/^wss:\/\/[^?#]+[^?#/]$/, {
    message: 'WEBCHAT_WEBSOCKET_URL must be a wss:// URL without a trailing slash',
  })
  WEBCHAT_WEBSOCKET_URL: string;

  /** `<id>:<secret of 32 characters or more>,…`: the first key signs session tokens, all verify. */
  @SigningKeysSetting()
  WEBCHAT_SESSION_TOKEN_KEYS: readonly SigningKey[];

  /** How long a session lives after its creation or last refresh. The API promises an hour: other values are for tests. */
  @IntegerSetting(1, 86_400)
  WEBCHAT_SESSION_TTL_SECONDS = 3_600;

  /** `on`: a request's phone or email matches a session only if its `user.id` is omitted or the session's: customers may share phones. */
  @SwitchSetting()
  WEBCHAT_STRICT_USER_ID = false;

  /** Sockets of a session in a process; one more closes the oldest. */
  @IntegerSetting(1, 1_000)
  WEBCHAT_SOCKETS_PER_SESSION = 10;

  /** Frames in a second from the sockets of a session, in a process; from those of an organization 50 times as many. A large one counts as several; more wait. */
  @IntegerSetting(1, 1_000_000)
  WEBCHAT_SOCKET_FRAMES_PER_SEC = 20;

  /** `http://…/internal/records` of area B. Without it this area runs alone. */
  @IsOptional()
  @IsUrl({ require_tld: false, protocols: ['http', 'https'], require_protocol: true })
  CONTACT_CENTER_RECORDS_URL?: string;

  /** Keys like `WEBCHAT_SESSION_TOKEN_KEYS`, the same in A and B: they sign the tokens of A's deliveries. Required with `CONTACT_CENTER_RECORDS_URL`. */
  @ValidateIf(
    ({ CONTACT_CENTER_RECORDS_URL: url, SERVICE_TOKEN_KEYS: keys }: WebchatSettings) => !!(url ?? keys),
  )
  @SigningKeysSetting()
  SERVICE_TOKEN_KEYS?: readonly SigningKey[];

  /** Days for which conversations are kept after their last event; by default for ever. */
  @IsOptional()
  @IntegerSetting(1, 36_500)
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
