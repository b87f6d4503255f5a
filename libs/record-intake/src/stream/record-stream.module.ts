import { Module, type DynamicModule } from '@nestjs/common';
import type { StreamedArea } from '../record-area';
import { RECORD_AREA } from '../record-intake';
import { RecordStreamConsumer } from './record-stream.consumer';

/** Takes the records of one area from its stream. */
@Module({})
export class RecordStreamModule {
  static forRoot(area: StreamedArea): DynamicModule {
    return {
      module: RecordStreamModule,
      providers: [RecordStreamConsumer, { provide: RECORD_AREA, useValue: area }],
    };
  }
}
