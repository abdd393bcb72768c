/** Phone keypad, and the other actions of the caller. */
import type { Signal } from '@preact/signals';
import type { RefObject } from 'preact';
import { t } from '../../../shared/web/words/translate.ts';
import { Keys } from '../shell/keys.tsx';

interface KeypadProps {
  /** Keys that the call currently accepts. */
  keys: string | undefined;
  isOff: boolean;
  sayField: RefObject<HTMLInputElement | null>;
  interrupts: Signal<boolean>;
  press(key: string): void;
  say(words: string): void;
  silent(): void;
  pass(): void;
  hangUp(): void;
}

const ROWS = ['123', '456', '789', '*0#'];

export function Keypad({ keys, isOff, sayField, interrupts, press, say, silent, pass, hangUp }: KeypadProps) {
  const others = [
    <form
      key="say"
      onSubmit={(event) => {
        event.preventDefault();
        const field = sayField.current!;
        if (field.value.trim() !== '') say(field.value.trim());
        field.value = '';
      }}
    >
      <input
        ref={sayField}
        aria-label={t('Say something')}
        placeholder={t('say something… (s)')}
        disabled={isOff}
        onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
      />
    </form>,
    <button key="silent" type="button" class="button" onClick={silent} disabled={isOff}>
      {t('Stay silent')} <Keys of="Space" />
    </button>,
    <button key="pass" type="button" class="button" onClick={pass} disabled={isOff}>
      {t('Wait 1 s')} <Keys of="ArrowRight" />
    </button>,
    <button key="hangup" type="button" class="button hang-up" onClick={hangUp} disabled={isOff}>
      {t('Hang up')} <Keys of="h" />
    </button>,
  ];
  // If all keys are accepted, none is highlighted.
  const isChoice = !ROWS.join('')
    .split('')
    .every((key) => keys?.includes(key));
  return (
    <div class="keypad">
      {ROWS.map((row, index) => (
        <div key={row} class="keypad-row">
          {[...row].map((key) => (
            <button
              key={key}
              type="button"
              class={`button key${isChoice && keys?.includes(key) ? ' meant' : ''}`}
              aria-label={t('Key {key}', { key: NAMES[key] ?? key })}
              onClick={() => press(key)}
              disabled={isOff}
            >
              {key}
            </button>
          ))}
          {others[index]}
        </div>
      ))}
      <label class="interrupts">
        <input
          type="checkbox"
          checked={interrupts.value}
          onChange={(event) => {
            interrupts.value = event.currentTarget.checked;
          }}
        />
        {t('interrupt the prompt with the next key')} <Keys of="p" />
      </label>
    </div>
  );
}

const NAMES: Readonly<Record<string, string>> = { '*': t('star'), '#': t('hash') };
