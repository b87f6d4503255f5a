import type { InvalidItem } from '@cxp/error-envelopes';
import { recordLoc, type PlatformRecord, type RecordArea, type RecordWriter } from '@cxp/record-intake';
import type { EntityManager } from 'typeorm';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { OrganizationSettingsRepository } from '../links/organization-settings.repository';
import { MetadataFieldRepository, type MetadataField } from '../metadata-fields/metadata-field.repository';
import { variableConflicts } from '../metadata-fields/variable-conflicts';
import { answerProblems } from '../responses/answer-problems';
import { ResponseRepository, type ResponseRecord } from '../responses/response.repository';
import {
  completeCampaign,
  completeResponse,
  type SentCampaign,
  type SentResponse,
  type SentSettings,
} from './record-data';
import { campaignProblems, responseProblems } from './record-problems';
import { surveySchemas } from './survey-schemas';

/** The records of area C. */
export const surveyRecords: RecordArea = {
  name: 'survey',
  schemas: surveySchemas,
  openWriter: (manager, organizationId) => new SurveyRecordWriter(manager, organizationId),
};

/** A record in the form that is stored, and the line that it came on. */
interface Read<Data> {
  readonly line: number;
  readonly data: Data;
}

class SurveyRecordWriter implements RecordWriter {
  private readonly campaigns: CampaignRepository;
  private readonly fields: MetadataFieldRepository;
  private readonly responses: ResponseRepository;
  private readonly settings: OrganizationSettingsRepository;

  constructor(
    manager: EntityManager,
    private readonly organizationId: string,
  ) {
    this.campaigns = new CampaignRepository(manager);
    this.fields = new MetadataFieldRepository(manager);
    this.responses = new ResponseRepository(manager);
    this.settings = new OrganizationSettingsRepository(manager);
  }

  /** Campaigns come first, so that answers are held against the questions that this very batch brings. */
  async write(records: readonly PlatformRecord[]): Promise<readonly InvalidItem[]> {
    const problems = new Problems();
    await this.writeCampaigns(readAll(records, 'survey_campaign', completeCampaign), problems);
    await this.writeFields(
      readAll(records, 'metadata_field', (field: MetadataField) => field),
      problems,
    );
    await this.writeResponses(readAll(records, 'survey_response', completeResponse), problems);
    await this.writeSettings(readAll(records, 'organization_settings', (settings: SentSettings) => settings));
    return problems.items;
  }

  private async writeCampaigns(
    records: readonly Read<ReturnType<typeof completeCampaign>>[],
    problems: Problems,
  ): Promise<void> {
    const sound = records.filter(({ line, data }) => problems.none(line, campaignProblems(data)));
    if (sound.length > 0) await this.campaigns.storeAll(this.organizationId, dataOf(sound));
  }

  private async writeFields(records: readonly Read<MetadataField>[], problems: Problems): Promise<void> {
    if (records.length === 0) return;
    const stored = await this.fields.listVariables(this.organizationId);
    const refused = variableConflicts(dataOf(records), stored);
    const sound = records.filter(({ line }, index) =>
      problems.none(line, refused.has(index) ? [VARIABLE_TAKEN] : []),
    );
    if (sound.length > 0) await this.fields.storeAll(this.organizationId, dataOf(sound));
  }

  private async writeResponses(records: readonly Read<ResponseRecord>[], problems: Problems): Promise<void> {
    if (records.length === 0) return;
    const campaignIds = [...new Set(records.map(({ data }) => data.survey_campaign_id))];
    const questions = await this.campaigns.findQuestions(this.organizationId, campaignIds);
    const sound = records.filter(({ line, data }) => {
      const known = questions.get(data.survey_campaign_id);
      const misfits = known && data.answers ? answerProblems(data.answers, known) : [];
      return problems.none(line, [...responseProblems(data), ...misfits]);
    });
    if (sound.length > 0) await this.responses.storeAll(this.organizationId, dataOf(sound));
  }

  private async writeSettings(records: readonly Read<SentSettings>[]): Promise<void> {
    const last = records.at(-1);
    if (!last) return;
    const { max_survey_links_per_campaign = null } = last.data;
    await this.settings.store(this.organizationId, { max_survey_links_per_campaign });
  }
}

/** Gathers what is wrong, each with its place in the batch. */
class Problems {
  readonly items: InvalidItem[] = [];

  /** Notes what is wrong with a record; says whether that is nothing. */
  none(line: number, found: readonly InvalidItem[]): boolean {
    this.items.push(...found.map((item) => ({ ...item, loc: recordLoc(line, 'data', ...item.loc) })));
    return found.length === 0;
  }
}

const VARIABLE_TAKEN: InvalidItem = {
  loc: ['variable'],
  msg: 'Another metadata field of the organization has this variable',
  type: 'duplicate',
};

/** The schema of a type makes sure that its data is what was sent for it. */
function readAll<Sent extends SentCampaign | SentResponse | SentSettings | MetadataField, Data>(
  records: readonly PlatformRecord[],
  type: string,
  read: (sent: Sent) => Data,
): Read<Data>[] {
  return records
    .filter((record) => record.type === type)
    .map(({ line, data }) => ({ line, data: read(data as Sent) }));
}

function dataOf<Data>(records: readonly Read<Data>[]): Data[] {
  return records.map(({ data }) => data);
}
