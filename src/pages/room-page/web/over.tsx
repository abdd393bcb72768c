/** Screen that says why the participant is not in the session, and what helps. */
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { addressAtService } from '../../shared/web/service-root.ts';
import { t } from '../../shared/web/words/translate.ts';
import { endWords } from './end-words.ts';
import { FeedbackForm } from './feedback-form.tsx';
import { readPasted } from './invitation.ts';
import { here, invitation, isFeedbackAsked } from './meeting.ts';
import { hasLeftPlace } from './place.ts';

export function Over({ reason }: { reason: string }) {
  const { title, text, help } = endWords(reason, { mayReturn: hasLeftPlace(here) });
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => heading.current?.focus(), []);
  return (
    <main class="door">
      <section class="card" aria-labelledby="over-title">
        <h1 id="over-title" ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {invitation.value && <p class="hint">{invitation.value.room.name}</p>}
        <p>{text}</p>
        {help === 'invitation' && <PasteForm />}
        {(help === 'again' || help === 'return') && (
          <button type="button" class="button primary large" onClick={() => location.reload()}>
            {help === 'again' ? t('Try again') : t('Come back')}
          </button>
        )}
        {isFeedbackAsked(reason) && <FeedbackForm />}
      </section>
    </main>
  );
}

function PasteForm() {
  const problem = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  const submit = (event: Event): void => {
    event.preventDefault();
    const found = readPasted(field.current!.value, here.roomId);
    if (!found) {
      problem.value = t('That is not a link to a room. It looks like this: https://…/room/…#…');
      return;
    }
    const target = addressAtService(`/room/${encodeURIComponent(found.roomId)}#${found.token}`);
    // The browser would not load the same address again.
    if (location.pathname + location.hash === target) location.reload();
    else location.assign(target);
  };
  return (
    <form class="paste" onSubmit={submit}>
      <label>
        <span>{t('Your link')}</span>
        <input
          ref={field}
          type="text"
          autocomplete="off"
          spellcheck={false}
          aria-invalid={problem.value !== ''}
          aria-describedby="paste-problem"
        />
      </label>
      <p id="paste-problem" class="problem" role="alert">
        {problem.value}
      </p>
      <button type="submit" class="button primary large">
        {t('Go to the room')}
      </button>
    </form>
  );
}
