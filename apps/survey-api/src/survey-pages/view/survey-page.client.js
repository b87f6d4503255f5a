// Without this script the page is complete. With it, answers that can not be sent now stay on the page, which sends them again.
(() => {
  const TIMEOUT_MS = 30_000;
  const LONGEST_WAIT_S = 60;

  function enhance() {
    const form = document.querySelector('form');
    if (!form) return;
    const status = document.getElementById('status');
    const progress = document.querySelector('progress');
    const questions = [...form.querySelectorAll('.question')];
    let failures = 0;
    let timer = 0;
    let isSending = false;

    for (const element of document.querySelectorAll('[data-script]')) element.hidden = false;

    const isGiven = (field) =>
      field.type === 'radio' || field.type === 'checkbox' ? field.checked : field.value.trim() !== '';

    function showProgress() {
      progress.value = questions.filter((question) =>
        [...question.querySelectorAll('[name]')].some(isGiven),
      ).length;
      for (const question of questions) {
        const clear = question.querySelector('.clear');
        if (clear) clear.hidden = !question.querySelector(':checked');
      }
    }

    async function send() {
      clearTimeout(timer);
      if (isSending) return;
      isSending = true;
      status.textContent = status.dataset.sending;
      let answer;
      let html;
      try {
        answer = await fetch(form.action, {
          method: 'POST',
          headers: { accept: 'text/html' },
          body: new URLSearchParams(new FormData(form)),
          credentials: 'omit',
          signal: AbortSignal.timeout?.(TIMEOUT_MS),
        });
        html = await answer.text();
      } catch {
        html = undefined;
      }
      isSending = false;
      if (html === undefined || [429, 503].includes(answer.status)) {
        sendLater(Number(answer?.headers.get('retry-after')));
        return;
      }
      const page = new DOMParser().parseFromString(html, 'text/html');
      if (answer.status === 200 || answer.status === 422) show(page);
      // The page that says why would take the place of what was typed.
      else status.textContent = page.querySelector('main p')?.textContent ?? status.dataset.failed;
    }

    function sendLater(leastSeconds) {
      failures++;
      const seconds = Math.min(Math.max(2 ** failures, leastSeconds || 0), LONGEST_WAIT_S);
      status.textContent = status.dataset.notSent.replace('{}', seconds);
      timer = setTimeout(send, seconds * 1000);
    }

    const alert = document.querySelector('.alert');

    /** Whether what is typed would be accepted; an option that can be chosen is. */
    function isSound(question) {
      const ranks = [...question.querySelectorAll('.rank input')];
      const given = ranks.map(({ value }) => value.trim()).filter((value) => value !== '');
      const text = question.querySelector('textarea');
      return (
        given.every((rank) => /^\d{1,9}$/.test(rank) && rank >= 1 && rank <= ranks.length) &&
        new Set(given.map(Number)).size === given.length &&
        !(text && [...text.value].length > text.dataset.max)
      );
    }

    /** Takes back what the page says is wrong, as soon as it is mended. */
    function showMended(question) {
      if (!alert?.isConnected) return;
      if (question.matches('.faulty') && isSound(question)) {
        const error = question.querySelector('.error');
        question.classList.remove('faulty');
        for (const element of [question, ...question.querySelectorAll('[aria-describedby]')]) {
          element.removeAttribute('aria-invalid');
          const described = element.getAttribute('aria-describedby');
          if (described) element.setAttribute('aria-describedby', described.replace(error.id, '').trim());
        }
        error.remove();
        for (const item of alert.querySelectorAll(`[data-for="${question.dataset.question}"]`)) item.remove();
      }
      const { reason, title } = alert.dataset;
      const isMended =
        reason === 'invalid'
          ? !alert.querySelector('li')
          : reason === 'nothing_answered' && progress.value > 0;
      if (!isMended) return;
      alert.remove();
      document.title = title;
    }

    form.addEventListener('input', ({ target }) => {
      showProgress();
      showMended(target.closest('.question'));
    });
    form.addEventListener('click', ({ target }) => {
      if (!target.matches('.clear')) return;
      const question = target.closest('.question');
      for (const field of question.querySelectorAll(':checked')) field.checked = false;
      question.querySelector('input').focus();
      showProgress();
      showMended(question);
    });
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void send();
    });
    showProgress();
  }

  function show(page) {
    document.title = page.title;
    document.body.replaceWith(document.adoptNode(page.body));
    const start = document.querySelector('[autofocus]') ?? document.querySelector('h1');
    start.tabIndex = -1;
    start.focus();
    enhance();
  }

  enhance();
})();
