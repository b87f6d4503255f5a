import { CHANGE_FEED_GRANTS } from '@cxp/change-feed';
import { ERASURE_GRANTS } from '@cxp/erasure';
import type { DatabaseArea } from '@cxp/storage';
import { CreateContactCenter1763970200000 } from './migrations/1763970200000-create-contact-center';

/** What area B keeps in PostgreSQL. */
export const contactCenterDatabase: DatabaseArea = {
  name: 'contact-center',
  schema: 'contact_center',
  migrations: [CreateContactCenter1763970200000],
  servingGrants: {
    conversation: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    activity: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    message: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    ticket: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    conversation_survey: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    awaited_conversation: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    human_schedule: ['SELECT', 'INSERT', 'UPDATE'],
    conversation_session: ['SELECT', 'INSERT', 'DELETE'],
    bucket: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    record_removal: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    ...CHANGE_FEED_GRANTS,
    ...ERASURE_GRANTS,
  },
};
