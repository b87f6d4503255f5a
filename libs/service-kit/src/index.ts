export { bootstrap } from './bootstrap';
export { createApp } from './create-app';
export { Health } from './health/health';
export { runMigrations } from './run-migrations';
export { PlatformModule, type AppModuleClass, type PlatformOptions } from './platform.module';
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
export { JsonBody, LARGE_BODY_BYTES, OtherBody, receiveBody, ReceivedBody } from './http/request-body';
export { parseJson } from './json/parse-json';
export {
  answerAndClose,
  MAX_CONNECTIONS,
  MAX_HEADER_BYTES,
  MAX_PIECES,
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
