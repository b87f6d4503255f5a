import type { DatabaseArea } from '@cxp/storage';
import type { GroupColumn } from '../session-counts';
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
  migrations: [...new Set(Object.values(COLUMNS_OF_FILTERS))],
};
