import { type InvalidItem, MAX_RECORD_PROBLEMS, rejectAsInvalid } from '@cxp/error-envelopes';
import {
  expiryOf,
  type MetadataFieldData,
  ofType,
  type OnLine,
  type OrganizationSettingsData,
  type RecordArea,
  recordLoc,
  type RemovalOf,
  runsOf,
  type SurveyRecord,
  surveyRecordTypes,
  type UpsertOf,
  utcTime,
} from '@cxp/records';
import { inPieces } from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import { OrganizationSettingsRepository, readBrand } from '../survey-pages/organization-settings';
import { type CampaignRecord, CampaignRepository, completeCampaign } from '../campaigns/campaign.repository';
import { jsonBytes, type SurveyQuestion, type TitlesById } from '../campaigns/survey-question';
import { MetadataFieldRepository, variableConflicts } from '../metadata-fields/metadata-field.repository';
import { checkRecordedAnswers, QUESTION_KINDS } from '../questions';
import { unifyLineBreaks } from '../questions/question-kind';
import { withoutErased } from '../responses/erased-responses';
import { completeResponse, latestTimeOf, type ResponseRecord } from '../responses/response-fields';
import { ResponseRepository } from '../responses/response.repository';

/** The page and the export of a campaign grow with it. */
export const CAMPAIGN_LIMITS = {
  questions: 500,
  /** Options, and rows × columns, of all questions together. */
  controls: 2_000,
  /** The names of an export's columns repeat a question's title for each of its rows or ranked options. */
  headingCharacters: 1_500_000,
} as const;

/** The largest have 128 KiB of questions each. */
const CAMPAIGNS_AT_ONCE = 100;

/** An export has a column for each metadata field. */
export const MAX_METADATA_FIELDS = 2_000;

type Upsert = UpsertOf<SurveyRecord>;

/** @param keptDays older responses are accepted and ignored */
export function surveyRecordsKept(keptDays: number | undefined): RecordArea<SurveyRecord> {
  return {
    name: 'survey',
    types: surveyRecordTypes,
    store: (manager, organizationId, records) =>
      new SurveyRecordWriter(manager, organizationId, keptDays).store(records),
  };
}

interface Read<Data> {
  readonly line: number;
  readonly data: Data;
}

class SurveyRecordWriter {
  private readonly campaigns: CampaignRepository;
  private readonly fields: MetadataFieldRepository;
  private readonly responses: ResponseRepository;
  private readonly settings: OrganizationSettingsRepository;
  /** By id; includes the fields that this writer stored. */
  private variables: Map<number, string> | undefined;

  constructor(
    private readonly manager: EntityManager,
    private readonly organizationId: string,
    private readonly keptDays: number | undefined,
  ) {
    this.campaigns = new CampaignRepository(manager);
    this.fields = new MetadataFieldRepository(manager);
    this.responses = new ResponseRepository(manager);
    this.settings = new OrganizationSettingsRepository(manager);
  }

  async store(records: readonly OnLine<SurveyRecord>[]): Promise<void> {
    const problems = new Problems();
    for (const run of runsOf(records)) {
      if (run.op === 'upsert') await this.upsert(run.records, problems);
      else await this.remove(run.records);
    }
    if (problems.items.length > 0) rejectAsInvalid(...problems.items);
  }

  /** Campaigns come first, because the batch's answers are checked against them. */
  private async upsert(records: readonly OnLine<Upsert>[], problems: Problems): Promise<void> {
    await this.writeCampaigns(
      ofType(records, 'survey_campaign').map(({ line, data }) => ({ line, data: completeCampaign(data) })),
      problems,
    );
    await this.writeFields(ofType(records, 'metadata_field'), problems);
    await this.writeResponses(
      ofType(records, 'survey_response').map(({ line, data }) => ({ line, data: completeResponse(data) })),
      problems,
    );
    await this.writeSettings(ofType(records, 'organization_settings'), problems);
  }

