export { createService } from './create-service';
export { runMigrations } from './run-migrations';
export { runService } from './run-service';
export { type ServiceDefinition } from './service-definition';
export { ServiceSettings } from './settings/service-settings';
export { IntegerSetting, ListSetting, SwitchSetting } from './settings/decorators';
export { environmentSetting, loadSettings, SettingsError } from './settings/load-settings';
export { settingNames } from './settings/setting-names';
export { JsonBody } from './http/json-body';
export { preferredMediaType } from './http/preferred-media-type';
export { bodyChunks } from './http/unparsed-bodies';
export { liftDeadline } from './http/request-deadline';
export { checkDto } from './http/check-dto';
export { ContractValidationPipe } from './http/contract-validation.pipe';
export {
  ApiExternal,
  ApiProblems,
  type DescribedProblems,
  type ExternalOperation,
} from './openapi/api-external';
export { describeService } from './openapi/describe-service';
export { openApiDocument } from './openapi/documents';
export { isCalendarDate, IsCalendarDate } from './validators/calendar-date';
export { IsNotBefore } from './validators/not-before';
export { CodePoints, hasCodePoints } from './validators/code-points';
