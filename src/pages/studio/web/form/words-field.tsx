/**
 * Field for words. Plain words are in a text field of the browser. Words with values, and a value that the author begins
 * with `$`, `{` or `@`, are in `chips-field.tsx`, which then takes the place, the cursor and the focus of the text field.
 */
import { signal, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { isPlaceholder } from '../../../../language/flow/placeholders.ts';
import { useLazyScreen } from '../shell/lazy-screen.ts';
import { callValues } from '../simulator/call-values.ts';
import type { ChipsFieldProps, ChipsField as LoadedField } from './chips-field.tsx';
import { useForm } from './context.ts';
import { declaredValues } from './declared-values.ts';
import { TypedProblem } from './typing.tsx';
import { type Typed, useTyped } from './use-typed.ts';
import { BEGINS_VALUE, valuesIn, writtenValue } from './words-pieces.ts';

/** Undefined until it is loaded, after the form. */
const chipsField = signal<typeof LoadedField | undefined>(undefined);
const loadChips = async () => (chipsField.value = (await import('./chips-field.tsx')).ChipsField);

interface WordsFieldProps {
  label: string;
  shown: string;
  placeholder: string;
  now(): string;
  accept(text: string): string | undefined;
  /** Receives a function that inserts a value at the cursor. */
  inserts: { current: ((expression: string) => void) | undefined };
}

export function WordsField({ label, shown, placeholder, now, accept, inserts }: WordsFieldProps) {
  const { edits, isLocked, draft, flow } = useForm();
  const typed = useTyped({ shown, now, accept });
  const area = useRef<HTMLTextAreaElement>(null);
  /** True from the first value until the field is left, also if its values are deleted. */
  const isInChips = useSignal(false);
  const began = useRef<ChipsFieldProps['began']>(undefined);
  useLazyScreen(chipsField.value === undefined ? loadChips : undefined);
  const ChipsField = chipsField.value;
  const hasChips = ChipsField !== undefined && (isInChips.value || valuesIn(typed.text).length > 0);
  const isReplacing = hasChips && area.current !== null && document.activeElement === area.current;
  if (isReplacing) began.current ??= { cursor: area.current!.selectionStart, typed: '' };
  const swaps = useRef(false);
  swaps.current = isReplacing;
  useLayoutEffect(() => {
    swaps.current = false;
    began.current = undefined;
  });
  const leave = (): void => {
    if (swaps.current) return;
    isInChips.value = false;
    typed.onLeave();
    edits.leave();
  };
  const describedBy = typed.problem === undefined ? undefined : `${label}-problem`;
  const scope = callValues.value?.flow === draft.name ? callValues.value.scope : undefined;
  /** The visit continues in the field that takes the place of this one. */
  const stays = (event: FocusEvent): void => {
    if (swaps.current) event.stopPropagation();
  };
  return (
    <span class="words-field" onFocusIn={stays} onFocusOut={stays}>
      {hasChips ? (
        <ChipsField
          key={String(isLocked)}
          {...{ label, placeholder, isLocked, describedBy, scope, inserts }}
          text={typed.text}
          isInvalid={typed.problem !== undefined}
          began={began.current}
          values={declaredValues(flow)}
          onText={typed.onInput}
          onEnter={() => (isInChips.value = true)}
          onLeave={leave}
          onEscape={() => bringBackOrLeave(typed)}
        />
      ) : (
        <textarea
          ref={(field) => {
            area.current = field;
            if (field !== null) inserts.current = (expression) => insertInto(field, writtenValue(expression));
          }}
          rows={1}
          aria-label={label}
          aria-invalid={typed.problem !== undefined}
          aria-describedby={describedBy}
          readOnly={isLocked}
          placeholder={placeholder}
          class={isPlaceholder(typed.text) ? 'placeholder' : undefined}
          value={typed.text}
          onInput={(event) => {
            const { value, selectionStart } = event.currentTarget;
            typed.onInput(value);
            const character = event.data ?? '';
            if (!BEGINS_VALUE.includes(character) || event.isComposing) return;
            began.current = { cursor: selectionStart, typed: character };
            isInChips.value = true;
          }}
          onBlur={leave}
          onKeyDown={(event) => {
            if (event.key === 'Escape') {
              event.preventDefault();
              event.stopPropagation();
              bringBackOrLeave(typed);
            } else if (isCharacter(event)) selectPlaceholder(event.currentTarget);
          }}
          onCompositionStart={({ currentTarget }) => selectPlaceholder(currentTarget)}
          onFocus={({ currentTarget }) => selectPlaceholder(currentTarget)}
          onClick={({ currentTarget }) => selectPlaceholder(currentTarget)}
        />
      )}
      <TypedProblem id={describedBy} problem={typed.problem} shown={shown} />
    </span>
  );
}

function bringBackOrLeave(typed: Typed): void {
  const focused = document.activeElement;
  if (!typed.bringBack() && focused instanceof HTMLElement) focused.blur();
}

const isCharacter = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  [...key].length === 1 && !ctrlKey && !metaKey && !altKey;

/** The first character replaces a placeholder as a whole. */
function selectPlaceholder(field: HTMLTextAreaElement): void {
  if (isPlaceholder(field.value)) field.select();
}

function insertInto(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
