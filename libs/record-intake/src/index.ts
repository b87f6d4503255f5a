export {
  recordLoc,
  runsOf,
  type OnLine,
  type ReceivedRecord,
  type RecordArea,
  type RecordRun,
  type StreamedArea,
} from './record-area';
export { MAX_RECORDS, RecordIntake } from './record-intake';
export { RecordIntakeModule } from './record-intake.module';
export { RecordParser } from './record-parser';
export { linesOfStream, type RecordLine } from './record-lines';
export { recordsDocument } from './records.openapi';
export {
  INTAKE_TIMEOUTS,
  intakeTurn,
  storeRecords,
  storeSoundRecords,
  withIntakeTurn,
} from './store-records';
export {
  acknowledge,
  acknowledgedRecords,
  type AddedRecord,
  addToStream,
  recordStream,
  toStreamEntry,
  type StreamedRecord,
} from './stream/record-stream';
export { StreamRecords, type Progress } from './stream/stream-records';
export {
  REJECTED_RECORD_OPERATOR_GRANTS,
  rejectedRecordTable,
  UnstoredRecords,
  UNSTORED_RECORD_GRANTS,
  unstoredRecordTables,
  type RejectedRecord,
} from './stream/unstored-records';
export { countRejectedRecords } from './stream/stream-metrics';
export { WaitingOrganizations, type Wait } from './stream/waiting-organizations';
export { RecordStreamModule } from './stream/record-stream.module';
