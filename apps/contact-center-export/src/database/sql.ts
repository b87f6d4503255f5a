/** SQL for a column's time in milliseconds since 1970, the form in which times are computed with. */
export function milliseconds(column: string): string {
  return `round(date_part('epoch', ${column}) * 1000)`;
}
