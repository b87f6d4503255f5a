import type { DataSource } from 'typeorm';
import {
  BusinessCalendars,
  HumanScheduleRepository,
  Timezone,
} from '@cxp/contact-center-export/business-hours';
import type {
  ConversationExplanation,
  RowExplanation,
} from '@cxp/contact-center-export/explanations/explanation.dto';
import { ExplanationService } from '@cxp/contact-center-export/explanations/explanation.service';
import { parseScheduleBody } from '@cxp/contact-center-export/explanations/explanation.service';
import { ConversationRecordsReadModel } from '@cxp/contact-center-export/records/conversation-records.read-model';
import { ProblemError } from '@cxp/error-envelopes';
import { CommandError, UsageError } from './environment';

export { contactCenterDatabase } from '@cxp/contact-center-export/database';

export interface ExplainedConversation {
  readonly organization: string;
  readonly conversation: string;
  readonly timezone: string;
  /** The `data` of a record `human_schedule`, in place of the stored one. */
  readonly schedule?: unknown;
}

/** @throws CommandError when there is no such conversation or the schedule is wrong */
export async function explainConversation(
  { manager }: DataSource,
  { organization, conversation, timezone: name, schedule }: ExplainedConversation,
): Promise<ConversationExplanation> {
  const timezone = Timezone.named(name);
  if (!timezone) throw new UsageError(`${name} is no IANA timezone name`);
  const schedules = new HumanScheduleRepository(manager);
  const explanations = new ExplanationService(
    new ConversationRecordsReadModel(manager),
    schedules,
    new BusinessCalendars(schedules),
  );
  try {
    const supposed = schedule === undefined ? undefined : parseScheduleBody({ humanSchedule: schedule });
    const { signal } = new AbortController();
    const found = await explanations.explain(organization, conversation, { timezone }, signal, supposed);
    const rows: RowExplanation[] = [];
    for await (const some of found.rows) rows.push(...some);
    return { ...found, rows };
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    const { problem } = error;
    if (problem.code !== 'invalid')
      throw new CommandError(`organization ${organization} has no conversation ${conversation}`);
    const [{ loc, msg } = { loc: [], msg: '' }] = problem.items;
    throw new CommandError(`the schedule is wrong at ${loc.slice(2).join('.') || 'its root'}: ${msg}`);
  }
}
