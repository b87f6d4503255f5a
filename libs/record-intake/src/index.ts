export {
  recordLoc,
  type OnLine,
  type ReceivedRecord,
  type RecordArea,
  type RecordWriter,
} from './record-area';
export { RecordIntake } from './record-intake';
export { RecordIntakeModule } from './record-intake.module';
export { RecordParser } from './record-parser';
export { ndjsonLines, type NdjsonLine } from './ndjson-lines';
export { recordsDocument } from './records.openapi';
export { withIntakeTurn, withRecordWriter } from './store-records';
export {
  acknowledge,
  acknowledgedRecords,
  addToStream,
  recordStream,
  rejectedRecordStream,
  toStreamEntry,
  type StreamedRecord,
} from './stream/record-stream';
export { RecordStreamModule } from './stream/record-stream.module';
