import { rejectAsInvalid } from '@cxp/error-envelopes';
import { contactCenterRecordTypes, type HumanScheduleData, RecordCheck } from '@cxp/platform-records';
import type { HumanSchedule } from '../business-hours';

const records = new RecordCheck({ human_schedule: contactCenterRecordTypes.human_schedule });

/**
 * Reads `{"humanSchedule": …}`: the `data` of a record `human_schedule`.
 * @throws ProblemError 422 with what the intake would find wrong with it
 */
export function parseScheduleBody(body: unknown): HumanSchedule {
  const { humanSchedule } = (body ?? {}) as { humanSchedule?: unknown };
  const result = records.check({ type: 'human_schedule', data: humanSchedule });
  if ('problems' in result) {
    return rejectAsInvalid(
      ...result.problems.map(({ loc: [, ...path], ...problem }) => ({
        ...problem,
        loc: ['body', 'humanSchedule', ...path],
      })),
    );
  }
  const { weekly, exceptions } = result.record.data as unknown as HumanScheduleData;
  return { weekly, exceptions: exceptions ?? [] };
}
