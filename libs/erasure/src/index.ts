export { ErasedKeys, keyText, PLATFORM_ERASURE } from './erased-keys';
export {
  type Erased,
  type ErasedKeysOfTypes,
  type ErasureArea,
  type ErasureMode,
  type Expired,
  type ExpiringData,
  type Found,
  IS_OF_PERSON,
  isNoNewData,
  type RecordKey,
} from './erasure-area';
export { createErasureTables } from './erasure-tables';
export { ERASURE_AREAS, isKeys } from './erasure.dto';
export { ErasureJob, expiryOf } from './erasure.job';
export { ErasureModule } from './erasure.module';
export { ErasureService, type Certificate } from './erasure.service';
export { type Aged, oldestFirst } from './oldest-first';
export { isBlank, isIdentifierOf, MAX_IDENTIFIERS, type Subject } from './subject';
