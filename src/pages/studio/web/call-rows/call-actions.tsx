/**
 * Actions on a live call: hang up, transfer its caller, send an event to its flow. The service checks the permission:
 * administrators, and the project of the call.
 */
import { useSignal } from '@preact/signals';
import type { Json } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { useCommands } from '../shell/commands.ts';
import { Dialog } from '../shell/dialog.tsx';
import { Keys } from '../shell/keys.tsx';
import { tell, tellError } from '../shell/messages.tsx';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import type { CallRow } from './call-row.ts';

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

type Box = 'hang up' | 'connect' | 'event';

const GROUP = t('Live call');

interface CallActionsProps {
  call: Pick<CallRow, 'id' | 'from' | 'to' | 'state'>;
  /** Events that the flow currently waits for, where known. */
  events?: readonly string[];
  /** False if another control on the screen hangs the call up. Default: true. */
  hasHangUp?: boolean;
}

/** Action buttons, and the dialog of the pressed one. */
export const CallActions = (props: CallActionsProps) => (
  <WriteAccessOnly>
    <Actions {...props} />
  </WriteAccessOnly>
);

function Actions({ call: { id, from, to, state }, events = [], hasHangUp = true }: CallActionsProps) {
  const isBridged = state === 'bridged';
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
      problem.value = t('The data is not valid JSON: {message}', { message: (error as Error).message });
      return undefined;
    }
    problem.value = undefined;
    const json = { event: String(fields.get('event')).trim(), ...(data !== null && { data }) };
    return ask('POST', `${addressOf(id)}/event`, json, t('The event was sent to the flow.'));
  };
  const connects = isBridged ? t('Transfer') : t('Connect');
  const connectsCaller = isBridged ? t('Transfer the caller') : t('Connect the caller');
  useCommands(
    () => [
      { title: t('Send an event to the flow'), keys: 'e', group: GROUP, run: opens('event') },
      { title: connectsCaller, keys: 'c', group: GROUP, run: opens('connect') },
      { title: t('Hang up'), keys: 'h', group: GROUP, run: opens('hang up') },
    ],
    [connects],
  );
  const connect = (fields: FormData): Promise<boolean> => {
    const party = String(fields.get('to')).trim();
    return isBridged
      ? ask('PUT', `${addressOf(id)}/transfer`, { transfer_to: party }, t('{party} is being called.', { party }))
      : ask(
          'PUT',
          `${addressOf(id)}/connect`,
          { from: fields.get('from'), to: party },
          t('{party} is being called.', { party }),
        );
  };
  return (
    <>
      <button type="button" class="button" onClick={opens('event')}>
        {t('Send event')} <Keys of="e" />
      </button>
      <button type="button" class="button" onClick={opens('connect')}>
        {connects} <Keys of="c" />
      </button>
      {hasHangUp && (
        <button type="button" class="button danger" onClick={opens('hang up')}>
          {t('Hang up')} <Keys of="h" />
        </button>
      )}
      {box.value === 'hang up' && (
        <Dialog title={t('Hang up?')} close={close}>
          <form
            class="call-form"
            onSubmit={submit(() => ask('DELETE', addressOf(id), undefined, t('The call was hung up.')))}
          >
            <p>{t('The call with {from} ends at once.', { from })}</p>
            <button type="submit" class="button danger">
              {t('Hang up')}
            </button>
          </form>
        </Dialog>
      )}
      {box.value === 'connect' && (
        <Dialog title={connects} close={close}>
          <form class="call-form" onSubmit={submit(connect)}>
            <p>
              {isBridged
                ? t('{from} is connected with the new party once it answers; the old one is released.', { from })
                : t('What {from} hears ends, and the new party is called. The flow has to take that.', { from })}
            </p>
            <label>
              {t('To')} <small>{t('a number, a SIP address or user:NAME')}</small>
              <input name="to" required spellcheck={false} />
            </label>
            {!isBridged && (
              <label>
                {t('Shown number')} <small>{t('one of the project')}</small>
                <input name="from" required spellcheck={false} value={to} />
              </label>
            )}
            <button type="submit" class="button primary">
              {connects}
            </button>
          </form>
        </Dialog>
      )}
      {box.value === 'event' && (
        <Dialog title={t('Send an event')} close={close}>
          <form class="call-form" onSubmit={submit(sendEvent)}>
            <label>
              {t('Event')} <small>{t('its name, such as order.ready')}</small>
              <input
                name="event"
                required
                pattern="[A-Za-z0-9_\-]+(\.[A-Za-z0-9_\-]+)*"
                spellcheck={false}
                list="awaited-events"
                value={events[0] ?? ''}
              />
            </label>
            <datalist id="awaited-events">
              {events.map((event) => (
                <option key={event} value={event} />
              ))}
            </datalist>
            {events.length > 0 && <p>{t('The flow waits for {events}.', { events: events.join(', ') })}</p>}
            <label>
              {t('Data')} <small>{t('JSON; may be empty')}</small>
              <textarea name="data" rows={4} spellcheck={false} />
            </label>
            {problem.value !== undefined && <p role="alert">{problem.value}</p>}
            <button type="submit" class="button primary">
              {t('Send')}
            </button>
          </form>
        </Dialog>
      )}
    </>
  );
}
