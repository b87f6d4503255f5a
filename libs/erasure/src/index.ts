export { ErasedKeys, keyText } from './erased-keys';
export {
  type Erased,
  type ErasureArea,
  type ErasureMode,
  type Found,
  isNoNewData,
  MAX_COUNT,
  type RecordKey,
} from './erasure-area';
export { ErasureSecret } from './erasure-secret';
export { createErasureTables, ERASURE_GRANTS } from './erasure-tables';
export { ERASURE_AREAS } from './erasure.dto';
export { ErasureModule } from './erasure.module';
export { ErasureService, type Certificate } from './erasure.service';
export { type Aged, oldestFirst } from './oldest-first';
export { type Expired, type ExpiringData, expiryOf, Retention } from './retention';
export {
  comparableEmail,
  comparablePhone,
  createComparableFunctions,
  isBlank,
  isIdentifierOf,
  MAX_IDENTIFIER_LENGTH,
  MAX_IDENTIFIERS,
  type Subject,
} from './subject';
