/** Field for the name of a new flow. */
import type { Signal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

/** Reason why a name is invalid. Undefined if it is valid, or still empty. */
export function refusalOfName(name: string, taken: readonly string[]): string | undefined {
  if (name === '') return undefined;
  if (taken.includes(name)) return t('There is a flow {name} already', { name });
  return NAME.test(name) ? undefined : t('A name has letters, digits, _, - and .');
}

interface NameFieldProps {
  name: Signal<string>;
  taken: readonly string[];
  /** Name that is used if the field is empty. */
  suggested?: string | undefined;
}

export function NameField({ name, taken, suggested }: NameFieldProps) {
  const refused = refusalOfName(name.value, taken);
  return (
    <label class="name-field">
      {t('Name')}
      <input
        value={name.value}
        spellcheck={false}
        autocomplete="off"
        list={undefined}
        placeholder={suggested}
        aria-invalid={refused !== undefined}
        onInput={(event) => {
          name.value = event.currentTarget.value.trim();
        }}
      />
      {refused !== undefined && <small role="alert">{refused}</small>}
    </label>
  );
}