  /** Only responses can be removed. */
  private async remove(records: readonly OnLine<RemovalOf<SurveyRecord>>[]): Promise<void> {
    await this.responses.removeAll(
      this.organizationId,
      records.map(({ data }) => data.identifier.toLowerCase()),
      'removed',
    );
  }

  private async writeCampaigns(records: readonly Read<CampaignRecord>[], problems: Problems): Promise<void> {
    const sound = problems.check(records, ({ data }) => campaignProblems(data));
    if (sound.length > 0) await this.campaigns.storeAll(this.organizationId, dataOf(sound));
  }

  private async writeFields(records: readonly Read<MetadataFieldData>[], problems: Problems): Promise<void> {
    if (records.length === 0) return;
    this.variables ??= await this.fields.listVariables(this.organizationId);
    const known = new Set(this.variables.keys());
    const fitting = problems.check(records, ({ data: { id } }) =>
      known.size < MAX_METADATA_FIELDS || known.has(id) ? (known.add(id), []) : [TOO_MANY_FIELDS],
    );
    const refused = variableConflicts(dataOf(fitting), this.variables);
    const sound = problems.check(fitting, (_, index) => (refused.has(index) ? [VARIABLE_TAKEN] : []));
    if (sound.length > 0) await this.fields.storeAll(this.organizationId, dataOf(sound));
    for (const { data } of sound) this.variables.set(data.id, data.variable);
  }

  private async writeResponses(records: readonly Read<ResponseRecord>[], problems: Problems): Promise<void> {
    if (records.length === 0) return;
    const campaigns = [...new Set(records.map(({ data }) => data.survey_campaign_id))];
    const kept: Read<ResponseRecord>[] = [];
    for (const ids of inPieces(campaigns, CAMPAIGNS_AT_ONCE)) {
      const questions = await this.campaigns.questionsOf(this.organizationId, ids);
      const chosen = new Set(ids);
      const some = records.filter(({ data }) => chosen.has(data.survey_campaign_id));
      const sound = problems.check(some, function* ({ data }) {
        if (latestTimeOf(data) === undefined) yield NO_TIME;
        if (jsonBytes([data.answers, data.metadata_mappings]) > MAX_STORED_BYTES) yield TOO_LARGE;
        const known = questions.get(data.survey_campaign_id);
        if (known && data.answers) yield* checkRecordedAnswers(data.answers, known);
      });
      kept.push(...this.unexpired(sound));
    }
    kept.sort((left, right) => left.line - right.line);
    const stored = await withoutErased(this.manager, this.organizationId, kept);
    await this.responses.storeAll(this.organizationId, dataOf(stored));
  }

  private unexpired(records: readonly Read<ResponseRecord>[]): readonly Read<ResponseRecord>[] {
    if (this.keptDays === undefined) return records;
    const expiry = utcTime(expiryOf(this.keptDays).toISOString());
    return records.filter(({ data }) => latestTimeOf(data)! >= expiry);
  }

  private async writeSettings(
    records: readonly Read<OrganizationSettingsData>[],
    problems: Problems,
  ): Promise<void> {
    const read = records.map(({ line, data }) => ({
      line,
      data,
      brand: data.brand ? readBrand(data.brand) : null,
    }));
    const sound = problems.check(read, ({ brand }) => (Array.isArray(brand) ? brand : []));
    const last = sound.at(-1);
    if (!last || Array.isArray(last.brand)) return;
    const { max_survey_links_per_campaign: maxLinks = null } = last.data;
    await this.settings.store(this.organizationId, maxLinks, last.brand);
  }
}

class Problems {
  readonly items: InvalidItem[] = [];

  /** @returns the records without a problem; keeps the first problems of the others */
  check<T extends { readonly line: number }>(
    records: readonly T[],
    problemsOf: (record: T, index: number) => Iterable<InvalidItem>,
  ): T[] {
    return records.filter((record, index) => {
      let found = 0;
      for (const item of problemsOf(record, index)) {
        this.items.push({ ...item, loc: recordLoc(record.line, 'data', ...item.loc) });
        if (++found === MAX_RECORD_PROBLEMS) break;
      }
      return found === 0;
    });
  }
}

