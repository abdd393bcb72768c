/** What can be done to a live call: hang up, connect with somebody else, send an event to its flow. */
import { useSignal } from '@preact/signals';
import { type Json, request } from '../api.ts';
import { Dialog } from '../shell/dialog.tsx';
import { tell, tellError } from '../shell/messages.tsx';

const addressOf = (id: string): string => `/voice/v1/call/${encodeURIComponent(id)}`;

async function ask(method: 'DELETE' | 'PUT' | 'POST', path: string, json: unknown, done: string): Promise<boolean> {
  try {
    await request(path, { method, ...(json !== undefined && { json }) });
    tell(done);
    return true;
  } catch (error) {
    tellError(error);
    return false;
  }
}

type Box = 'hang up' | 'transfer' | 'event';

/** Buttons, and the box of the one that was pressed. */
export function CallActions({ id, from }: { id: string; from: string }) {
  const box = useSignal<Box | undefined>(undefined);
  const close = (): void => {
    box.value = undefined;
  };
  const opens = (which: Box) => () => {
    box.value = which;
  };
  const submit =
    (run: (fields: FormData) => Promise<boolean> | undefined) =>
    async (event: SubmitEvent): Promise<void> => {
      event.preventDefault();
      if (await run(new FormData(event.currentTarget as HTMLFormElement))) close();
    };
  const problem = useSignal<string | undefined>(undefined);
  const sendEvent = (fields: FormData): Promise<boolean> | undefined => {
    const text = String(fields.get('data')).trim();
    let data: Json = null;
    try {
      data = text === '' ? null : (JSON.parse(text) as Json);
    } catch (error) {
      problem.value = `The data is not valid JSON: ${(error as Error).message}`;
      return undefined;
    }
    problem.value = undefined;
    const json = { event: String(fields.get('event')).trim(), ...(data !== null && { data }) };
    return ask('POST', `${addressOf(id)}/event`, json, 'The event was sent to the flow.');
  };
  return (
    <>
      <button type="button" class="button" onClick={opens('event')}>
        Send event
      </button>
      <button type="button" class="button" onClick={opens('transfer')}>
        Transfer
      </button>
      <button type="button" class="button danger" onClick={opens('hang up')}>
        Hang up
      </button>
      {box.value === 'hang up' && (
        <Dialog title="Hang up?" close={close}>
          <form
            class="call-form"
            onSubmit={submit(() => ask('DELETE', addressOf(id), undefined, 'The call was hung up.'))}
          >
            <p>The call with {from} ends at once.</p>
            <button type="submit" class="button danger">
              Hang up
            </button>
          </form>
        </Dialog>
      )}
      {box.value === 'transfer' && (
        <Dialog title="Transfer" close={close}>
          <form
            class="call-form"
            onSubmit={submit((fields) =>
              ask(
                'PUT',
                `${addressOf(id)}/transfer`,
                { transfer_to: String(fields.get('to')).trim() },
                'The other party is being called.',
              ),
            )}
          >
            <label>
              To <small>a number, a SIP address or user:NAME; the call must be connected with somebody</small>
              <input name="to" required spellcheck={false} />
            </label>
            <button type="submit" class="button primary">
              Transfer
            </button>
          </form>
        </Dialog>
      )}
      {box.value === 'event' && (
        <Dialog title="Send an event" close={close}>
          <form class="call-form" onSubmit={submit(sendEvent)}>
            <label>
              Event <small>its name, such as order.ready</small>
              <input name="event" required pattern="[A-Za-z0-9_\-]+(\.[A-Za-z0-9_\-]+)*" spellcheck={false} />
            </label>
            <label>
              Data <small>JSON; may be empty</small>
              <textarea name="data" rows={4} spellcheck={false} />
            </label>
            {problem.value !== undefined && <p role="alert">{problem.value}</p>}
            <button type="submit" class="button primary">
              Send
            </button>
          </form>
        </Dialog>
      )}
    </>
  );
}
