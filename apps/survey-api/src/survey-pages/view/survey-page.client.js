// Without this script the page is complete. With it, answers that can not be sent now stay on the page, which sends them again, and a change
// of language sends nothing.
(() => {
  const TIMEOUT_MS = 30_000;
  const LONGEST_WAIT_S = 60;

  const isChoice = ({ type }) => type === 'radio' || type === 'checkbox';

  function enhance() {
    const form = document.querySelector('form');
    if (!form) return;
    const status = document.getElementById('status');
    const questions = [...form.querySelectorAll('.question')];
    let failures = 0;
    let timer = 0;
    let isSending = false;
    let isClosed = false;

    function showClear() {
      for (const question of questions) {
        const clear = question.querySelector('.clear');
        if (clear) clear.hidden = !question.querySelector(':checked');
      }
    }

    /** From the first attempt to its answer: an answer that was stored is never changed. */
    function lock(isLocked) {
      for (const part of document.querySelectorAll('.question, .language')) part.inert = isLocked;
    }

    async function send() {
      clearTimeout(timer);
      if (isSending || isClosed) return;
      isSending = true;
      form.querySelector('.submit').focus();
      lock(true);
      status.textContent = status.dataset.sending;
      const { answer, page } = await fetchPage(form.action, new URLSearchParams(new FormData(form)));
      isSending = false;
      if (!page || [429, 503].includes(answer.status)) {
        sendLater(Number(answer?.headers.get('retry-after')));
        return;
      }
      lock(false);
      if (answer.status === 200 || answer.status === 422) show(page);
      else sayWhy(answer, page);
    }

    /** The page that says why would take the place of what was typed: its heading and sentence are shown. */
    function sayWhy(answer, page) {
      const texts = [...(page?.querySelectorAll('h1, h1 + p') ?? [])].map(({ textContent }) => textContent);
      status.textContent = texts.join('. ') || status.dataset.failed;
      status.lang = page?.documentElement.lang || document.documentElement.lang;
      if (![404, 410].includes(answer?.status)) return;
      // No later attempt would be accepted.
      isClosed = true;
      form.querySelector('.submit').hidden = true;
      status.tabIndex = -1;
      status.focus();
    }

    function sendLater(leastSeconds) {
      failures++;
      const seconds = Math.min(Math.max(2 ** failures, leastSeconds || 0), LONGEST_WAIT_S);
      status.textContent = status.dataset.notSent.replace('{}', seconds);
      timer = setTimeout(send, seconds * 1000);
    }

    async function changeLanguage(url) {
      const { answer, page } = await fetchPage(url);
      const translated = page?.querySelector('form');
      if (isSending) return;
      if (!answer?.ok || !translated) return sayWhy(answer, page);
      copyTyped(form, translated);
      show(page);
    }

    form.addEventListener('input', showClear);
    form.addEventListener('click', ({ target }) => {
      if (!target.matches('.clear')) return;
      const question = target.closest('.question');
      for (const field of question.querySelectorAll(':checked')) field.checked = false;
      question.querySelector('input').focus();
      showClear();
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      if (event.submitter?.matches('.language')) void changeLanguage(event.submitter.formAction);
      else void send();
    });
    showClear();
  }

  // The page keeps nothing: a reload, such as a phone's pull down, would lose it.
  addEventListener('beforeunload', (event) => {
    const typed = 'form :is(:checked, :is(textarea, .rank input):not(:placeholder-shown))';
    if (document.querySelector(typed)) event.preventDefault();
  });

  /** Without a page if the network fails. */
  async function fetchPage(url, body) {
    try {
      const answer = await fetch(url, {
        method: body ? 'POST' : 'GET',
        headers: { accept: 'text/html' },
        body,
        credentials: 'omit',
        signal: AbortSignal.timeout?.(TIMEOUT_MS),
      });
      return { answer, page: new DOMParser().parseFromString(await answer.text(), 'text/html') };
    } catch {
      return {};
    }
  }

  function copyTyped(from, to) {
    const keyOf = (field) => (isChoice(field) ? `${field.name}\n${field.value}` : field.name);
    const fields = new Map([...to.elements].map((field) => [keyOf(field), field]));
    for (const field of from.elements) {
      if (!field.name || (isChoice(field) ? !field.checked : field.value === '')) continue;
      const same = fields.get(keyOf(field));
      if (!same) {
        // Its question has been removed: the answer to Send says so, and shows what was typed.
        const kept = document.createElement('input');
        Object.assign(kept, { type: 'hidden', name: field.name, value: field.value });
        to.append(kept);
      } else if (isChoice(field)) same.checked = true;
      else same.value = field.value;
    }
  }

  function show(page) {
    document.title = page.title;
    document.documentElement.lang = page.documentElement.lang;
    document.body.replaceWith(document.adoptNode(page.body));
    const start = document.querySelector('[autofocus]') ?? document.querySelector('h1');
    start.tabIndex = -1;
    start.focus();
    enhance();
  }

  enhance();
})();
