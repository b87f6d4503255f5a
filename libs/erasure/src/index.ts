export { ErasedKeys, keyText } from './erased-keys';
export {
  type Erased,
  type ErasureArea,
  type Expired,
  type ExpiringData,
  type Found,
  IS_OF_PERSON,
  isNoNewData,
  type RecordKey,
} from './erasure-area';
export { ErasureJob, expiryOf } from './erasure.job';
export { ErasureModule } from './erasure.module';
export { type Certificate, ErasureService } from './erasure.service';
export { type ErasureKey, sumOf } from './erasure.repository';
export { type Aged, oldestFirst } from './oldest-first';
export { isIdentifierOf, isNobody, MAX_IDENTIFIERS, type Subject, subjectOf } from './subject';
