/** Keeps the call as a test of the flow: its name, and the text that is written, which may be changed first. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { request, ServiceError } from '../api.ts';
import { Dialog } from '../shell/dialog.tsx';
import { tell } from '../shell/messages.tsx';
import type { CallSession } from './call-session.ts';
import { fileNameOf, textOfTest } from './keep-test.ts';

interface KeepTestProps {
  name: string;
  session: CallSession;
  close(): void;
}

export function KeepTest({ name, session, close }: KeepTestProps) {
  const title = useSignal('');
  const problem = useSignal<string | undefined>(undefined);
  /** The text as the person wants it, once it was touched. */
  const edited = useSignal<string | undefined>(undefined);
  const isSaving = useSignal(false);
  const isOver = session.now.value?.state === 'ended';

  useEffect(() => {
    // A test ends with its call: what happened after the last act would be guessed.
    if (!isOver) void session.do({ do: 'hang_up' });
  }, []);
  const now = session.now.value;
  const text =
    edited.value ?? (now === undefined ? '' : textOfTest(title.value || 'a call', name, session.call.value, now));

  const save = async (): Promise<void> => {
    isSaving.value = true;
    problem.value = undefined;
    const file = fileNameOf(name, title.value);
    try {
      await request(`/admin/v1/flows/${encodeURIComponent(name)}/tests/${encodeURIComponent(file)}`, {
        method: 'PUT',
        json: { text },
        headers: { 'if-none-match': '*' },
      });
      tell(`Kept as ${file}`);
      close();
    } catch (error) {
      problem.value =
        error instanceof ServiceError && error.status === 412
          ? 'There is a test of this name: choose another one.'
          : error instanceof Error
            ? error.message
            : String(error);
    } finally {
      isSaving.value = false;
    }
  };
  return (
    <Dialog title="Keep as test" close={close} class="keep-test">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label>
          What it proves
          <input
            autofocus
            required
            maxLength={200}
            placeholder="a caller who presses 2 hears the opening hours"
            value={title.value}
            onInput={(event) => {
              title.value = event.currentTarget.value;
            }}
          />
        </label>
        <label>
          Its text
          <textarea
            rows={12}
            spellcheck={false}
            value={text}
            onInput={(event) => {
              edited.value = event.currentTarget.value;
            }}
          />
        </label>
        {problem.value !== undefined && (
          <p class="bad" role="alert">
            {problem.value}
          </p>
        )}
        <div class="choices">
          <button type="submit" class="button primary" disabled={isSaving.value || session.isBusy.value}>
            Keep
          </button>
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
