/** "Take over as test": the call as a test of its flow, to be named, looked through and kept. */
import { useComputed, useSignal } from '@preact/signals';
import { send } from '../api.ts';
import type { Entry } from '../journal/entries.ts';
import { Dialog } from '../shell/dialog.tsx';
import { tell, tellError } from '../shell/messages.tsx';
import { testOfCall } from './test-of-call.ts';

interface TakeOverProps {
  flow: string;
  id: string;
  journal: readonly Entry[];
  close(): void;
}

export function TakeOver({ flow, id, journal, close }: TakeOverProps) {
  const title = useSignal(`a real call, ${id.slice(0, 8)}`);
  const made = useComputed(() => testOfCall(journal, flow, title.value));
  const written = useSignal<string | undefined>(undefined);
  const isBusy = useSignal(false);

  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    isBusy.value = true;
    const file = `${flow}.call-${id.slice(0, 8)}.test.yaml`;
    try {
      await send(`/admin/v1/flows/${encodeURIComponent(flow)}/tests/${encodeURIComponent(file)}`, {
        method: 'PUT',
        headers: { 'if-none-match': '*' },
        json: { text: written.value ?? made.value.text },
      });
      tell(`Kept as ${file}.`);
      close();
    } catch (error) {
      tellError(error);
      isBusy.value = false;
    }
  };
  return (
    <Dialog title="Take over as test" close={close} class="take-over">
      <form class="call-form" onSubmit={save}>
        <label>
          What it shows
          <input
            required
            value={title.value}
            maxLength={300}
            onInput={(event) => {
              title.value = event.currentTarget.value;
            }}
          />
        </label>
        {made.value.isMasked && (
          <p role="alert">Sensitive values are masked (•••): write others in their place, or the test will not pass.</p>
        )}
        <label>
          The test
          <textarea
            rows={18}
            spellcheck={false}
            value={written.value ?? made.value.text}
            onInput={(event) => {
              written.value = event.currentTarget.value;
            }}
          />
        </label>
        <button type="submit" class="button primary" disabled={isBusy.value}>
          Keep it
        </button>
      </form>
    </Dialog>
  );
}
