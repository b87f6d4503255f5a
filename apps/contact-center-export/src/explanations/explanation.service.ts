import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { ProblemError, rejectAsInvalid } from '@cxp/error-envelopes';
import { contactCenterRecordTypes, type HumanScheduleData, RecordCheck } from '@cxp/records';
import { unstorableTextPaths, withPauses } from '@cxp/storage';
import {
  BusinessCalendars,
  HumanScheduleRepository,
  type Timezone,
  type VersionedSchedule,
} from '../business-hours';
import { type DerivedRow, deriveRows } from '../derivation';
import { ConversationRecordsReadModel } from '../records/conversation-records.read-model';
import { explain, spansOf } from './explanation';
import {
  type ConversationExplanation,
  type ExplanationQuery,
  MAX_EXPLAINED_ROWS,
  type RowExplanation,
} from './explanation.dto';

interface Explanation extends Pick<ConversationExplanation, 'conversationId' | 'timezone' | 'truncated'> {
  readonly rows: AsyncIterable<readonly RowExplanation[]>;
}

@Injectable()
export class ExplanationService {
  constructor(
    private readonly records: ConversationRecordsReadModel,
    private readonly schedules: HumanScheduleRepository,
    private readonly calendars: BusinessCalendars,
  ) {}

  /**
   * @param supposed replaces the organization's own schedule
   * @param stop aborts the derivation
   * @throws ProblemError when the organization has no such conversation
   */
  async explain(
    organizationId: string,
    conversationId: string,
    query: ExplanationQuery,
    stop: AbortSignal,
    supposed?: VersionedSchedule,
  ): Promise<Explanation> {
    const canBe = unstorableTextPaths(conversationId).length === 0;
    const [found] = canBe ? await this.records.ofConversations(organizationId, [conversationId]) : [];
    if (!found)
      throw new ProblemError({ code: 'resource_not_found', model: 'Conversation', id: conversationId });
    const schedule = supposed ?? (await this.schedules.find(organizationId));
    const chosen: DerivedRow[] = [];
    for await (const derived of withPauses(deriveRows(found), undefined, stop)) {
      if (isChosen(derived, query)) chosen.push(derived);
      if (chosen.length > MAX_EXPLAINED_ROWS) break;
    }
    const rows = chosen.slice(0, MAX_EXPLAINED_ROWS);
    const calendars = schedule ? this.calendarsOf(schedule, query.timezone) : undefined;
    const seconds = await calendars?.calendar.secondsOf(rows.flatMap(spansOf), stop);
    return {
      conversationId: found.conversation.id,
      timezone: query.timezone.name,
      rows: (async function* () {
        for await (const [place, row] of withPauses(rows.entries(), undefined, stop))
          yield [explain(row, calendars, seconds?.slice(3 * place, 3 * place + 3))];
      })(),
      ...(chosen.length > MAX_EXPLAINED_ROWS && { truncated: true }),
    };
  }

  /** The calendars of the schedule with its exceptions, and without them. */
  private calendarsOf(schedule: VersionedSchedule, timezone: Timezone) {
    const calendar = this.calendars.of(schedule, timezone);
    if (schedule.exceptions.length === 0) return { calendar };
    const week = { ...schedule, version: `${schedule.version} without exceptions`, exceptions: [] };
    return { calendar, week: this.calendars.of(week, timezone) };
  }
}

function isChosen(
  { row }: DerivedRow,
  { sessionIndex = row.sessionIndex, ticketId = row.ticketId }: ExplanationQuery,
) {
  return row.sessionIndex === sessionIndex && row.ticketId === ticketId;
}

const scheduleCheck = new RecordCheck({ human_schedule: contactCenterRecordTypes.human_schedule });

/**
 * Reads `{"humanSchedule": …}`, the `data` of a record `human_schedule`.
 * @throws ProblemError 422 with the intake's own problems
 */
export function parseScheduleBody(body: unknown): VersionedSchedule {
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
  const version = createHash('sha256')
    .update(JSON.stringify([weekly, exceptions]))
    .digest('base64');
  return { version, weekly, exceptions: exceptions ?? [] };
}
