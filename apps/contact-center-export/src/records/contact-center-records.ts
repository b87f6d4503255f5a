import type { RecordArea } from '@cxp/record-intake';
import { ContactCenterWriter } from './contact-center-writer';
import { recordSchemas } from './record-schemas';

export const contactCenterRecords: RecordArea = {
  name: 'contact-center',
  schemas: recordSchemas,
  openWriter: (manager, organizationId) => new ContactCenterWriter(manager, organizationId),
};
