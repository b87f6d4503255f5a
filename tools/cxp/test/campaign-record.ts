/** A campaign of one question. */
export function campaignRecord(id: string, status: 'active' | 'deleted') {
  const question = { id: 1, type: 'text', metric_type: null, title: 'How was it?' };
  const data = { id, name: 'After the visit', status, touchpoints: [], survey_questions: [question] };
  return { type: 'survey_campaign', data };
}
