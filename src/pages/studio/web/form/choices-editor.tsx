/** Choices of a menu: a key, a name, phrases for callers who speak, and where each leads. */
import { isObject, type Json, type JsonObject } from '../../../../base/core/json.ts';
import { OUTCOME_NAME } from '../../../../language/flow/name-patterns.ts';
import type { Change } from '../../../../language/flow/text/change.ts';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import { renameOutcome } from '../../../../language/flow/text/rename.ts';
import { argumentChanges } from '../../../../language/flow/text/set-argument.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { type EditorProps, pathInFlow, useForm } from './context.ts';
import type { FormField } from './fields.ts';
import { focusAfterRemoval, takeName } from './focus.ts';
import { leadTo } from './lead-to.ts';
import { AddField } from './list-editor.tsx';
import { StepSelect } from './step-select.tsx';

const PHONE_KEYS = [...'1234567890*#'];
const TAKEN = ['error', 'hangup', 'limit', 'timeout', 'exhausted', 'start'];

export function ChoicesEditor({ field, value }: EditorProps) {
  const form = useForm();
  const { step, edits, language } = form;
  const choices = Object.entries(isObject(value ?? null) ? (value as JsonObject) : {});
  const used = new Map(choices.flatMap(([name, choice]) => keysOf(choice).map((key) => [key, name] as const)));
  const free = PHONE_KEYS.find((key) => !used.has(key));
  const add = (title: string): string | undefined => {
    const name = nameOf(title);
    const problem = problemOfName(name, choices);
    if (problem !== undefined) return problem;
    const exits = form.graph.steps.find((each) => each.name === step)?.exits ?? [];
    // A new choice leads where the last one does, until it is led elsewhere.
    const target = exits.find(({ outcome }) => outcome === choices.at(-1)?.[0])?.target || '$end';
    const choice: Json = free === undefined ? { say: [title] } : { dtmf: free };
    return edits.change(
      (flow) => {
        const added = argumentChanges(flow, { step, path: [...field.path, name], value: choice }, language);
        const routed = argumentChanges(flow, { step, path: ['exits', name], value: target }, language);
        if (isRefusal(added)) return added;
        return isRefusal(routed) ? routed : [...added, ...routed];
      },
      t('add choice {name} to {step}', { name, step }),
    );
  };
  return (
    <span class="choice-rows">
      {choices.map(([name, choice], index) => (
        <ChoiceRow
          key={name}
          field={field}
          name={name}
          choice={isObject(choice) ? choice : {}}
          index={index}
          others={choices}
          used={used}
        />
      ))}
      {!form.isLocked && (
        <span class="choice add">
          <span class="keycap free" aria-hidden="true">
            {free ?? ''}
          </span>
          <AddField label={t('Choices')} placeholder={t('Add choice')} add={add} />
        </span>
      )}
    </span>
  );
}

const keysOf = (choice: Json): string[] => {
  const dtmf = isObject(choice) ? choice['dtmf'] : undefined;
  return typeof dtmf === 'string' || typeof dtmf === 'number' ? [String(dtmf)] : [];
};

/** `Opening hours` → `opening_hours`. */
const nameOf = (title: string): string => title.trim().toLowerCase().replaceAll(/\s+/g, '_');

function problemOfName(name: string, choices: readonly (readonly [string, Json])[]): string | undefined {
  if (choices.some(([known]) => known === name)) return t('There is a choice {name} already', { name });
  if (!OUTCOME_NAME.test(name)) return t('Letters, digits and _');
  return TAKEN.includes(name) ? t('{name} has another meaning', { name }) : undefined;
}

interface RowProps {
  field: FormField;
  name: string;
  choice: JsonObject;
  index: number;
  others: readonly (readonly [string, Json])[];
  used: ReadonlyMap<string, string>;
}

