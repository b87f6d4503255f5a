import type { ChangeKey } from './outbox.repository';

/** The changes of one conversation that were sent to area B together. */
export interface Shipment {
  readonly conversation: string;
  readonly changes: readonly ChangeKey[];
  /** Stream ids of the records that area B has not acknowledged, by the id that it acknowledges them with. */
  readonly unacknowledged: Map<string, string>;
  /** When Redis was last known to have the records, by `performance.now()`. */
  checkedAt: number;
}

/** The changes that were sent and are still in the outbox. A conversation has one shipment at most: its changes stay in order. */
export class InFlight {
  private readonly byConversation = new Map<string, Shipment>();
  private readonly byRecord = new Map<string, Shipment>();
  private readonly done = new Set<Shipment>();
  private changes = 0;

  /** How many changes there are. */
  get size(): number {
    return this.changes;
  }

  conversations(): string[] {
    return [...this.byConversation.keys()];
  }

  add(shipment: Shipment): void {
    this.byConversation.set(shipment.conversation, shipment);
    for (const id of shipment.unacknowledged.keys()) this.byRecord.set(id, shipment);
    if (shipment.unacknowledged.size === 0) this.done.add(shipment);
    this.changes += shipment.changes.length;
  }

  /** An id that is not known, because another process sent the record, is ignored. */
  acknowledge(recordId: string): void {
    const shipment = this.byRecord.get(recordId);
    if (!shipment) return;
    shipment.unacknowledged.delete(recordId);
    this.byRecord.delete(recordId);
    if (shipment.unacknowledged.size === 0) this.done.add(shipment);
  }

  /** Shipments whose last record was acknowledged, or that have none. */
  acknowledged(): Shipment[] {
    return [...this.done];
  }

  /** Shipments that were not acknowledged and not checked since. */
  uncheckedSince(time: number): Shipment[] {
    return [...this.byConversation.values()].filter(
      ({ unacknowledged, checkedAt }) => unacknowledged.size > 0 && checkedAt < time,
    );
  }

  /** From now on the changes count as not sent: what is still in the outbox is sent again. */
  release(shipment: Shipment): void {
    const { conversation, unacknowledged, changes } = shipment;
    if (!this.byConversation.delete(conversation)) return;
    this.done.delete(shipment);
    for (const id of unacknowledged.keys()) this.byRecord.delete(id);
    this.changes -= changes.length;
  }
}
