import { type InvalidItem, MAX_RECORD_PROBLEMS, rejectAsInvalid } from '@cxp/error-envelopes';
import {
  expiryOf,
  type MetadataFieldData,
  ofType,
  type OnLine,
  type OrganizationSettingsData,
  type RecordStore,
  recordLoc,
  type RemovalOf,
  runsOf,
  type SurveyRecord,
  surveyRecordTypes,
  type UpsertOf,
  utcTime,
} from '@cxp/records';
import { inPieces, withPauses } from '@cxp/storage';
import type { EntityManager } from 'typeorm';
import { OrganizationSettingsRepository } from '../organization-settings/organization-settings.repository';
import { readBrand } from '../survey-pages/brand';
import { type CampaignRecord, CampaignRepository, completeCampaign } from '../campaigns/campaign.repository';
import { jsonBytes } from '../json';
import { MetadataFieldRepository, variableConflicts } from '../metadata-fields/metadata-field.repository';
import { checkRecordedAnswers } from '../questions';
import { campaignProblems } from './campaign-problems';
import { withoutErased } from '../responses/erased-responses';
import { completeResponse, latestTimeOf, type ResponseRecord } from '../responses/response-fields';
import { ResponseRepository } from '../responses/response.repository';

/** The largest have 128 KiB of questions each. */
const CAMPAIGNS_AT_ONCE = 100;

/** An export has a column for each metadata field. */
export const MAX_METADATA_FIELDS = 2_000;

type Upsert = UpsertOf<SurveyRecord>;

/** @param keptDays older responses are accepted and ignored */
export function surveyRecordStore(keptDays: number | undefined): RecordStore<SurveyRecord> {
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
    const responses: Read<ResponseRecord>[] = [];
    for await (const { line, data } of withPauses(ofType(records, 'survey_response')))
      responses.push({ line, data: completeResponse(data) });
    await this.writeResponses(responses, problems);
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
    const sound = await problems.check(records, ({ data }) => campaignProblems(data));
    if (sound.length > 0) await this.campaigns.storeAll(this.organizationId, dataOf(sound));
  }

  private async writeFields(records: readonly Read<MetadataFieldData>[], problems: Problems): Promise<void> {
    if (records.length === 0) return;
    this.variables ??= await this.fields.listVariables(this.organizationId);
    const known = new Set(this.variables.keys());
    const fitting = await problems.check(records, ({ data: { id } }) =>
      known.size < MAX_METADATA_FIELDS || known.has(id) ? (known.add(id), []) : [TOO_MANY_FIELDS],
    );
    const refused = variableConflicts(dataOf(fitting), this.variables);
    const sound = await problems.check(fitting, (_, index) => (refused.has(index) ? [VARIABLE_TAKEN] : []));
    if (sound.length === 0) return;
    await this.fields.storeAll(this.organizationId, dataOf(sound));
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
      const sound = await problems.check(some, function* ({ data }) {
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
    const sound = await problems.check(read, ({ brand }) => (Array.isArray(brand) ? brand : []));
    const last = sound.at(-1);
    if (!last || Array.isArray(last.brand)) return;
    const { max_survey_links_per_campaign: maxLinks = null } = last.data;
    await this.settings.store(this.organizationId, maxLinks, last.brand);
  }
}

class Problems {
  readonly items: InvalidItem[] = [];

  /** @returns the records without a problem; keeps the first problems of the others */
  async check<T extends { readonly line: number }>(
    records: readonly T[],
    problemsOf: (record: T, index: number) => Iterable<InvalidItem>,
  ): Promise<T[]> {
    const sound: T[] = [];
    for await (const [index, record] of withPauses(records.entries())) {
      let found = 0;
      for (const item of problemsOf(record, index)) {
        this.items.push({ ...item, loc: recordLoc(record.line, 'data', ...item.loc) });
        if (++found === MAX_RECORD_PROBLEMS) break;
      }
      if (found === 0) sound.push(record);
    }
    return sound;
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
