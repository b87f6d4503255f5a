import type { InvalidItem } from '@cxp/error-envelopes';
import type { CampaignRecord } from '../campaigns/campaign.repository';
import type { ResponseRecord } from '../responses/response.repository';

/** What a schema can't see in a campaign. @returns items whose `loc` starts at the record's data */
export function campaignProblems({ survey_questions }: CampaignRecord): InvalidItem[] {
  const seen = new Set<number>();
  return survey_questions.flatMap(({ id }, index) =>
    seen.size === seen.add(id).size
      ? [
          {
            loc: ['survey_questions', index, 'id'],
            msg: 'Each question needs an id of its own',
            type: 'duplicate',
          },
        ]
      : [],
  );
}

/** What a schema can't see in a response, its answers apart. @returns items whose `loc` starts at the record's data */
export function responseProblems(response: ResponseRecord): InvalidItem[] {
  const timed =
    response.sent_timestamp ??
    response.sending_failed_timestamp ??
    response.opened_timestamp ??
    response.answered_timestamp;
  return timed === null
    ? [{ loc: [], msg: 'A response needs at least one of its timestamps', type: 'missing' }]
    : [];
}
