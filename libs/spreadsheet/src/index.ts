export { cellText, guardFormula, timeText, type Cell, type Rows } from './cell';
export { csvFile, tsvFile, type DelimitedFileOptions } from './delimited-file';
export { type ParquetColumn, parquetFile, type ParquetType } from './parquet-file';
export { MAX_CELL_CHARACTERS, MAX_SHEET_ROWS, xlsxFile, type XlsxFileOptions } from './xlsx-file';
