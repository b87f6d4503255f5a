export { ErasedKeys, keyText } from './erased-keys';
export {
  type Erased,
  type ErasureArea,
  type Found,
  IS_OF_PERSON,
  isNoNewData,
  type RecordKey,
} from './erasure-area';
export { ErasureModule } from './erasure.module';
export { type Certificate, ErasureService } from './erasure.service';
export { erasureEntity } from './erasure.entity';
export type { ErasureKey } from './erasure.repository';
export { isIdentifierOf, isNobody, MAX_IDENTIFIERS, type Subject, subjectOf } from './subject';
