/** Name of a row, edited in place. A name of the flow is renamed everywhere, and the row says before in how many places. */
import { type Signal, useSignal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';
import { saidPlaces } from '../renames/other-files.ts';
import { isDefinedIn, type Renamed, refusalOfRename, renameInFlow } from '../renames/renamed.ts';
import { type FormContext, useForm } from './context.ts';
import { takeName } from './focus.ts';

interface RowNameProps {
  name: string;
  /** Kind of a name that the flow defines. */
  kind?: Renamed['kind'] | undefined;
  /** Returns the reason if the name is refused. */
  rename(to: string): string | undefined;
}

export function RowName({ name, kind, rename }: RowNameProps) {
  const { draft, language, isLocked } = useForm();
  const said = useSignal('');
  const count = (input: HTMLInputElement): void => {
    if (kind === undefined || isLocked || said.peek() !== '') return;
    void saidPlaces(draft.text.peek(), draft.name, { kind, from: name }, language.verbs).then((words) => {
      if (document.activeElement === input) said.value = words;
    });
  };
  const finish = (input: HTMLInputElement): void => {
    const to = input.value.trim();
    said.value = '';
    if (to === name) return;
    const refused = rename(to);
    if (refused === undefined) return;
    said.value = refused;
    input.value = name;
  };
  return (
    <>
      <input
        class="mono row-name"
        type="text"
        aria-label={t('Name {name}', { name })}
        defaultValue={name}
        readOnly={isLocked}
        spellcheck={false}
        autocomplete="off"
        onFocus={({ currentTarget }) => count(currentTarget)}
        onBlur={({ currentTarget }) => finish(currentTarget)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') takeName(event.currentTarget);
          if (event.key === 'Escape') {
            event.stopPropagation();
            event.currentTarget.value = name;
            event.currentTarget.blur();
          }
        }}
      />
      <Said words={said} />
    </>
  );
}

/** A component of its own: rendering the field again would replace what is typed. */
const Said = ({ words }: { words: Signal<string> }) => (
  <small class="row-said" role="status">
    {words.value}
  </small>
);

/** Renames a name everywhere in the flow. Returns the reason if it is refused. */
export function renameEverywhere(
  { draft, edits, language }: FormContext,
  kind: Renamed['kind'],
  from: string,
  to: string,
): string | undefined {
  const renamed = { kind, from, to };
  const refused =
    refusalOfRename((name) => isDefinedIn(draft.names.peek().words, name), renamed) ??
    edits.apply(
      renameInFlow(draft.text.peek(), draft.name, renamed, language.verbs),
      t('rename {name} to {to}', { name: from, to }),
    );
  if (refused === undefined) draft.renames.push(renamed);
  return refused;
}
