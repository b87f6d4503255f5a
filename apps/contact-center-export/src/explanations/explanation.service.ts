import { Injectable } from '@nestjs/common';
import { ProblemError } from '@cxp/error-envelopes';
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
import { explain, type ExplainingCalendar } from './explanation';
import type { ConversationExplanation, RowExplanation } from './explanation.dto';

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
    const calendar = schedule && (await calendarOf(schedule, timezone, derived));
    const rows: RowExplanation[] = [];
    for await (const row of inTurns(derived)) rows.push(explain(row, calendar));
    return { conversationId: found.conversation.id, timezone: timezone.name, rows };
  }
}

/** The schedule with and without its exceptions, worked out for the years of the rows. */
async function calendarOf(
  schedule: HumanSchedule,
  timezone: Timezone,
  rows: readonly DerivedRow[],
): Promise<ExplainingCalendar> {
  const calendarIn = (one: HumanSchedule) => new BusinessCalendar('', new ScheduleDates(one), timezone);
  const calendar = calendarIn(schedule);
  const week = calendarIn({ weekly: schedule.weekly, exceptions: [] });
  const times = rows.flatMap(({ anchors }) =>
    Object.values<Anchor<unknown>>({ ...anchors }).flatMap(({ at }) => at ?? []),
  );
  const span = [Math.min(...times), Math.max(...times)] as const;
  if (times.length > 0) for (const each of [calendar, week]) await each.prepare(...span);
  return {
    secondsBetween: (from, to) => calendar.secondsBetween(from, to),
    openings: (from, to) => calendar.intervalsBetween(from, to),
    weekOpenings: (from, to) => week.intervalsBetween(from, to),
  };
}
