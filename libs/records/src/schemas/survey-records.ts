import { type Static, Type } from '@sinclair/typebox';
import type { PlatformRecord, RecordTypes } from './record-types';
import { anyObject, instant, MAX_KEY_LENGTH, optional, safeInteger, uuid, wordOf } from './record-schemas';

export const CAMPAIGN_STATUSES = ['draft', 'active', 'inactive', 'deleted'] as const;
export type CampaignStatus = (typeof CAMPAIGN_STATUSES)[number];

/** Of the survey pages. */
export const SURVEY_LANGUAGES = ['vi', 'en'] as const;
export type SurveyLanguage = (typeof SURVEY_LANGUAGES)[number];

/** The contract's list omits `ranking`, which its export describes. */
export const QUESTION_TYPES = ['matrix', 'checkbox', 'multiple_choice', 'text', 'ranking'] as const;
export type QuestionType = (typeof QUESTION_TYPES)[number];

export const METRIC_TYPES = ['nps', 'ces', 'csat'] as const;
export type MetricType = (typeof METRIC_TYPES)[number];

export const RESPONSE_SOURCES = ['Anonymous Link', 'POS', 'Website', 'Zalo', 'Email', 'Mobile'] as const;

/** A unique index holds a metadata variable of this length in any script. */
const MAX_FIELD_LENGTH = 255;

/** A page and an export contain names and titles as a whole. */
export const MAX_TITLE_CHARACTERS = 20_000;

/** A trigram index holds campaign names. */
const MAX_NAME_CHARACTERS = 1_000;

/** Each row of a page and each answer repeats a column's title. */
export const MAX_COLUMN_TITLE_CHARACTERS = 1_000;

const MAX_BRAND_NAME_CHARACTERS = 100;

/** 20,000 bytes in base64, with the beginning of a data URI. */
const MAX_LOGO_CHARACTERS = 26_700;

/** The largest `integer` of PostgreSQL. */
const MAX_LINKS = 2_147_483_647;

const text = Type.String();
const texts = Type.Array(text);
const title = Type.String({ maxLength: MAX_TITLE_CHARACTERS });
const titlesById = Type.Unsafe<Record<string, string>>({
  type: 'object',
  propertyNames: { type: 'string', maxLength: MAX_KEY_LENGTH },
  additionalProperties: title,
});
const columnTitles = Type.Array(Type.String({ maxLength: MAX_COLUMN_TITLE_CHARACTERS }));

const question = Type.Object({
  id: safeInteger,
  type: wordOf(QUESTION_TYPES),
  metric_type: optional(wordOf(METRIC_TYPES)),
  title,
  option_titles_by_id: optional(titlesById, 'Of checkbox, multiple_choice and ranking questions'),
  row_titles_by_id: optional(titlesById, 'Of matrix questions'),
  column_titles: optional(columnTitles, 'Of matrix questions'),
});

const surveyCampaign = Type.Object({
  id: uuid,
  name: Type.String({ maxLength: MAX_NAME_CHARACTERS }),
  status: wordOf(CAMPAIGN_STATUSES),
  language: optional(
    wordOf(SURVEY_LANGUAGES),
    'Of its texts. Its survey page has this language unless the respondent chooses another one',
  ),
  last_interacted_at: optional(instant),
  touchpoints: optional(Type.Array(title)),
  survey_questions: optional(Type.Array(question), 'In the order in which they are shown'),
});

const metadataField = Type.Object({
  id: safeInteger,
  name: Type.String({ maxLength: MAX_FIELD_LENGTH }),
  variable: Type.String({
    minLength: 1,
    maxLength: MAX_FIELD_LENGTH,
    description: 'Unique in the organization',
  }),
});

const surveyResponse = Type.Object(
  {
    identifier: uuid,
    survey_campaign_id: uuid,
    sent_timestamp: optional(instant),
    sending_failed_timestamp: optional(instant),
    opened_timestamp: optional(instant),
    answered_timestamp: optional(instant),
    user_name: optional(Type.String({ maxLength: MAX_FIELD_LENGTH })),
    user_phone: optional(Type.String({ maxLength: MAX_FIELD_LENGTH })),
    user_email: optional(Type.String({ maxLength: 320 })),
    source: optional(wordOf(RESPONSE_SOURCES), 'The distribution channel'),
    transaction_id: optional(text),
    tags: optional(texts),
    metadata_mappings: optional(anyObject, 'Values by metadata variable'),
    answers: optional(
      anyObject,
      'By question id. text: string; multiple_choice: option id; checkbox: array of option ids; matrix: object of row ' +
        'id to column title; ranking: object of option id to rank from 1. Option ids are text. An option that has no ' +
        'id is its text',
    ),
  },
  { description: 'At least one of the four timestamps is required' },
);

const brand = Type.Object({
  name: Type.String({ minLength: 1, maxLength: MAX_BRAND_NAME_CHARACTERS }),
  color: Type.String({
    pattern: '^#[0-9a-fA-F]{6}$',
    description: '`#rrggbb`, with a contrast of at least 4.5 to white',
  }),
  logo: optional(
    Type.String({ maxLength: MAX_LOGO_CHARACTERS }),
    'A data URI of `image/png` or `image/svg+xml` in base64, at most 20,000 bytes; shown on white',
  ),
});

const organizationSettings = Type.Object({
  max_survey_links_per_campaign: optional(
    Type.Integer({ minimum: 0, maximum: MAX_LINKS }),
    'null: the default of the platform',
  ),
  brand: optional(brand, 'How the survey pages show the organization; null: they do not'),
});

export const surveyRecordTypes = {
  survey_campaign: { data: surveyCampaign, key: 'id', removable: false, maxBytes: 128 * 1024 },
  metadata_field: { data: metadataField, key: 'id', removable: false },
  survey_response: { data: surveyResponse, key: 'identifier', removable: true, maxBytes: 128 * 1024 },
  organization_settings: { data: organizationSettings, key: null, removable: false, maxBytes: 128 * 1024 },
} as const satisfies RecordTypes;

export type SurveyRecord = PlatformRecord<typeof surveyRecordTypes>;
export type SurveyQuestionData = Static<typeof question>;
export type SurveyCampaignData = Static<typeof surveyCampaign>;
export type MetadataFieldData = Static<typeof metadataField>;
export type SurveyResponseData = Static<typeof surveyResponse>;
export type BrandData = Static<typeof brand>;
export type OrganizationSettingsData = Static<typeof organizationSettings>;
