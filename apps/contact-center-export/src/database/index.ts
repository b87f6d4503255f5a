import type { DatabaseArea } from '@cxp/storage';
import { CreateContactCenter1764020000000 } from './migrations/1764020000000-create-contact-center';

/** What area B keeps in PostgreSQL. */
export const contactCenterDatabase: DatabaseArea = {
  name: 'contact-center',
  schema: 'contact_center',
  migrations: [CreateContactCenter1764020000000],
};
