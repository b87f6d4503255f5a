import type { DatabaseArea } from '@cxp/storage';
import { CreateContactCenter1763970200000 } from './migrations/1763970200000-create-contact-center';

/** What area B keeps in PostgreSQL. */
export const contactCenterDatabase: DatabaseArea = {
  name: 'contact-center',
  schema: 'contact_center',
  migrations: [CreateContactCenter1763970200000],
};
