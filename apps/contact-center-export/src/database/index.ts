import { CHANGE_FEED_GRANTS } from '@cxp/change-feed';
import { ERASURE_GRANTS } from '@cxp/erasure';
import type { DatabaseArea } from '@cxp/storage';
import type { GroupColumn } from '../session-counts';
import { IndexConversations1763800201000 } from './migrations/1763800201000-index-conversations';
import { CreateErasure1763800200000 } from './migrations/1763800200000-create-erasure';
import { CreateContactCenter1763700200000 } from './migrations/1763700200000-create-contact-center';

/** The migration that adds the column of each filter to `session_group`. */
const COLUMNS_OF_FILTERS = {
  email: CreateContactCenter1763700200000,
  account_id: CreateContactCenter1763700200000,
} satisfies Record<GroupColumn, unknown>;

/** What area B keeps in PostgreSQL. */
export const contactCenterDatabase: DatabaseArea = {
  name: 'contact-center',
  schema: 'contact_center',
  migrations: [
    ...new Set([
      ...Object.values(COLUMNS_OF_FILTERS),
      CreateErasure1763800200000,
      IndexConversations1763800201000,
    ]),
  ],
  servingGrants: {
    conversation: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    activity: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    message: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    ticket: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    conversation_survey: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    awaited_conversation: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    human_schedule: ['SELECT', 'INSERT', 'UPDATE'],
    conversation_session: ['SELECT', 'INSERT', 'DELETE'],
    session_group: ['SELECT', 'INSERT', 'DELETE'],
    session_count: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    record_removal: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    ...CHANGE_FEED_GRANTS,
    ...ERASURE_GRANTS,
  },
};
