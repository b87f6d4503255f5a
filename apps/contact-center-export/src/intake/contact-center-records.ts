import { contactCenterRecordTypes, type ContactCenterRecord } from '@cxp/platform-records';
import type { RecordArea } from '@cxp/record-intake';
import { ContactCenterWriter } from './contact-center-writer';

export const contactCenterRecords: RecordArea<ContactCenterRecord> = {
  name: 'contact-center',
  types: contactCenterRecordTypes,
  store: (manager, organizationId, records) =>
    new ContactCenterWriter(manager, organizationId).store(records),
};

/** @param keptDays how long conversations are kept: those that have expired when they arrive are ignored */
export function recordsKept(keptDays: number | undefined): RecordArea<ContactCenterRecord> {
  return {
    ...contactCenterRecords,
    store: (manager, organizationId, records) =>
      new ContactCenterWriter(manager, organizationId, keptDays).store(records),
  };
}
