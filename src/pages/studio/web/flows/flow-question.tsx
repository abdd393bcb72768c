/** Dialogs that ask for one value: a name, a verb, or one of a list. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { Dialog } from '../shell/dialog.tsx';
import { Keys } from '../shell/keys.tsx';

export type Asked =
  | {
      what: 'word';
      title: string;
      label: string;
      value: string;
      /** Status below the field. */
      note?: ReadonlySignal<string>;
      action: string;
      /** Accepted values, if they are limited, with their display names. */
      among?: readonly { value: string; label?: string | undefined }[];
      /** Returns the reason why a value is invalid. */
      refuse?(word: string): string | undefined;
      take(word: string): void;
    }
  | {
      what: 'texts';
      title: string;
      fields: readonly { label: string; value: string }[];
      action: string;
      mayBeEmpty?: boolean;
      take(texts: string[]): void;
    }
  | { what: 'list'; title: string; items: readonly { label: string; detail: string; run(): void }[] };

export function FlowQuestion({ asked, close }: { asked: Asked; close(): void }) {
  return (
    <Dialog title={asked.title} close={close} class="flow-question">
      {asked.what === 'list' && <List {...asked} close={close} />}
      {asked.what === 'word' && <Word {...asked} close={close} />}
      {asked.what === 'texts' && <Texts {...asked} close={close} />}
    </Dialog>
  );
}

function List({ items, close }: Extract<Asked, { what: 'list' }> & { close(): void }) {
  return (
    <ul>
      {items.map(({ label, detail, run }, index) => (
        <li key={`${detail} ${label}`}>
          <button
            type="button"
            data-first={index === 0 ? '' : undefined}
            onClick={() => {
              close();
              run();
            }}
          >
            <code>{label}</code>
            <small>{detail}</small>
          </button>
        </li>
      ))}
    </ul>
  );
}

function Texts({
  fields,
  action,
  mayBeEmpty = false,
  take,
  close,
}: Extract<Asked, { what: 'texts' }> & { close(): void }) {
  const texts = useSignal(fields.map(({ value }) => value));
  const isEmpty = !mayBeEmpty && texts.value.some((text) => text.trim() === '');
  const finish = (event: Event): void => {
    event.preventDefault();
    if (isEmpty) return;
    close();
    take(texts.value);
  };
  return (
    <form onSubmit={finish}>
      {fields.map(({ label }, index) => (
        <label key={label}>
          {label}
          <textarea
            rows={3}
            value={texts.value[index]}
            onInput={({ currentTarget: { value } }) => {
              texts.value = texts.value.with(index, value);
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) finish(event);
            }}
          />
        </label>
      ))}
      <p role="alert">{isEmpty && t('Something has to be said')}</p>
      <button type="submit" class="button primary" disabled={isEmpty}>
        {action} <Keys of="Enter" />
      </button>
    </form>
  );
}

function Word({
  label,
  value,
  note,
  action,
  among,
  refuse,
  take,
  close,
}: Extract<Asked, { what: 'word' }> & { close(): void }) {
  const word = useSignal(value);
  const field = useRef<HTMLInputElement>(null);
  // Before the dialog gives the field the focus: the first key replaces the value.
  useLayoutEffect(() => field.current?.setSelectionRange(0, value.length), []);
  const refused = word.value === '' ? undefined : refuse?.(word.value);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const chosen = word.value.trim();
    if (chosen === '' || refused !== undefined) return;
    close();
    take(chosen);
  };
  return (
    <form onSubmit={submit}>
      <label>
        {label}
        <input
          ref={field}
          value={word.value}
          spellcheck={false}
          autocomplete="off"
          list={among === undefined ? undefined : 'asked-among'}
          aria-invalid={refused !== undefined}
          onInput={(event) => {
            word.value = event.currentTarget.value;
          }}
        />
      </label>
      {among !== undefined && (
        <datalist id="asked-among">
          {among.map(({ value, label }) => (
            <option key={value} value={value} label={label} />
          ))}
        </datalist>
      )}
      {note !== undefined && <p role="status">{note}</p>}
      <p role="alert">{refused}</p>
      <button type="submit" class="button primary" disabled={word.value.trim() === '' || refused !== undefined}>
        {action}
      </button>
    </form>
  );
}
