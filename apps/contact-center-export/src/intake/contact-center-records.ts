import { contactCenterRecordTypes, type ContactCenterRecord } from '@cxp/platform-records';
import type { StreamedArea } from '@cxp/record-intake';
import { contactCenterDatabase } from '../database';
import { ContactCenterWriter } from './contact-center-writer';

export const contactCenterRecords: StreamedArea<ContactCenterRecord> = {
  name: 'contact-center',
  schema: contactCenterDatabase.schema,
  types: contactCenterRecordTypes,
  store: (manager, organizationId, records) =>
    new ContactCenterWriter(manager, organizationId).store(records),
};

/** @param keptDays how long conversations are kept: those that have expired when they arrive are ignored */
export function recordsKept(keptDays: number | undefined): StreamedArea<ContactCenterRecord> {
  return {
    ...contactCenterRecords,
    store: (manager, organizationId, records) =>
      new ContactCenterWriter(manager, organizationId, keptDays).store(records),
  };
}