function ChoiceRow({ field, name, choice, index, others, used }: RowProps) {
  const form = useForm();
  const { step, edits, language, isLocked } = form;
  const path: Path = [...field.path, name];
  const exit = form.graph.steps.find((each) => each.name === step)?.exits.find(({ outcome }) => outcome === name);
  const rename = (input: HTMLInputElement): void => {
    const to = nameOf(input.value);
    if (to === name) return;
    const rest = others.filter(([known]) => known !== name);
    const refused =
      problemOfName(to, rest) ??
      edits.apply(
        renameOutcome(form.draft.text.peek(), step, { from: name, to }, language.verbs),
        t('rename {name} to {to}', { name, to }),
      );
    if (refused === undefined) {
      form.draft.renames.push({ kind: 'choice', step, from: name, to });
      return;
    }
    input.setCustomValidity(refused);
    input.reportValidity();
    input.value = name;
  };
  const move = (by: number): void => {
    const to = index + by;
    if (to < 0 || to >= others.length) return;
    edits.change(() => [{ do: 'moveItem', path: pathInFlow(form, path), to }], t('move choice {name}', { name }));
  };
  const remove = (): void => {
    edits.change(
      (flow) => {
        const gone: Change = { do: 'remove', path: ['steps', step, ...path] };
        const routed = argumentChanges(flow, { step, path: ['exits', name], value: undefined }, language);
        return isRefusal(routed) ? routed : [gone, ...routed];
      },
      t('remove choice {name} of {step}', { name, step }),
    );
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of its controls
    <span
      class="choice"
      onKeyDown={(event) => {
        if (event.altKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
          event.preventDefault();
          move(event.key === 'ArrowUp' ? -1 : 1);
        }
      }}
    >
      <KeyCap path={path} name={name} choice={choice} used={used} />
      <input
        class="choice-name"
        type="text"
        aria-label={t('Name of choice {name}', { name })}
        defaultValue={name}
        readOnly={isLocked}
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => currentTarget.setCustomValidity('')}
        onBlur={({ currentTarget }) => rename(currentTarget)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') takeName(event.currentTarget);
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          event.currentTarget.value = name;
          event.currentTarget.blur();
        }}
      />
      <StepSelect
        label={t('Choice {name} leads to', { name })}
        target={exit?.target ?? ''}
        isLocked={isLocked}
        choose={(target) => leadTo(form, name, target)}
      />
      <button
        type="button"
        class="button quiet"
        aria-label={t('Remove choice {name}', { name })}
        disabled={isLocked || others.length === 1}
        onClick={({ currentTarget }) => {
          focusAfterRemoval(currentTarget);
          remove();
        }}
      >
        ×
      </button>
      <Phrases path={path} name={name} choice={choice} />
    </span>
  );
}

/** The key of a choice: while it has the focus, the next key of the phone is taken. */
function KeyCap({ path, name, choice, used }: Pick<RowProps, 'name' | 'choice' | 'used'> & { path: Path }) {
  const { step, edits, isLocked } = useForm();
  const key = keysOf(choice)[0];
  const take = (pressed: string): void => {
    const owner = used.get(pressed);
    if (pressed === key) return;
    const title = t('change key of {name}', { name });
    if (owner === undefined) {
      edits.set({ step, path: [...path, 'dtmf'], value: pressed, title });
      return;
    }
    if (key === undefined) return;
    // Two choices change keys with each other.
    const other = [...path.slice(0, -1), owner, 'dtmf'];
    edits.change(
      () => [
        { do: 'set', path: ['steps', step, ...path, 'dtmf'], value: pressed },
        { do: 'set', path: ['steps', step, ...other], value: key },
      ],
      t('swap keys of {name} and {owner}', { name, owner }),
    );
  };
  return (
    <button
      type="button"
      class={`keycap${key === undefined ? ' free' : ''}`}
      aria-label={
        key === undefined
          ? t('No key for {name}. Press a key of the phone', { name })
          : t('Key {key} for {name}. Press another', { key, name })
      }
      title={t('Press a key: 0 to 9, * or #')}
      disabled={isLocked}
      onKeyDown={(event) => {
        if (!PHONE_KEYS.includes(event.key) || event.ctrlKey || event.altKey || event.metaKey) return;
        event.preventDefault();
        event.stopPropagation();
        take(event.key);
      }}
    >
      {key ?? '–'}
    </button>
  );
}

function Phrases({ path, name, choice }: Pick<RowProps, 'name' | 'choice'> & { path: Path }) {
  const { step, edits, isLocked } = useForm();
  const say = Array.isArray(choice['say']) ? choice['say'].map(String) : [];
  const change = (text: string): void => {
    const phrases = text
      .split(',')
      .map((phrase) => phrase.trim())
      .filter((phrase) => phrase !== '');
    const isNeeded = keysOf(choice).length === 0;
    if (phrases.join() === say.join() || (phrases.length === 0 && isNeeded)) return;
    const value = phrases.length === 0 ? undefined : phrases;
    edits.set({ step, path: [...path, 'say'], value, title: t('change phrases of {name}', { name }) });
  };
  if (isLocked && say.length === 0) return null;
  return (
    <input
      class="phrases"
      type="text"
      aria-label={t('Phrases of choice {name}, separated by commas', { name })}
      placeholder={t('or says …')}
      defaultValue={say.join(', ')}
      key={say.join()}
      readOnly={isLocked}
      autocomplete="off"
      onBlur={({ currentTarget }) => change(currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') change(event.currentTarget.value);
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        event.currentTarget.value = say.join(', ');
        event.currentTarget.blur();
      }}
    />
  );
}
