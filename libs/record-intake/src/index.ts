export { recordLoc, type PlatformRecord, type RecordArea, type RecordWriter } from './record-area';
export { isInstant } from './record-formats';
export { RecordIntake } from './record-intake';
export { RecordIntakeModule } from './record-intake.module';
export { RecordParser } from './record-parser';
export { ndjsonLines, type NdjsonLine } from './ndjson-lines';
export { withRecordWriter } from './store-records';
export { addToStream, recordStream, rejectedRecordStream, type StreamedRecord } from './stream/record-stream';
export { RecordStreamModule } from './stream/record-stream.module';
