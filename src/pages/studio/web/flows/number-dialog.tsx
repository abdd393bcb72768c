/** Dialog that gives a flow a number, without leaving the flow. The number keeps its other settings. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Json } from '../../../../base/core/json.ts';
import { t, tNodes } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { Dialog } from '../shell/dialog.tsx';
import { tell } from '../shell/messages.tsx';
import { refusalOf } from '../shell/refusal.ts';

interface ListedNumber {
  number: string;
  flow?: string;
  configured: boolean;
  [setting: string]: Json | undefined;
}

interface NumberDialogProps {
  flow: string;
  close(): void;
  /** Called after the number was saved. */
  saved?(number: string): void;
}

/** Settings of a number that apply only without a flow. */
const WITHOUT_FLOW = ['greeting', 'greeting_heard', 'auto_accept'];
/** Facts of a number that are not part of its body. */
const FACTS = ['number', 'configured'];

const keyOf = (number: string): string => number.replace(/[\s().-]/g, '').toLowerCase();

export function NumberDialog({ flow, close, saved }: NumberDialogProps) {
  const number = useSignal('');
  const known = useSignal<readonly ListedNumber[]>([]);
  const refused = useSignal<string | undefined>(undefined);
  useEffect(() => {
    void request<{ numbers: ListedNumber[] }>('/admin/v1/numbers').then(
      ({ numbers }) => {
        known.value = numbers;
      },
      // Without the list, the service still refuses a number that it cannot give.
      () => undefined,
    );
  }, []);
  const wanted = number.value.trim();
  const taken = wanted === '' ? undefined : known.value.find((each) => keyOf(each.number) === keyOf(wanted));
  const isFixed = taken?.configured === true;
  const note = isFixed
    ? t('{number} is set in the configuration file: change it there.', { number: taken.number })
    : taken?.flow === flow
      ? t('{number} already leads to {flow}.', { number: taken.number, flow })
      : taken !== undefined
        ? t('{number} leads to {before} now. Saving moves it to {flow}.', {
            number: taken.number,
            before: taken.flow ?? t('a webhook'),
            flow,
          })
        : undefined;
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (wanted === '' || isFixed) return;
    const kept = Object.entries(taken ?? {}).filter(([name]) => ![...FACTS, ...WITHOUT_FLOW].includes(name));
    try {
      const written = taken?.number ?? wanted;
      const json = { ...Object.fromEntries(kept), flow };
      await request(`/admin/v1/numbers/${encodeURIComponent(written)}`, { method: 'PUT', json });
      close();
      tell(t('{number} leads to {flow}', { number: written, flow }));
      saved?.(written);
    } catch (error) {
      refused.value = refusalOf(error, []).form;
    }
  };
  return (
    <Dialog title={t('Give {flow} a number', { flow })} close={close} class="flow-question">
      <form onSubmit={submit}>
        <label>
          {t('Number')}
          <span class="number-leads">
            <input
              value={number.value}
              inputMode="tel"
              autocomplete="off"
              spellcheck={false}
              list={undefined}
              placeholder={t('+33 1 23 45 67 89, or 1000')}
              aria-invalid={refused.value !== undefined || isFixed}
              aria-describedby="number-note"
              onInput={({ currentTarget: { value } }) => {
                number.value = value;
                refused.value = undefined;
              }}
            />
            <span>{tNodes('leads to {flow}', { flow: <b>{flow}</b> })}</span>
          </span>
        </label>
        <p id="number-note" role="alert">
          {refused.value ?? note}
        </p>
        <button type="submit" class="button primary" disabled={wanted === '' || isFixed}>
          {t('Save')}
        </button>
      </form>
    </Dialog>
  );
}
