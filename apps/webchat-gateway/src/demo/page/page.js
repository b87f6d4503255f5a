import { ChatConnection } from './chat-connection.js';

const PAGE_SIZE = 20;
const TYPING_MS = 3_000;

const element = (id) => document.getElementById(id);

/** As a shop knows who is logged in, this page remembers who the customer is: the history comes back by this id. */
const userId = (localStorage.userId ??= `demo-${crypto.randomUUID()}`);

const session = await post('/demo/session', { userId });
const shown = new Set();
let agentHasRead = 0;

const history = await loadHistory();
for (const message of history.items) show(message);
showReadMarks(history.read.agent);

const connection = new ChatConnection(session, history.items.at(-1)?.sequence ?? 0, (sessionId) =>
  post('/demo/session/refresh', { sessionId }),
);
connection.addEventListener('open', () => showStatus('open', 'Online'));
connection.addEventListener('lost', () => showStatus('connecting', 'Connecting again…'));
connection.addEventListener('over', () => location.reload());
connection.addEventListener('frame', ({ detail: frame }) => {
  if (frame.type === 'message') {
    show(frame.message);
    if (frame.message.senderType !== 'customer') connection.read(frame.message.sequence);
  }
  if (frame.type === 'typing' && frame.senderType !== 'customer') showTyping(frame);
  if (frame.type === 'read' && frame.reader === 'agent') showReadMarks(frame.sequence);
  if (frame.type === 'activity') showActivity(frame);
});

element('send').addEventListener('submit', (event) => {
  const text = submitted(event, 'text');
  if (text) showPending(text, connection.say(text));
});
tellTyping(element('text'), (active) => connection.typing(active));

element('answer').addEventListener('submit', (event) => {
  const text = submitted(event, 'answer-text');
  if (text) void asAgent('message', { text });
});
tellTyping(element('answer-text'), (active) => asAgent('typing', { active }));
for (const button of document.querySelectorAll('[data-action]')) {
  button.addEventListener('click', () => asAgent('activity', { action: button.dataset.action }));
}

element('earlier').addEventListener('click', async () => {
  const first = document.querySelector('.message[data-sequence]');
  const { items, hasMore } = await loadHistory(first.dataset.sequence);
  for (const message of items.reverse()) element('earlier').after(bubble(message));
  element('earlier').hidden = !hasMore;
});

element('forget').addEventListener('click', () => {
  localStorage.removeItem('userId');
  location.reload();
});

element('facts').append(
  ...['userId', 'conversationId', 'sessionId'].flatMap((name) => [
    Object.assign(document.createElement('dt'), { textContent: name }),
    Object.assign(document.createElement('dd'), { textContent: session[name] }),
  ]),
);

async function post(path, body) {
  const response = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.status === 204 ? undefined : response.json();
}

function asAgent(what, body) {
  return post(`/demo/agent/${what}`, { conversationId: session.conversationId, ...body });
}

async function loadHistory(before) {
  const query = new URLSearchParams({ limit: PAGE_SIZE, ...(before && { before }) });
  const path = `/external/conversations/${session.conversationId}/messages?${query}`;
  const response = await fetch(path, { headers: { authorization: `Bearer ${session.sessionToken}` } });
  const page = await response.json();
  if (!before) element('earlier').hidden = !page.hasMore;
  return page;
}

function submitted(event, inputId) {
  event.preventDefault();
  const input = element(inputId);
  const text = input.value.trim();
  input.value = '';
  return text;
}

/** Tells that somebody types with the first key, and that they stopped a while after the last. */
function tellTyping(input, tell) {
  let timer;
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
    tell(false);
  };
  input.addEventListener('input', () => {
    if (!timer) tell(true);
    clearTimeout(timer);
    timer = setTimeout(stop, TYPING_MS);
  });
  input.form.addEventListener('submit', () => timer && stop());
}

function show(message) {
  if (shown.has(message.sequence)) return;
  shown.add(message.sequence);
  document.querySelector(`[data-pending="${message.clientId}"]`)?.remove();
  append(bubble(message));
  showReadMarks(agentHasRead);
}

function showPending(text, clientId) {
  const pending = bubble({ senderType: 'customer', text, sentAt: Date.now() });
  pending.dataset.pending = clientId;
  append(pending);
}

function bubble({ sequence, senderType, senderName, text, sentAt }) {
  const time = new Date(sentAt).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' });
  const note = document.createElement('small');
  note.textContent = senderName ? `${senderName} · ${time}` : time;
  const element = document.createElement('div');
  element.className = 'message';
  element.dataset.sender = senderType;
  if (sequence) element.dataset.sequence = sequence;
  element.append(text, note);
  return element;
}

function showReadMarks(sequence) {
  agentHasRead = Math.max(agentHasRead, sequence);
  for (const note of document.querySelectorAll('[data-sender="customer"][data-sequence] small')) {
    const isRead = Number(note.parentElement.dataset.sequence) <= agentHasRead;
    if (isRead && !note.textContent.endsWith('Read')) note.textContent += ' · Read';
  }
}

function showActivity({ action, agentName }) {
  const words = { assign: 'joined the conversation', end_conversation: 'ended the conversation' };
  const line = document.createElement('p');
  line.className = 'activity';
  line.textContent = `${agentName ?? 'Somebody'} ${words[action] ?? action}`;
  append(line);
}

function showTyping({ senderName, active }) {
  element('typing').textContent = `${senderName ?? 'Somebody'} is typing…`;
  element('typing').hidden = !active;
}

function showStatus(state, text) {
  element('status').dataset.state = state;
  element('status').textContent = text;
}

function append(child) {
  element('messages').append(child);
  child.scrollIntoView({ block: 'end' });
}
