export {
  recordLoc,
  runsOf,
  type OnLine,
  type ReceivedRecord,
  type RecordArea,
  type RecordRun,
} from './record-area';
export { MAX_BODY_BYTES, MAX_RECORDS, MAX_VALUES, RecordIntake } from './record-intake';
export { RecordIntakeModule } from './record-intake.module';
export { RecordParser } from './record-parser';
export { linesOfStream, type RecordLine } from './record-lines';
export { recordsDocument } from './records.openapi';
export {
  INTAKE_TIMEOUTS,
  organizationLock,
  storeRecords,
  storeSoundRecords,
  withOrganizationLock,
} from './store-records';