const TOO_MANY_FIELDS: InvalidItem = {
  loc: ['id'],
  msg: `An organization has at most ${MAX_METADATA_FIELDS} metadata fields`,
  type: 'too_large',
};

const VARIABLE_TAKEN: InvalidItem = {
  loc: ['variable'],
  msg: 'Another metadata field of the organization has this variable',
  type: 'duplicate',
};

function dataOf<Data>(records: readonly Read<Data>[]): Data[] {
  return records.map(({ data }) => data);
}

/**
 * Finds what a schema can't express.
 * @returns items whose `loc` starts at the record's data
 */
export function* campaignProblems({ survey_questions }: CampaignRecord): Generator<InvalidItem> {
  let [controls, headingCharacters] = [0, 0];
  const seen = new Set<number>();
  for (const [index, question] of survey_questions.entries()) {
    if (seen.size === seen.add(question.id).size) yield repeatedId(['survey_questions', index, 'id']);
    yield* textProblems(question, ['survey_questions', index]);
    controls += controlsOf(question);
    headingCharacters += headingCharactersOf(question);
  }
  const limits = CAMPAIGN_LIMITS;
  if (survey_questions.length > limits.questions) yield tooLarge(limits.questions, 'questions');
  if (controls > limits.controls) yield tooLarge(limits.controls, 'controls');
  if (headingCharacters > limits.headingCharacters) {
    yield tooLarge(limits.headingCharacters, 'characters of column names in an export');
  }
}

/** Ids and titles come back from a form, which changes their line breaks and drops empty ones. */
function* textProblems(
  { option_titles_by_id, row_titles_by_id, column_titles }: SurveyQuestion,
  parent: InvalidItem['loc'],
): Generator<InvalidItem> {
  const sent = {
    option_titles_by_id: Object.keys(option_titles_by_id ?? {}),
    row_titles_by_id: Object.keys(row_titles_by_id ?? {}),
    column_titles: column_titles ?? [],
  };
  for (const [field, texts] of Object.entries(sent)) {
    const seen = new Map<string, string>();
    for (const [place, text] of texts.entries()) {
      const loc = [...parent, field, field === 'column_titles' ? place : text];
      const unified = unifyLineBreaks(text);
      if (text === '') {
        yield { loc, msg: 'String should have at least 1 character', type: 'string_too_short' };
      } else if (seen.has(unified) && seen.get(unified) !== text) {
        yield { loc, msg: 'Input differs from another one in line breaks only', type: 'duplicate' };
      }
      seen.set(unified, text);
    }
  }
}

function controlsOf({ option_titles_by_id, row_titles_by_id, column_titles }: SurveyQuestion): number {
  return countOf(option_titles_by_id) + countOf(row_titles_by_id) * Math.max(1, column_titles?.length ?? 0);
}

function headingCharactersOf(question: SurveyQuestion): number {
  const columns = QUESTION_KINDS[question.type].columns(question);
  return columns.reduce((sum, { name }) => sum + name.length, 0);
}

function countOf(titles: TitlesById | null): number {
  return Object.keys(titles ?? {}).length;
}

function repeatedId(loc: InvalidItem['loc']): InvalidItem {
  return { loc, msg: 'Each question needs an id of its own', type: 'duplicate' };
}

function tooLarge(limit: number, what: string): InvalidItem {
  return { loc: ['survey_questions'], msg: `Input should have at most ${limit} ${what}`, type: 'too_large' };
}

const MAX_STORED_BYTES = surveyRecordTypes.survey_response.maxBytes;

/** `9e15` has four characters, and sixteen when it is stored. */
const TOO_LARGE: InvalidItem = {
  loc: [],
  msg: `A response must have at most ${MAX_STORED_BYTES / 1_024} KiB as it is stored`,
  type: 'too_large',
};

const NO_TIME: InvalidItem = {
  loc: [],
  msg: 'A response needs at least one of its timestamps',
  type: 'missing',
};
