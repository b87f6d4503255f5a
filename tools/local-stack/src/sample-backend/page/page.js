import { chatEvents, ChatSocket } from '@cxp/client/chat';
import { Explanation, questionOf } from '@cxp/follower/explanation';
import { h, render } from 'preact';
import { element, listOfTerms, make } from './dom.js';

/** The agent who answers in the demo. */
const AGENT = { accountId: 1, name: 'Ann', email: 'ann@example.com' };
const SENDER = { senderType: 'agent', senderName: AGENT.name };
const TYPING_MS = 3_000;
/** The fields of a row that a chat and its rating fill. */
const FIELDS = [
  ...['sessionAgentName', 'sessionStartAt', 'sessionEndAt', 'sessionEndReason', 'firstResponseTimeSeconds'],
  ...['sentToRatingAt', 'rating', 'resolutionYesNo', 'feedback', 'ticketId'],
];
const ACTIVITIES = {
  route_to_human: 'handed the chat to the team',
  assign: 'joined the conversation',
  route_to_rating: 'asked for a rating',
  end_conversation: 'ended the conversation',
};
/** As a shop knows who is logged in, this page remembers who the customer is: the history comes back by this id. */
const userId = (localStorage.userId ??= `demo-${crypto.randomUUID()}`);
const session = await post('/demo/session', { userId });
const { conversationId, sessionId } = session;

let state = { status: 'open', agent: null };
let firstEvent;
let agentHasRead = 0;
let wasOnline = false;
/** Times of the chat are those of the export. */
const CLOCK = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Asia/Singapore',
  hour: '2-digit',
  minute: '2-digit',
});
/** Whether an agent has done something, and whether the last of it was to ask for a rating. */
let agentWasHere = false;
/** Whether the chat waits for an agent. */
let isHandedOver = false;
let isRatingAwaited = false;

const messages = element('messages');
let height = messages.clientHeight;
// The newest message stays in view if it was, whatever appears beside the messages.
new ResizeObserver(() => {
  if (messages.scrollHeight - messages.scrollTop - height < 40) showEnd();
  height = messages.clientHeight;
}).observe(messages);

const history = await loadHistory();
for (const event of history.items) show(event);
showReadMarks(history.read.agent);
showState(history);

/** A socket whose network the visitor can pull. */
let networkIsPulled = false;
let socket;
class PulledSocket extends WebSocket {
  constructor(url, protocols) {
    super(networkIsPulled ? 'wss://localhost:9' : url, protocols);
    socket = this;
  }
}

const chat = new ChatSocket(session, {
  position: { lastEvent: history.items.at(-1)?.event ?? history.lastEvent },
  renewToken: () => post('/demo/session/refresh', { sessionId }, { 404: null }),
  WebSocket: PulledSocket,
});
chat.on('status', showConnection);
chat.on('ended', () => location.reload());
chat.on('session.ready', (ready) => showReadMarks(ready.read.agent));
for (const type of ['message', 'activity', 'read', 'rating.requested', 'rating']) chat.on(type, show);
chat.on('message', ({ event, message }) => message.senderType !== 'customer' && chat.read(event));
chat.on('typing', ({ senderType, senderName, active }) => {
  if (senderType === 'customer') return;
  element('typing').textContent = `${senderName ?? 'Somebody'} is typing…`;
  element('typing').hidden = !active;
});

onText('send', 'text', (text) => {
  const clientId = crypto.randomUUID();
  const pending = bubble({ senderType: 'customer', text, sentAt: Date.now() });
  pending.dataset.pending = clientId;
  append(pending);
  // The demo has no bot that would hand over.
  void chat.sendMessage(text, clientId).then(handOver);
});
announceTyping(element('text'), (active) => chat.typing(active));
onText('answer', 'answer-text', async (text) => {
  const { event } = await asAgent('messages', { id: crypto.randomUUID(), ...SENDER, text });
  await asAgent('read', { upTo: event });
});
announceTyping(element('answer-text'), (active) => asAgent('typing', { ...SENDER, active }));

