import { chatEvents, ChatSocket } from './client.js';
import { explanationOf } from './explanation.js';

const PAGE_SIZE = 50;
const TYPING_MS = 3_000;
const STARS = [1, 2, 3, 4, 5];
/** The fields of a row that a chat and its rating fill. */
const FIELDS = [
  'sessionAgentName',
  'sessionStartAt',
  'sessionEndAt',
  'sessionEndReason',
  'firstResponseTimeSeconds',
  'sentToRatingAt',
  'rating',
  'resolutionYesNo',
  'feedback',
];

/** Only these become links: an address of any other kind stays text. */
const ADDRESS = /https?:\/\/[^\s<>"]+/gi;
/** What follows an address in a sentence: a bracket, unless the address has its other half. */
const SENTENCE_END = /[.,;:!?'’…]+$|(?<!\([^()]*)\)[.,;:!?'’…]*$/;

const element = (id) => document.getElementById(id);

/** As a shop knows who is logged in, this page remembers who the customer is: the history comes back by this id. */
const userId = (localStorage.userId ??= `demo-${crypto.randomUUID()}`);

/** The state of the conversation that is shown. */
let state = { status: 'open', agent: null };

const session = await post('/demo/session', { userId });
let firstEvent;
let agentHasRead = 0;
let wasOnline = false;
/** Whether an agent has done something, and whether the last of it was to ask for a rating. */
let agentWasHere = false;
let isRatingAwaited = false;
/** Whether the newest message is in view: then it stays there, whatever appears beside the messages. */
let isAtEnd = true;

const messages = element('messages');
let height = messages.clientHeight;
messages.addEventListener('scroll', () => {
  // Otherwise the messages were scrolled before their height changed, of which the observer is yet to be told.
  if (messages.clientHeight === height)
    isAtEnd = messages.scrollHeight - messages.scrollTop - messages.clientHeight < 40;
});
new ResizeObserver(() => {
  height = messages.clientHeight;
  if (isAtEnd) showEnd();
}).observe(messages);

const history = await loadHistory();
for (const event of history.items) show(event);
showReadMarks(history.read.agent);
showState(history);

const chat = new ChatSocket(session, {
  position: { lastEvent: history.items.at(-1)?.event ?? history.lastEvent },
  renewToken: (sessionId) => post('/demo/session/refresh', { sessionId }, { 404: null }),
});
chat.on('status', showConnection);
chat.on('ended', () => location.reload());
chat.on('session.ready', (ready) => showReadMarks(ready.read.agent));
for (const type of ['message', 'activity', 'read', 'rating.requested', 'rating']) chat.on(type, show);
chat.on('message', ({ event, message }) => {
  if (message.senderType !== 'customer') chat.read(event);
});
chat.on('typing', (typing) => typing.senderType !== 'customer' && showTyping(typing));

element('send').addEventListener('submit', (event) => {
  const text = submitted(event, 'text');
  if (!text) return;
  const clientId = crypto.randomUUID();
  showPending(text, clientId);
  void chat.sendMessage(text, clientId);
});
announceTyping(element('text'), (active) => chat.typing(active));

element('rate').addEventListener('submit', async (event) => {
  event.preventDefault();
  const { rating, feedback } = Object.fromEntries(new FormData(event.target));
  await chat.rate({ rating: rating ? Number(rating) : null, feedback: feedback.trim() || null });
});

element('answer').addEventListener('submit', (event) => {
  const text = submitted(event, 'answer-text');
  if (text) void asAgent('message', { text });
});
announceTyping(element('answer-text'), (active) => asAgent('typing', { active }));
for (const button of document.querySelectorAll('[data-action]')) {
  button.addEventListener('click', () => asAgent('activity', { action: button.dataset.action }));
}

element('network').addEventListener('click', async ({ target }) => {
  const connected = target.getAttribute('aria-pressed') === 'true';
  await post('/demo/network', { sessionId: session.sessionId, connected });
  target.setAttribute('aria-pressed', String(!connected));
  // As a browser does when its network is back.
  if (connected) dispatchEvent(new Event('online'));
});

const exported = new EventSource(`/demo/rows?conversationId=${session.conversationId}`);
exported.addEventListener('message', ({ data }) => showRows(JSON.parse(data)));

element('earlier').addEventListener('click', async () => {
  const page = await loadHistory(firstEvent);
  const lines = page.items.map(lineOf).filter(Boolean);
  element('earlier').after(...lines);
  showReadMarks(agentHasRead);
});

for (const id of ['forget', 'again']) {
  element(id).addEventListener('click', () => {
    localStorage.removeItem('userId');
    location.reload();
  });
}

element('facts').append(
  ...['userId', 'conversationId', 'sessionId'].map((name) => field(name, session[name])),
);

async function post(path, body, otherwise = {}) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (response.status in otherwise) return otherwise[response.status];
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.status === 204 ? undefined : response.json();
}

