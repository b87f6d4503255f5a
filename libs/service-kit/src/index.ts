export { bootstrap } from './bootstrap';
export { createApp } from './create-app';
export { Health } from './health/health';
export { runMigrations } from './run-migrations';
export { PlatformModule, type AppModuleClass, type PlatformOptions } from './platform.module';
export { FeedSettings } from './settings/feed-settings';
export { ServiceSettings } from './settings/service-settings';
export {
  AddressRangesSetting,
  IntegerSetting,
  SigningKeysSetting,
  SwitchSetting,
  type SigningKey,
} from './settings/decorators';
export { environmentSetting, SettingsError } from './settings/environment';
export { loadSettings, settingNames } from './settings/load-settings';
export { ApiValidationPipe } from './http/api-validation.pipe';
export { JSON_TYPE, LARGE_ANSWER_BYTES, UNREAD_ANSWERS } from './http/answers';
export {
  escapedBytes,
  JsonBody,
  LARGE_BODIES,
  LARGE_BODY_BYTES,
  OtherBody,
  receiveBody,
  ReceivedBody,
  SMALL_BODIES,
} from './http/request-body';
export { parseJson } from './json/parse-json';
export {
  answerAndClose,
  MAX_CONNECTIONS,
  MAX_HEADER_BYTES,
  MAX_PIECES,
  MAX_WAITING,
  MAX_WAITING_OF_CONNECTION,
  PIECE_BYTES,
} from './http/http-server';
export { requestId } from './http/request-log';
export { StaticFile } from './http/static-file';
export { type RequestTime, Signal, TimeLimit } from './http/request-time';
export { preferredMediaType } from './http/preferred-media-type';
export { ApiProblems, type DescribedProblems, uncountedHeadersOf } from './openapi/error-responses';
export { describeService } from './openapi/documents';
export {
  CodePoints,
  hasCodePoints,
  isCalendarDate,
  IsCalendarDate,
  IsNotBefore,
  NestedObject,
} from './validators/validators';
