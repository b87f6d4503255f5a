import { IntegerSetting, ServiceSettings, SwitchSetting } from '@cxp/service-kit';

export class SurveySettings extends ServiceSettings {
  @IntegerSetting(1, 65_535)
  SURVEY_PORT = 3003;

  @IntegerSetting(1, 1_000_000)
  EXTERNAL_SURVEY_PER_SEC_LIMIT = 5;

  @IntegerSetting(1, 1_000_000)
  EXTERNAL_SURVEY_PER_MIN_LIMIT = 50;

  /** An export starts at most this many days before its end. */
  @IntegerSetting(1, 36_500)
  SURVEY_EXPORT_WINDOW_DAYS = 90;

  /** Off: cells that a spreadsheet would run as a formula are exported as they are. */
  @SwitchSetting()
  SURVEY_EXPORT_FORMULA_GUARD = true;

  /** Exports that this process sends at once, each over a database connection of its own, besides `DATABASE_POOL_SIZE`. */
  @IntegerSetting(1, 1_000)
  SURVEY_EXPORT_POOL_SIZE = 4;

  /** Links that a campaign may have in an organization without a limit of its own. */
  @IntegerSetting(0, 2_147_483_647)
  SURVEY_LINKS_PER_CAMPAIGN = 50;
}
