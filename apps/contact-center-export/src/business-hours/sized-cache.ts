/** Keeps values up to a total size: what was not used for longest makes room. A value may grow while it is kept. */
export class SizedCache<Value extends { readonly size: number }> {
  private readonly entries = new Map<string, { readonly value: Value; size: number }>();
  private total = 0;

  constructor(private readonly maxSize: number) {}

  get(key: string): Value | undefined {
    const entry = this.entries.get(key);
    return entry && this.keep(key, entry.value);
  }

  keep(key: string, value: Value): Value {
    this.total -= this.entries.get(key)?.size ?? 0;
    // A Map keeps the order of insertion: the first key is the one that was not used for longest.
    this.entries.delete(key);
    this.entries.set(key, { value, size: value.size });
    this.total += value.size;
    for (const [oldest, { size }] of this.entries) {
      if (this.total <= this.maxSize) break;
      this.entries.delete(oldest);
      this.total -= size;
    }
    return value;
  }
}