element('rate').addEventListener('submit', (event) => {
  event.preventDefault();
  const { rating, feedback } = Object.fromEntries(new FormData(event.target));
  void chat.rate({ rating: rating ? Number(rating) : null, feedback: feedback.trim() || null });
});
for (const button of document.querySelectorAll('[data-action]'))
  button.addEventListener('click', () =>
    asAgent('activities', { id: crypto.randomUUID(), action: button.dataset.action, agent: AGENT }),
  );
element('network').addEventListener('click', ({ target }) => {
  networkIsPulled = !networkIsPulled;
  target.textContent = networkIsPulled
    ? 'Plug the customer’s network in again'
    : 'Pull the customer’s network';
  if (networkIsPulled) socket.close();
  // As a browser does when its network is back.
  else dispatchEvent(new Event('online'));
});
element('earlier').addEventListener('click', async () => {
  const page = await loadHistory(firstEvent);
  element('earlier').after(...page.items.map(lineOf).filter(Boolean));
  showReadMarks(agentHasRead);
});
for (const id of ['forget', 'again'])
  element(id).addEventListener('click', () => {
    localStorage.removeItem('userId');
    location.reload();
  });

element('facts').append(listOfTerms({ userId, conversationId, sessionId }));

/** The rows of the chosen conversation as the export has them now, each with its explanation. */
const which = element('which');
for (const { id, title } of await (await fetch('/demo/examples')).json())
  which.append(make('option', { value: id }, title));
let rowsSource;
function showRowsOf(id) {
  rowsSource?.close();
  rowsSource = new EventSource(`/demo/rows?conversationId=${encodeURIComponent(id)}`);
  rowsSource.onmessage = ({ data }) => showRows(JSON.parse(data));
}
function showRows({ rows, explanation, reason }) {
  element('no-rows').hidden = rows.length > 0;
  element('no-rows').textContent = reason;
  element('legend').hidden = rows.length === 0;
  element('export-title').textContent = explanation ? questionOf(explanation.rows[0]) : 'Why?';
  const explained = (explanation?.rows ?? []).map((row, place) => {
    const fields = Object.fromEntries(FIELDS.map((name) => [name, rows[place]?.[name] ?? null]));
    return h(Explanation, { row, fields, timezone: explanation.timezone });
  });
  render(explained, element('rows'));
}
/** Offers the conversations of an id or a customer's name, and shows the newest. */
async function find(text) {
  const found = await (await fetch(`/demo/find?text=${encodeURIComponent(text)}`)).json();
  for (const { id, title } of found) {
    const isOffered = [...which.options].some(({ value }) => value === id);
    if (!isOffered) which.append(make('option', { value: id }, title));
  }
  waitsForAgent = false;
  which.value = found[0]?.id ?? '';
  if (found.length > 0) return showRowsOf(which.value);
  rowsSource?.close();
  showRows({
    rows: [],
    reason: `The export has no conversation ${text}: a chat arrives there with its first message. It has no customer of that name in the last four weeks.`,
  });
}
onText('find', 'find-text', find);
const named = new URLSearchParams(location.search).get('conversation');
// A chat that no agent has taken has no row: an example of the demo is explained until one takes it.
let waitsForAgent = named === null && !agentWasHere;
which.value = agentWasHere ? '' : (which.options[1]?.value ?? '');
which.addEventListener('change', () => {
  waitsForAgent = false;
  showRowsOf(which.value || conversationId);
});
// No id is longer, as in the field.
if (named) await find(named.slice(0, 255));
else showRowsOf(which.value || conversationId);
chat.on('activity', ({ action }) => {
  if (!waitsForAgent || action === 'route_to_human') return;
  waitsForAgent = false;
  which.value = '';
  showRowsOf(conversationId);
});

async function handOver() {
  if (isHandedOver || state.agent) return;
  isHandedOver = true;
  await asAgent('activities', { id: crypto.randomUUID(), action: 'route_to_human', agent: null });
}

async function post(path, body, otherwise = {}) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status in otherwise) return otherwise[response.status];
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.status === 204 ? undefined : response.json();
}

function asAgent(what, body) {
  return post(`/demo/agent/${conversationId}/${what}`, body);
}

