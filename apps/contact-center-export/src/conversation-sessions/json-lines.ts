/** UTF-8 holds a code unit of a text in three bytes at most. */
const MAX_UNIT_BYTES = 3;

/** Lines that are put together from texts and from bytes, which are copied as they are. */
export class JsonLines {
  private bytes: Buffer;
  private length = 0;

  /** @param capacity about how many bytes there will be */
  constructor(capacity: number) {
    this.bytes = Buffer.allocUnsafe(capacity);
  }

  addText(text: string): void {
    this.makeRoom(text.length * MAX_UNIT_BYTES);
    this.length += this.bytes.write(text, this.length);
  }

  addBytes(bytes: Buffer): void {
    this.makeRoom(bytes.length);
    this.length += bytes.copy(this.bytes, this.length);
  }

  /** Adds items, separated by commas. */
  addList<Item>(items: readonly Item[], add: (item: Item) => void): void {
    items.forEach((item, place) => {
      if (place > 0) this.addText(',');
      add(item);
    });
  }

  /** All lines; nothing may be added after that. */
  toBuffer(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  private makeRoom(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(larger, 0, 0, this.length);
    this.bytes = larger;
  }
}
