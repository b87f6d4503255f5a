import { type ConversationSurveyData, lastByKey } from '@cxp/platform-records';
import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { instant } from './instant';
import { RecordTable, type Stored } from './record-table';

const SURVEYS = new RecordTable<ReturnType<typeof toRow>, 'conversation_id'>({
  name: 'contact_center.conversation_survey',
  columns: {
    id: 'text',
    conversation_id: 'text',
    rating: 'bigint',
    resolution: 'smallint',
    feedback: 'text',
    submitted_at: 'timestamptz',
  },
  returned: ['conversation_id'],
});

@Injectable()
export class ConversationSurveyRepository {
  constructor(private readonly manager: EntityManager) {}

  async store(organizationId: string, records: readonly ConversationSurveyData[]): Promise<Stored> {
    const rows = lastByKey(records, ({ id }) => id).map(toRow);
    const { written, replaced, growth } = await SURVEYS.store(this.manager, organizationId, rows);
    const touched = [...written, ...replaced].map(({ conversation_id }) => conversation_id);
    return { touched, growth };
  }
}

function toRow(survey: ConversationSurveyData) {
  return {
    id: survey.id,
    conversation_id: survey.conversationId,
    rating: survey.rating ?? null,
    resolution: survey.resolution ?? null,
    feedback: survey.feedback ?? '',
    submitted_at: instant(survey.submittedAt),
  };
}
