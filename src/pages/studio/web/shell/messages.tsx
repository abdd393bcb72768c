/**
 * Messages to the user: confirmations and errors, at the bottom left.
 *
 * Invariants
 * - there is at most one message of each kind, and a confirmation ends the error before it;
 * - a message ends after some seconds, unless the pointer or the focus is on it, and with the screen that it is about.
 */
import { effect, signal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';
import { ServiceError } from '../api.ts';
import { location } from './router.ts';

interface Message {
  id: number;
  text: string;
  isBad: boolean;
}

const messages = signal<readonly Message[]>([]);
const spoken = signal('');
const SHOWN_MS = 6000;
/** Messages of the current task. They belong to the screen that the task opens next. */
const fresh = new Set<number>();
const timers = new Map<number, ReturnType<typeof setTimeout>>();
let last = 0;

/** Announces a text to screen readers only. */
export const announce = (text: string): void => {
  spoken.value = text;
};

export function tell(text: string, isBad = false): void {
  const message = { id: ++last, text, isBad };
  fresh.add(message.id);
  setTimeout(() => fresh.delete(message.id));
  keepOnly((other) => isBad && !other.isBad);
  messages.value = [...messages.value, message];
  endLater(message.id);
}

/** Shows the message of a failed request. Nothing for a lost session: the sign-in form says it. */
export function tellError(error: unknown): void {
  if (error instanceof ServiceError && error.status === 401) return;
  const words = error instanceof Error ? error.message : String(error);
  const hint = error instanceof ServiceError && error.hint !== undefined ? `: ${error.hint}` : '';
  tell(`${words}${hint}`, true);
}

let path = location.peek().path;
effect(() => {
  if (location.value.path === path) return;
  path = location.value.path;
  keepOnly(({ id }) => fresh.has(id));
});

const dismiss = (id: number): void => keepOnly((message) => message.id !== id);

function keepOnly(isKept: (message: Message) => boolean): void {
  const before = messages.peek();
  const kept = before.filter(isKept);
  for (const { id } of before) if (!kept.some((each) => each.id === id)) stopTimer(id);
  if (kept.length < before.length) messages.value = kept;
}

function endLater(id: number): void {
  stopTimer(id);
  timers.set(
    id,
    setTimeout(() => dismiss(id), SHOWN_MS),
  );
}

/** Stops the timer of a message. */
function stopTimer(id: number): void {
  clearTimeout(timers.get(id));
  timers.delete(id);
}

export const Messages = () => (
  <>
    <p class="unseen" aria-live="polite">
      {spoken.value}
    </p>
    <div class="messages">
      {messages.value.map(({ id, text, isBad }) => (
        <p
          key={id}
          class={isBad ? 'bad' : ''}
          role={isBad ? 'alert' : 'status'}
          onPointerEnter={() => stopTimer(id)}
          onPointerLeave={() => endLater(id)}
          onFocusCapture={() => stopTimer(id)}
          onBlurCapture={() => endLater(id)}
        >
          {text}
          <button type="button" class="button quiet" aria-label={t('Dismiss')} onClick={() => dismiss(id)}>
            ✕
          </button>
        </p>
      ))}
    </div>
  </>
);
