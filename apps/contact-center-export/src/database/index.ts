import { erasureEntity } from '@cxp/erasure';
import type { DatabaseSchema } from '@cxp/storage';
import { webhookEndpointEntity } from '@cxp/webhooks';
import { StoredSchedule } from '../business-hours/human-schedule.repository';
import { CreateContactCenter1795824000000 } from './create-contact-center';

export const contactCenterDatabase: DatabaseSchema = {
  name: 'contact-center',
  schema: 'contact_center',
  migrations: [CreateContactCenter1795824000000],
  entities: [StoredSchedule, erasureEntity('contact_center'), webhookEndpointEntity('contact_center')],
};

/** PostgreSQL stores one statement's items while the next are prepared and other requests are served. */
const STORED_AT_ONCE = { items: 1_000, characters: 1024 * 1024 };

export function* jsonArrays<Item>(items: Iterable<Item>, jsonOf: (item: Item) => string): Generator<string> {
  let [texts, characters]: [string[], number] = [[], 0];
  for (const item of items) {
    const text = jsonOf(item);
    texts.push(text);
    characters += text.length;
    if (texts.length < STORED_AT_ONCE.items && characters < STORED_AT_ONCE.characters) continue;
    yield `[${texts.join(',')}]`;
    [texts, characters] = [[], 0];
  }
  if (texts.length > 0) yield `[${texts.join(',')}]`;
}
