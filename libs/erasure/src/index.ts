export { ErasedKeys, keyText } from './erased-keys';
export {
  type Erased,
  type ErasureArea,
  type Found,
  IS_OF_PERSON,
  isIdentifierOf,
  isNobody,
  isNoNewData,
  MAX_IDENTIFIERS,
  type RecordKey,
  type Subject,
  subjectOf,
} from './erasure-area';
export { ErasureModule } from './erasure.module';
export { type Certificate, ErasureService } from './erasure.service';
export { erasureEntity, type ErasureKey } from './erasure.repository';
