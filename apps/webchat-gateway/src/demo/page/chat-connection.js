const RECONNECT_MS = 1_000;

/** Codes after which the same session can't be connected to again: its owner has to create another. */
const SESSION_IS_OVER = [4400, 4401, 4403, 4404];

/**
 * A customer's connection to a conversation: it connects again, goes on where it stopped and sends again what was not
 * confirmed. Events: `frame` (detail: the frame), `open`, `lost`, `over`.
 */
export class ChatConnection extends EventTarget {
  #session;
  #refresh;
  #socket;
  #lastSequence;
  #unconfirmed = new Map();

  /**
   * @param session what creating the session answered
   * @param lastSequence of the last message that is shown already
   * @param refresh asks the page's own backend for a new token of the session
   */
  constructor(session, lastSequence, refresh) {
    super();
    this.#session = session;
    this.#lastSequence = lastSequence;
    this.#refresh = refresh;
    this.#connect();
  }

  /** Sends a message, now or as soon as there is a connection; returns the id by which it comes back. */
  say(text) {
    const clientId = crypto.randomUUID();
    this.#unconfirmed.set(clientId, { type: 'message.send', clientId, text });
    this.#sendUnconfirmed();
    return clientId;
  }

  typing(active) {
    this.#send({ type: 'typing', active });
  }

  read(sequence) {
    this.#send({ type: 'read', sequence });
  }

  #connect() {
    const { websocketUrl, sessionToken } = this.#session;
    const socket = new WebSocket(`${websocketUrl}?lastSequence=${this.#lastSequence}`, [
      'webchat.v1',
      `bearer.${sessionToken}`,
    ]);
    socket.onmessage = ({ data }) => this.#take(JSON.parse(data));
    socket.onclose = ({ code }) => {
      const isOver = SESSION_IS_OVER.includes(code);
      this.dispatchEvent(new Event(isOver ? 'over' : 'lost'));
      if (!isOver) setTimeout(() => this.#connect(), RECONNECT_MS);
    };
    this.#socket = socket;
  }

  #take(frame) {
    if (frame.type === 'session.ready') {
      this.dispatchEvent(new Event('open'));
      this.#sendUnconfirmed();
    }
    if (frame.type === 'session.expiring') void this.#renew();
    if (frame.type === 'message.accepted') this.#unconfirmed.delete(frame.clientId);
    if (frame.type === 'message') this.#lastSequence = frame.message.sequence;
    if (frame.type === 'error' && frame.clientId) setTimeout(() => this.#sendUnconfirmed(), RECONNECT_MS);
    this.dispatchEvent(new CustomEvent('frame', { detail: frame }));
  }

  async #renew() {
    const { sessionId } = this.#session;
    Object.assign(this.#session, await this.#refresh(sessionId));
    this.#send({ type: 'authenticate', sessionToken: this.#session.sessionToken });
  }

  #sendUnconfirmed() {
    for (const frame of this.#unconfirmed.values()) this.#send(frame);
  }

  #send(frame) {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(frame));
  }
}
