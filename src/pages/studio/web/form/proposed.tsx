/** Names that a field proposes: parties, queues, rooms and others that the flow and the service know. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { typedNumber } from '../../../../base/core/phone-number.ts';
import type { Path } from '../../../../language/flow/text/flow-source.ts';
import { type Language, verbOf } from '../../../../language/flow/text/language.ts';
import { kindAt, proposedAnswers, writtenAnswer } from '../picker/answers.ts';
import { useForm } from './context.ts';

interface ProposedProps {
  /** Path below the step. */
  path: Path;
  /** Draws the field, with the id of the list. */
  children(list: string | undefined): ComponentChildren;
}

/** Fields that a select shows already. */
const SELECTED: readonly string[] = ['flow', 'step'];

/** The names are loaded when the field gets the focus. */
export function Proposed({ path, children }: ProposedProps) {
  const { draft, language, flows, graph, isLocked } = useForm();
  const id = useId();
  const names = useSignal<readonly string[]>([]);
  const kind = kindOfField(language, path);
  if (kind === undefined || SELECTED.includes(kind) || isLocked) return <>{children(undefined)}</>;
  const load = (): void => {
    const steps = graph.steps.map(({ name }) => name);
    const known = { verbs: language.verbs, text: draft.text.peek(), flows, steps };
    void proposedAnswers(kind, known).then((found) => (names.value = found));
  };
  return (
    <span class="proposed" onFocusIn={load}>
      {children(id)}
      <datalist id={id}>
        {names.value.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </span>
  );
}

/** Kind of part that a field names; of a list, that of its items. */
export function kindOfField(language: Language, [name, ...rest]: Path): string | undefined {
  const verb = verbOf(language, name);
  if (verb === undefined) return undefined;
  const pointer = rest.map((key) => `/${typeof key === 'number' ? '#' : key}`).join('');
  return kindAt(verb, pointer) ?? kindAt(verb, `${pointer}/#`);
}

/** Keys that hold a telephone number or another address, although they name no part of the project. */
const OF_NUMBERS: readonly (string | number | undefined)[] = ['to', 'from', 'number'];

/**
 * The text that a field stores: a telephone number without its separators, in a field for parties or numbers. Undefined
 * for a party that is neither a number nor an address.
 */
export function storedText(language: Language, path: Path, typed: string): string | undefined {
  const kind = kindOfField(language, path);
  if (kind !== undefined) return writtenAnswer(kind, typed);
  const key = path.findLast((each) => typeof each === 'string');
  return (OF_NUMBERS.includes(key) ? typedNumber(typed) : undefined) ?? typed;
}
