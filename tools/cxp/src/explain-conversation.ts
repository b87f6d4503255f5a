import type { DataSource } from 'typeorm';
import {
  BusinessCalendars,
  HumanScheduleRepository,
  Timezone,
} from '@cxp/contact-center-export/business-hours';
import { DEFAULT_TIMEZONE } from '@cxp/contact-center-export/conversation-sessions/conversation-session.dto';
import type {
  ConversationExplanation,
  RowExplanation,
} from '@cxp/contact-center-export/explanations/explanation.dto';
import { ExplanationService } from '@cxp/contact-center-export/explanations/explanation.service';
import { parseScheduleBody } from '@cxp/contact-center-export/explanations/explanation.service';
import { ConversationRecordsReadModel } from '@cxp/contact-center-export/records/conversation-records.read-model';
import { dateTime } from '@cxp/contact-center-export/instant';
import { ProblemError } from '@cxp/error-envelopes';
import { CommandError, UsageError } from './environment';

export { contactCenterDatabase } from '@cxp/contact-center-export/database';

export interface ExplainedConversation {
  readonly organization: string;
  readonly conversation: string;
  readonly timezone?: string;
  /** The `data` of a record `human_schedule`, in place of the stored one. */
  readonly schedule?: unknown;
}

export interface ExplainedRows extends ConversationExplanation {
  /** Why there are no rows: no agent has taken the conversation, since it was handed over. */
  readonly noRows?: { readonly handedOverAt: string | null };
}

/** @throws CommandError when there is no such conversation or the schedule is wrong */
export async function explainConversation(
  { manager }: DataSource,
  { organization, conversation, timezone: name = DEFAULT_TIMEZONE, schedule }: ExplainedConversation,
): Promise<ExplainedRows> {
  const timezone = Timezone.named(name);
  if (!timezone) throw new UsageError(`${name} is no IANA timezone name`);
  const schedules = new HumanScheduleRepository(manager);
  const records = new ConversationRecordsReadModel(manager);
  const explanations = new ExplanationService(records, schedules, new BusinessCalendars(schedules));
  try {
    const supposed = schedule === undefined ? undefined : parseScheduleBody({ humanSchedule: schedule });
    const { signal } = new AbortController();
    const found = await explanations.explain(organization, conversation, { timezone }, signal, supposed);
    const rows: RowExplanation[] = [];
    for await (const some of found.rows) rows.push(...some);
    if (rows.length > 0) return { ...found, rows };
    const [stored] = await records.ofConversations(organization, [conversation]);
    const handovers = stored!.activities.filter(({ action }) => action === 'route_to_human');
    const latest = handovers.length > 0 ? Math.max(...handovers.map(({ occurredAt }) => occurredAt)) : null;
    return { ...found, rows, noRows: { handedOverAt: dateTime(latest) } };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { problem } = error;
    if (problem.code !== 'invalid')
      throw new CommandError(`organization ${organization} has no conversation ${conversation}`);
    const [{ loc, msg } = { loc: [], msg: '' }] = problem.items;
    throw new CommandError(`the schedule is wrong at ${loc.slice(2).join('.') || 'its root'}: ${msg}`);
  }
}
