import { Module, type DynamicModule } from '@nestjs/common';
import type { RecordArea } from './record-area';
import { RECORD_AREA, RecordIntake } from './record-intake';
import { RecordsController } from './records.controller';

/** `POST /internal/records` for the records of one area. */
@Module({})
export class RecordIntakeModule {
  static forRoot(area: RecordArea): DynamicModule {
    return {
      module: RecordIntakeModule,
      controllers: [RecordsController],
      providers: [RecordIntake, { provide: RECORD_AREA, useValue: area }],
    };
  }
}