function asAgent(what, body) {
  return post(`/demo/agent/${what}`, { conversationId: session.conversationId, ...body });
}

async function loadHistory(before) {
  const page = await chatEvents({ url: location.origin, session, before, limit: PAGE_SIZE });
  firstEvent = page.items[0]?.event;
  element('earlier').hidden = !page.hasMore;
  return page;
}

function submitted(event, inputId) {
  event.preventDefault();
  const input = element(inputId);
  const text = input.value.trim();
  input.value = '';
  return text;
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
    agentWasHere = true;
    showState(event);
  }
  const line = lineOf(event);
  if (line) append(line);
  if (event.type === 'message') showReadMarks(agentHasRead);
}

/** @returns undefined for an event without a line of its own */
function lineOf(event) {
  if (event.type === 'message') return bubble(event.message, event.event);
  if (event.type === 'activity') return note(activityText(event));
  if (event.type === 'rating') return note(ratingText(event));
  return undefined;
}

function activityText({ action, agentName }) {
  const words = {
    assign: 'joined the conversation',
    route_to_rating: 'asked for a rating',
    end_conversation: 'ended the conversation',
  };
  return `${agentName ?? 'Somebody'} ${words[action] ?? action}`;
}

function ratingText({ rating, feedback }) {
  const stars = rating === null ? '' : ` ${STARS.map((star) => (star <= rating ? '★' : '☆')).join('')}`;
  return `You rated this chat${stars}${feedback ? `: ${feedback}` : ''}`;
}

function showPending(text, clientId) {
  const pending = bubble({ senderType: 'customer', text, sentAt: Date.now() });
  pending.dataset.pending = clientId;
  append(pending);
}

function bubble({ senderType, senderName, text, sentAt }, event) {
  const time = new Date(sentAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  const small = document.createElement('small');
  small.textContent = senderName ? `${senderName} · ${time}` : time;
  const line = document.createElement('div');
  line.className = 'message';
  line.dir = 'auto';
  line.dataset.sender = senderType;
  if (event) line.dataset.event = event;
  line.append(...withLinks(text), small);
  return line;
}

/** A text as nodes, in which web addresses can be followed. */
function withLinks(text) {
  const parts = [];
  let end = 0;
  for (const { 0: found, index } of text.matchAll(ADDRESS)) {
    const address = found.replace(SENTENCE_END, '');
    if (!URL.canParse(address)) continue;
    const link = document.createElement('a');
    link.href = address;
    link.textContent = address;
    link.target = '_blank';
    link.rel = 'noopener noreferrer';
    parts.push(text.slice(end, index), link);
    end = index + address.length;
  }
  return [...parts, text.slice(end)];
}

function note(text) {
  const line = document.createElement('p');
  line.className = 'activity';
  line.textContent = text;
  return line;
}

function showReadMarks(upTo) {
  agentHasRead = Math.max(agentHasRead, upTo);
  for (const small of document.querySelectorAll('[data-sender="customer"][data-event] small')) {
    const isRead = Number(small.parentElement.dataset.event) <= agentHasRead;
    if (isRead && !small.textContent.endsWith('Read')) small.textContent += ' · Read';
  }
}

function showState({ status, agent }) {
  state = { status, agent };
  const isOver = status === 'closed';
  element('state').textContent = isOver ? 'The conversation has ended' : whoIsHere(agent);
  element('send').hidden = isOver;
  element('over').hidden = !isOver || isRatingAwaited;
}

function whoIsHere(agent) {
  if (agent) return `${agent.name ?? 'An agent'} is here`;
  if (isRatingAwaited) return 'Your rating is awaited';
  return agentWasHere ? 'No agent is here now' : 'Nobody is here yet';
}

/** The rows of this conversation as the export has them now, each with its explanation. */
function showRows({ rows, explanation }) {
  element('no-rows').hidden = rows.length > 0;
  element('rows').replaceChildren(
    ...rows.flatMap((row, place) => {
      const list = document.createElement('dl');
      list.append(...FIELDS.map((name) => field(name, row[name] ?? '–')));
      const explained = explanation.rows[place];
      return explained ? [list, explanationOf(explained, explanation.timezone)] : [list];
    }),
  );
}

function field(name, value) {
  const pair = document.createElement('div');
  pair.append(
    Object.assign(document.createElement('dt'), { textContent: name }),
    Object.assign(document.createElement('dd'), { textContent: value }),
  );
  return pair;
}

function showTyping({ senderName, active }) {
  element('typing').textContent = `${senderName ?? 'Somebody'} is typing…`;
  element('typing').hidden = !active;
}

function showConnection(status) {
  element('status').dataset.state = status;
  element('status').textContent = status === 'open' ? 'Online' : 'Connecting again…';
  wasOnline ||= status === 'open';
  element('offline').hidden = status === 'open' || !wasOnline;
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
