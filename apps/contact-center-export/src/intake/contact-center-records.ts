import { contactCenterRecordTypes, type ContactCenterRecord } from '@cxp/platform-records';
import type { RecordArea } from '@cxp/record-intake';
import { ContactCenterWriter } from './contact-center-writer';

export const contactCenterRecords: RecordArea<ContactCenterRecord> = {
  name: 'contact-center',
  types: contactCenterRecordTypes,
  openWriter: (manager, organizationId) => new ContactCenterWriter(manager, organizationId),
};
