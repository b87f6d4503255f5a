export { cellText, timeText, type Cell, type Rows } from './cell';
export { csvFile, tsvFile, type DelimitedFileOptions } from './delimited-file';
export { guardFormula } from './formula-guard';
export { type ParquetColumn, parquetFile, type ParquetType } from './parquet-file';
export { type ParquetRow, parquetRowCount, parquetRows } from './parquet-rows';
export { MAX_SHEET_ROWS, xlsxFile, type XlsxFileOptions } from './xlsx-file';
