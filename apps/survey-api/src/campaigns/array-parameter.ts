/**
 * An array parameter of a query string: repeated (`statuses=a&statuses=b`), bracketed (`statuses[]=a`),
 * comma-separated (`statuses=a,b`), or a mixture. Items are trimmed and empty ones dropped.
 * @param query the query string as Fastify parses it
 * @returns undefined when nothing is left: an empty filter is no filter
 */
export function arrayParameter(query: Readonly<Record<string, unknown>>, name: string): string[] | undefined {
  const items = Object.entries(query)
    .filter(([key]) => key === name || bracketed(key, name))
    .flatMap(([, value]): unknown[] => (Array.isArray(value) ? value : [value]))
    .flatMap((value) => String(value).split(','))
    .map((item) => item.trim())
    .filter((item) => item !== '');
  return items.length > 0 ? items : undefined;
}

/** `statuses[]`, and `statuses[0]` as some clients write it. */
function bracketed(key: string, name: string): boolean {
  return key.startsWith(`${name}[`) && /^\[\d*\]$/.test(key.slice(name.length));
}
