import type { SchemaObject } from 'ajv';
import { CAMPAIGN_STATUSES } from '../campaigns/campaign-status';
import { METRIC_TYPES, QUESTION_TYPES } from '../campaigns/survey-question';
import { RESPONSE_SOURCES } from '../responses/survey-response';

/** The most characters of a metadata variable: what a unique index holds in any script. */
const VARIABLE_LENGTH = 255;

/** The largest `integer` of PostgreSQL. */
const MOST_LINKS = 2_147_483_647;

const uuid = { type: 'string', format: 'uuid' };
const text = { type: 'string' };
const optionalText = { type: ['string', 'null'] };
const optionalInstant = { type: ['string', 'null'], format: 'instant' };
const optionalTexts = { type: ['array', 'null'], items: text };
const optionalObject = { type: ['object', 'null'] };
const optionalTitles = { type: ['object', 'null'], additionalProperties: text };
/** Beyond these a JSON number is no longer the integer that was sent. */
const integer = { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

function optionalEnum(values: readonly string[]): SchemaObject {
  return { type: ['string', 'null'], enum: [...values, null] };
}

const question: SchemaObject = {
  type: 'object',
  required: ['id', 'type', 'title'],
  properties: {
    id: integer,
    type: { type: 'string', enum: QUESTION_TYPES },
    metric_type: optionalEnum(METRIC_TYPES),
    title: text,
    option_titles_by_id: optionalTitles,
    row_titles_by_id: optionalTitles,
    column_titles: optionalTexts,
  },
};

/** JSON Schema of each record's `data`. What may be null may be left out. */
export const surveySchemas: Readonly<Record<string, SchemaObject>> = {
  survey_campaign: {
    type: 'object',
    required: ['id', 'name', 'status'],
    properties: {
      id: uuid,
      name: text,
      status: { type: 'string', enum: CAMPAIGN_STATUSES },
      last_interacted_at: optionalInstant,
      touchpoints: optionalTexts,
      survey_questions: { type: ['array', 'null'], items: question },
    },
  },
  metadata_field: {
    type: 'object',
    required: ['id', 'name', 'variable'],
    properties: {
      id: integer,
      name: text,
      variable: { type: 'string', minLength: 1, maxLength: VARIABLE_LENGTH },
    },
  },
  survey_response: {
    type: 'object',
    required: ['identifier', 'survey_campaign_id'],
    properties: {
      identifier: uuid,
      survey_campaign_id: uuid,
      sent_timestamp: optionalInstant,
      sending_failed_timestamp: optionalInstant,
      opened_timestamp: optionalInstant,
      answered_timestamp: optionalInstant,
      user_name: optionalText,
      user_phone: optionalText,
      user_email: optionalText,
      source: optionalEnum(RESPONSE_SOURCES),
      transaction_id: optionalText,
      tags: optionalTexts,
      metadata_mappings: optionalObject,
      answers: optionalObject,
    },
  },
  organization_settings: {
    type: 'object',
    properties: {
      max_survey_links_per_campaign: { type: ['integer', 'null'], minimum: 0, maximum: MOST_LINKS },
    },
  },
};
