/** Messages to the user: confirmations, which disappear, and errors, which stay until they are closed. */
import { signal } from '@preact/signals';
import { ServiceError } from '../api.ts';

interface Message {
  id: number;
  text: string;
  isBad: boolean;
}

const messages = signal<readonly Message[]>([]);
const spoken = signal('');
const SHOWN_MS = 5000;
let last = 0;

/** Announces a text to screen readers only. */
export const announce = (text: string): void => {
  spoken.value = text;
};

export function tell(text: string, isBad = false): void {
  const message = { id: ++last, text, isBad };
  messages.value = [...messages.value, message];
  if (!isBad) setTimeout(() => dismiss(message.id), SHOWN_MS);
}

/** Shows the message of a failed request. */
export function tellError(error: unknown): void {
  const words = error instanceof Error ? error.message : String(error);
  const hint = error instanceof ServiceError && error.hint !== undefined ? `: ${error.hint}` : '';
  tell(`${words}${hint}`, true);
}

const dismiss = (id: number): void => {
  messages.value = messages.value.filter((message) => message.id !== id);
};

export const Messages = () => (
  <>
    <p class="unseen" aria-live="polite">
      {spoken.value}
    </p>
    <div class="messages">
      {messages.value.map(({ id, text, isBad }) => (
        <p key={id} class={isBad ? 'bad' : ''} role={isBad ? 'alert' : 'status'}>
          {text}
          <button type="button" class="button quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ✕
          </button>
        </p>
      ))}
    </div>
  </>
);
