import type { DatabaseArea } from '@cxp/storage';
import { CreateContactCenter1764020000000 } from './migrations/1764020000000-create-contact-center';
import { SimplifyHints1764041000000 } from './migrations/1764041000000-simplify-hints';

/** What area B keeps in PostgreSQL. */
export const contactCenterDatabase: DatabaseArea = {
  name: 'contact-center',
  schema: 'contact_center',
  migrations: [CreateContactCenter1764020000000, SimplifyHints1764041000000],
};

/** SQL for a column's time in milliseconds since 1970, the form in which times are computed with. */
export function milliseconds(column: string): string {
  return `round(date_part('epoch', ${column}) * 1000)`;
}
