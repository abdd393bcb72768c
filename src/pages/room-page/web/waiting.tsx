/** Screen of the lobby: a moderator has to join, or to admit the participant. */
import { invitation, leave } from './meeting.ts';

const WORDS = {
  moderator: { title: 'Waiting for the host', text: 'You come in as soon as a moderator is there.' },
  admission: { title: 'Asking to come in', text: 'A moderator has been asked to let you in.' },
} as const;

export function Waiting({ reason }: { reason: keyof typeof WORDS }) {
  const { title, text } = WORDS[reason];
  return (
    <main class="door">
      <section class="card" aria-labelledby="waiting-title">
        <div class="pulse" aria-hidden="true" />
        <h1 id="waiting-title">{title}</h1>
        <p class="hint">{invitation.value?.room.name}</p>
        <p role="status">{text} Keep this page open.</p>
        <button type="button" class="button" onClick={leave}>
          Do not wait
        </button>
      </section>
    </main>
  );
}
