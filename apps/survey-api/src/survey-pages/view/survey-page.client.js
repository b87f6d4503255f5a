// Without this script the page is complete. With it the page reports that it was opened, and saves a draft of the answers.
(() => {
  const form = document.querySelector('form');
  if (!form) return;
  const { identifier } = form.elements;
  const status = document.getElementById('status');
  const progress = document.querySelector('progress');
  const questions = [...form.querySelectorAll('.question')];
  const PAUSE_MS = 1500; // after the last change
  const INTERVAL_MS = 8000; // between two drafts
  let timer = 0;
  let isChanged = false;
  let isSending = false;
  let nextAt = 0;

  for (const element of document.querySelectorAll('[data-script]')) element.hidden = false;

  function answerOf(question) {
    const { question: id, type } = question.dataset;
    const fields = [...question.querySelectorAll('[name]')].filter(
      (field) => (field.type !== 'radio' && field.type !== 'checkbox') || field.checked,
    );
    const given = fields.filter(({ value }) => value.trim() !== '');
    if (given.length === 0) return null;
    if (type === 'checkbox') return given.map(({ value }) => value);
    if (type === 'text' || type === 'multiple_choice') return given[0].value;
    const partOf = ({ name }) => name.slice(id.length + 2);
    return Object.fromEntries(
      given.map((field) => [partOf(field), type === 'ranking' ? Number(field.value) : field.value]),
    );
  }

  function answers() {
    const given = questions.map((question) => [question.dataset.question, answerOf(question)]);
    return Object.fromEntries(given.filter(([, answer]) => answer !== null));
  }

  function showProgress() {
    progress.value = Object.keys(answers()).length;
    for (const question of questions) {
      const clear = question.querySelector('.clear');
      if (clear) clear.hidden = !question.querySelector(':checked');
    }
  }

  function post(state) {
    return fetch(form.action, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ identifier: identifier.value, state, answers: answers() }),
      credentials: 'omit',
      keepalive: true,
    });
  }

  async function saveDraft() {
    clearTimeout(timer);
    if (!isChanged || isSending) return;
    isChanged = false;
    isSending = true;
    let wait = INTERVAL_MS;
    try {
      const response = await post('draft');
      // 422: the answers are not complete yet, for instance two equal ranks.
      const text = response.ok ? status.dataset.saved : response.status === 422 ? '' : status.dataset.failed;
      if (status.textContent !== text) status.textContent = text;
      if (response.status === 429 || response.status === 503) {
        isChanged = true;
        wait = Math.max(wait, Number(response.headers.get('retry-after')) * 1000);
      }
    } catch {
      isChanged = true;
      status.textContent = status.dataset.failed;
    }
    isSending = false;
    nextAt = Date.now() + wait;
    if (isChanged) timer = setTimeout(saveDraft, wait);
  }

  function changed() {
    isChanged = true;
    clearTimeout(timer);
    timer = setTimeout(saveDraft, Math.max(PAUSE_MS, nextAt - Date.now()));
    showProgress();
  }

  form.addEventListener('input', changed);
  form.addEventListener('click', ({ target }) => {
    if (!target.matches('.clear')) return;
    const question = target.closest('.question');
    for (const field of question.querySelectorAll(':checked')) field.checked = false;
    question.querySelector('input').focus();
    changed();
  });
  form.addEventListener('submit', () => {
    isChanged = false;
    clearTimeout(timer);
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') void saveDraft();
  });

  // A page that is loaded in advance, or in the background, has not been opened yet.
  function reportOpened() {
    if (document.visibilityState !== 'visible' || document.prerendering) return;
    for (const event of ['visibilitychange', 'prerenderingchange']) {
      document.removeEventListener(event, reportOpened);
    }
    post('opened').catch(() => undefined);
  }
  for (const event of ['visibilitychange', 'prerenderingchange']) {
    document.addEventListener(event, reportOpened);
  }
  reportOpened();
  showProgress();
})();
