import type { DatabaseArea } from '@cxp/storage';
import { CreateContactCenter1763700200000 } from './migrations/1763700200000-create-contact-center';
import { NumberSessionChanges1763900100000 } from './migrations/1763900100000-number-session-changes';
import { IndexSessionChanges1763900200000 } from './migrations/1763900200000-index-session-changes';
import { CreateUnstoredRecords1763900300000 } from './migrations/1763900300000-create-unstored-records';

/** What area B keeps in PostgreSQL. */
export const contactCenterDatabase: DatabaseArea = {
  name: 'contact-center',
  schema: 'contact_center',
  migrations: [
    CreateContactCenter1763700200000,
    NumberSessionChanges1763900100000,
    IndexSessionChanges1763900200000,
    CreateUnstoredRecords1763900300000,
  ],
};
