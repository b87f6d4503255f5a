import { Transform } from 'class-transformer';
import { IsOptional, Matches, ValidateBy } from 'class-validator';
import { FeedSettings, IntegerSetting, SwitchSetting } from '@cxp/service-kit';

export class SurveySettings extends FeedSettings {
  /** The port of the service. */
  @IntegerSetting(1, 65_535)
  SURVEY_PORT = 3003;

  /** Calls of an organization to an endpoint in a second. */
  @IntegerSetting(1, 1_000_000)
  EXTERNAL_SURVEY_PER_SEC_LIMIT = 5;

  /** The same in a minute. */
  @IntegerSetting(1, 1_000_000)
  EXTERNAL_SURVEY_PER_MIN_LIMIT = 50;

  /** An export starts at most this many days before its end. */
  @IntegerSetting(1, 36_500)
  SURVEY_EXPORT_WINDOW_DAYS = 90;

  /** `off`: formulas in exports get no apostrophe. */
  @SwitchSetting()
  SURVEY_EXPORT_FORMULA_GUARD = true;

  // More than the five requests that it may send in a second.
  /** Exports of an organization at once in a process, and as many streams of changes; else 429. */
  @IntegerSetting(1, 1_000)
  SURVEY_EXPORTS_PER_ORGANIZATION = 6;

  /** The same of all organizations; else 503. */
  @IntegerSetting(1, 10_000)
  SURVEY_EXPORTS_AT_ONCE = 24;

  /** Days for which the feed of changes keeps removals; who was away for longer reads all rows again. 0: a minute. */
  @IntegerSetting(0, 36_500)
  SURVEY_REMOVALS_KEPT_DAYS = 90;

  /** Days for which responses are kept after their latest time; by default for ever. */
  @IsOptional()
  @IntegerSetting(1, 36_500)
  SURVEY_RESPONSES_KEPT_DAYS?: number;

  /** Links of a campaign, if its organization has no limit of its own. */
  @IntegerSetting(0, 2_147_483_647)
  SURVEY_LINKS_PER_CAMPAIGN = 50;

  /** The base URL of survey pages, without a trailing slash. By default there are none. */
  @IsOptional()
  @PublicUrlSetting()
  SURVEY_PUBLIC_URL?: string;

  /** Sources of `frame-ancestors` that may show survey pages in a frame. */
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.split(/[\s,]+/).filter((source) => source !== '') : value,
  )
  @Matches(/^('self'|https?:\/\/(\*\.)?[a-z0-9.-]+(:\d{1,5})?)$/, {
    each: true,
    message: "$property must be 'self' or origins such as https://www.example.com",
  })
  SURVEY_FRAME_ANCESTORS: readonly string[] = [];

  /** Survey pages that a client address may open in a second. */
  @IntegerSetting(1, 1_000_000)
  SURVEY_PUBLIC_VIEW_PER_SEC_LIMIT = 20;

  /** The same in a minute. */
  @IntegerSetting(1, 1_000_000)
  SURVEY_PUBLIC_VIEW_PER_MIN_LIMIT = 300;

  /** Answers that a client address may send in a second. */
  @IntegerSetting(1, 1_000_000)
  SURVEY_PUBLIC_ADDRESS_PER_SEC_LIMIT = 5;

  /** The same in a minute. */
  @IntegerSetting(1, 1_000_000)
  SURVEY_PUBLIC_ADDRESS_PER_MIN_LIMIT = 60;
}

/** A URL as `URL` writes it, so that it can be put into headers and pages as it is. */
function PublicUrlSetting(): PropertyDecorator {
  const isPublicUrl = (value: unknown) => {
    if (typeof value !== 'string' || !URL.canParse(value)) return false;
    const { protocol, origin, pathname } = new URL(value);
    return ['http:', 'https:'].includes(protocol) && value === `${origin}${pathname}`.replace(/\/$/, '');
  };
  return ValidateBy({
    name: 'isPublicUrl',
    validator: {
      validate: isPublicUrl,
      defaultMessage: () => '$property must be an http(s) URL without a trailing slash, query or fragment',
    },
  });
}
