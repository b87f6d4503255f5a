export { ErasedKeys, keyText } from './erased-keys';
export {
  type Eraser,
  type ErasureStep,
  type Found,
  IS_OF_PERSON,
  isIdentifierOf,
  isNoNewData,
  type RecordKey,
  type RunningErasure,
  type Subject,
  subjectOf,
} from './eraser';
export { ErasureModule } from './erasure.module';
export { ERASURE_BODY, readEraseRequest } from './erase-request';
export { type Certificate, ErasureService } from './erasure.service';
export { erasureEntity, type ErasureKey } from './erasure.repository';
