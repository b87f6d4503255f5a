import { Injectable } from '@nestjs/common';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { contactCenterRecordTypes, type HumanScheduleData, RecordCheck } from '@cxp/platform-records';
import { unstorableTextPaths } from '@cxp/storage';
import {
  BusinessCalendar,
  ScheduleDates,
  type HumanSchedule,
  HumanScheduleRepository,
  type Timezone,
} from '../business-hours';
import { type Anchor, type DerivedRow, deriveRows } from '../derivation';
import { ConversationRecordsReadModel } from '../records/conversation-records.read-model';
import { inTurns } from '../in-turns';
import { type Calendars, explain } from './explanation';
import type { ConversationExplanation, RowExplanation } from './explanation.dto';

/** About 10 MB: a conversation has up to 10,000 rows, each with three metrics. */
const MAX_INTERVALS_OF_ALL = 50_000;

/** Why the figures of a conversation's rows are what they are, or would be with another schedule. */
@Injectable()
export class ExplanationService {
  constructor(
    private readonly records: ConversationRecordsReadModel,
    private readonly schedules: HumanScheduleRepository,
  ) {}

  /**
   * @param supposed in place of the organization's own schedule
   * @throws ProblemError when the organization has no such conversation
   */
  async explain(
    organizationId: string,
    conversationId: string,
    timezone: Timezone,
    supposed?: HumanSchedule,
  ): Promise<ConversationExplanation> {
    const canBe = unstorableTextPaths(conversationId).length === 0;
    const [found] = canBe ? await this.records.ofConversations(organizationId, [conversationId]) : [];
    if (!found)
      throw new ProblemError({ code: 'resource_not_found', model: 'Conversation', id: conversationId });
    const schedule = supposed ?? (await this.schedules.find(organizationId));
    const derived: DerivedRow[] = [];
    for await (const row of inTurns(deriveRows(found))) derived.push(row);
    const calendars = schedule && (await calendarsOf(schedule, timezone, derived));
    const rows: RowExplanation[] = [];
    const budget = { intervals: MAX_INTERVALS_OF_ALL };
    for await (const row of inTurns(derived)) rows.push(explain(row, calendars, budget));
    return { conversationId: found.conversation.id, timezone: timezone.name, rows };
  }
}

/** The schedule with and without its exceptions, worked out for the years of the rows. */
async function calendarsOf(
  { weekly, exceptions }: HumanSchedule,
  timezone: Timezone,
  rows: readonly DerivedRow[],
): Promise<Calendars> {
  const times = rows.flatMap(({ anchors }) =>
    Object.values<Anchor<unknown>>({ ...anchors }).flatMap(({ at }) => at ?? []),
  );
  const [calendar, week] = [exceptions, []].map(
    (some) => new BusinessCalendar('', new ScheduleDates({ weekly, exceptions: some }), timezone),
  ) as [BusinessCalendar, BusinessCalendar];
  if (times.length > 0)
    for (const each of [calendar, week]) await each.prepare(Math.min(...times), Math.max(...times));
  return { calendar, week };
}

const scheduleCheck = new RecordCheck({ human_schedule: contactCenterRecordTypes.human_schedule });

/**
 * Reads `{"humanSchedule": …}`: the `data` of a record `human_schedule`.
 * @throws ProblemError 422 with what the intake would find wrong with it
 */
export function parseScheduleBody(body: unknown): HumanSchedule {
  const { humanSchedule } = (body ?? {}) as { humanSchedule?: unknown };
  const result = scheduleCheck.check({ type: 'human_schedule', data: humanSchedule });
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