async function loadHistory(before) {
  const page = await chatEvents({ url: location.origin, session, before, limit: 50 });
  firstEvent = page.items[0]?.event;
  element('earlier').hidden = !page.hasMore;
  return page;
}

function onText(formId, inputId, handle) {
  element(formId).addEventListener('submit', (event) => {
    event.preventDefault();
    const text = element(inputId).value.trim();
    element(inputId).value = '';
    if (text) handle(text);
  });
}

/** Announces typing with the first key, and its end a while after the last. */
function announceTyping(input, announce) {
  let timer;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
    announce(false);
  };
  input.addEventListener('input', () => {
    if (!timer) announce(true);
    clearTimeout(timer);
    timer = setTimeout(stop, TYPING_MS);
  });
  input.form.addEventListener('submit', () => timer && stop());
}

/** Shows an event of the conversation: the history and the socket bring the same ones. */
function show(event) {
  if (event.type === 'message')
    document.querySelector(`[data-pending="${event.message.clientId}"]`)?.remove();
  if (event.type === 'read' && event.reader === 'agent') showReadMarks(event.upTo);
  if (event.type === 'rating.requested' || event.type === 'rating') {
    isRatingAwaited = event.type === 'rating.requested';
    element('rate').hidden = !isRatingAwaited;
    showState(state);
  }
  if (event.type === 'activity') {
    isHandedOver = event.action === 'route_to_human';
    agentWasHere ||= !isHandedOver;
    showState(event);
  }
  const line = lineOf(event);
  if (line) append(line);
  if (event.type === 'message') showReadMarks(agentHasRead);
}

/** @returns undefined for an event without a line of its own */
function lineOf(event) {
  if (event.type === 'message') return bubble(event.message, event.event);
  if (event.type === 'activity')
    return note(`${event.agentName ?? 'The bot'} ${ACTIVITIES[event.action] ?? event.action}`);
  if (event.type !== 'rating') return undefined;
  const { rating, feedback } = event;
  const stars = rating === null ? '' : ` ${'★'.repeat(rating)}${'☆'.repeat(5 - rating)}`;
  return note(`You rated this chat${stars}${feedback ? `: ${feedback}` : ''}`);
}

function bubble({ senderType, senderName, text, sentAt }, event) {
  const time = CLOCK.format(new Date(sentAt));
  const small = make('small', {}, senderName ? `${senderName} · ${time}` : time);
  const line = make('div', { className: 'message', dir: 'auto' }, text, small);
  line.dataset.sender = senderType;
  if (event) line.dataset.event = event;
  return line;
}

function note(text) {
  return make('p', { className: 'activity' }, text);
}

function append(line) {
  element('empty').hidden = true;
  messages.append(line);
  showEnd();
}

/** Only the messages are scrolled, and not the page around them. */
function showEnd() {
  messages.scrollTop = messages.scrollHeight;
}

function showReadMarks(upTo) {
  agentHasRead = Math.max(agentHasRead, upTo);
  for (const small of document.querySelectorAll('[data-sender="customer"][data-event] small')) {
    const isRead = Number(small.parentElement.dataset.event) <= agentHasRead;
    if (isRead && !small.textContent.endsWith('Read')) small.append(' · Read');
  }
}

function showState({ status, agent }) {
  state = { status, agent };
  const isOver = status === 'closed';
  element('state').textContent = isOver ? 'The conversation has ended' : whoIsHere(agent);
  element('send').hidden = isOver;
  for (const control of document.querySelectorAll('#answer :is(input, button), [data-ends]'))
    control.disabled = isOver;
  element('over').hidden = !isOver || isRatingAwaited;
}

function whoIsHere(agent) {
  if (agent) return `${agent.name ?? 'An agent'} is here`;
  if (isRatingAwaited) return 'Your rating is awaited';
  return agentWasHere ? 'No agent is here now' : 'Nobody is here yet';
}

function showConnection(status) {
  element('status').dataset.state = status;
  element('status').textContent = status === 'open' ? 'Online' : 'Connecting again…';
  wasOnline ||= status === 'open';
  element('offline').hidden = status === 'open' || !wasOnline;
}
