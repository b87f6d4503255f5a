import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ArrayNotEmpty, IsOptional, IsString, Matches, ValidateIf } from 'class-validator';
import { IntegerSetting, ServiceSettings, SwitchSetting } from '@cxp/service-kit';

/** A key that signs or verifies session tokens. */
export interface SigningKey {
  readonly id: string;
  readonly secret: string;
}

export class WebchatSettings extends ServiceSettings {
  @IntegerSetting(1, 65_535)
  WEBCHAT_PORT = 3001;

  /** What a session's `websocketUrl` starts with; sockets are opened below the path of this. */
  @Matches(/^wss:\/\/[^?#]+[^?#/]$/, {
    message: 'WEBCHAT_WEBSOCKET_URL must be a wss:// URL without a trailing slash',
  })
  WEBCHAT_WEBSOCKET_URL: string;

  /** `<id>:<secret of 32 characters or more>`, separated by commas: the first signs, all of them verify. */
  @Transform(({ value }: { value: unknown }) => parseSigningKeys(value))
  @ArrayNotEmpty({ message: 'WEBCHAT_SESSION_TOKEN_KEYS must be <id>:<secret of at least 32 characters>, …' })
  WEBCHAT_SESSION_TOKEN_KEYS: readonly SigningKey[];

  /** How long a session lives after its creation or last refresh; shorter in tests only. */
  @IntegerSetting(1, 86_400)
  WEBCHAT_SESSION_TTL_SECONDS = 3_600;

  /** On: a phone or email matches a session only when `user.id` is omitted or the session's own. */
  @SwitchSetting()
  WEBCHAT_STRICT_USER_ID = false;

  /** Sockets that a session may have, on all processes together: the oldest makes room for one too many. */
  @IntegerSetting(1, 1_000)
  WEBCHAT_SOCKETS_PER_SESSION = 10;

  /** Frames that a socket may send. */
  @IntegerSetting(1, 1_000_000)
  WEBCHAT_SOCKET_FRAMES_PER_SEC = 20;

  /** PEM files: with both, the service also listens with TLS, on `WEBCHAT_TLS_PORT`. Not needed behind an ingress. */
  @WithTls()
  WEBCHAT_TLS_CERT?: string;

  @WithTls()
  WEBCHAT_TLS_KEY?: string;

  @IntegerSetting(0, 65_535)
  WEBCHAT_TLS_PORT = 3443;

  /** With it `/demo` is served, where anybody may chat on behalf of this organization: for the local stack only. */
  @IsOptional()
  @IsString()
  WEBCHAT_DEMO_ORGANIZATION?: string;

  @IntegerSetting(1, 1_000_000)
  EXTERNAL_WEBCHAT_PER_SEC_LIMIT = 20;

  @IntegerSetting(1, 1_000_000)
  EXTERNAL_WEBCHAT_PER_MIN_LIMIT = 1_200;
}

/** A file that is needed as soon as the other one is given. */
function WithTls(): PropertyDecorator {
  const isGiven = (settings: WebchatSettings) =>
    settings.WEBCHAT_TLS_CERT !== undefined || settings.WEBCHAT_TLS_KEY !== undefined;
  return applyDecorators(
    ValidateIf(isGiven),
    IsString({ message: 'WEBCHAT_TLS_CERT and WEBCHAT_TLS_KEY must be set together' }),
  );
}

/** @returns no keys at all when one is malformed or an id is there twice, which the setting then refuses */
function parseSigningKeys(value: unknown): readonly SigningKey[] {
  const keys = String(value)
    .split(',')
    .map((entry) => /^([A-Za-z0-9._-]+):(\S{32,})$/.exec(entry.trim()))
    .map((match) => ({ id: match?.[1] ?? '', secret: match?.[2] ?? '' }));
  const ids = new Set(keys.map(({ id }) => id));
  return ids.size === keys.length && !ids.has('') ? keys : [];
}
