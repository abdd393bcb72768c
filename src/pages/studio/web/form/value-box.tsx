/** Box at the chip of a value: its expression, and below it the values that the flow declares. */
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { JsonObject } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { rankOf } from '../shell/rank.ts';
import { type DeclaredValue, valueInCall } from './declared-values.ts';
import { readCondition } from './values.ts';
import { nameOfValue } from './words-pieces.ts';

interface ValueBoxProps {
  chip: Element;
  expression: string;
  values: readonly DeclaredValue[];
  /** Values of the simulated call. */
  scope: JsonObject | undefined;
  take(expression: string): void;
  close(): void;
}

const GAP = 6;
const MARGIN = 8;

export function ValueBox({ chip, expression, values, scope, take, close }: ValueBoxProps) {
  const box = useRef<HTMLDialogElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const typed = useSignal(expression);
  const problem = useSignal<string | undefined>(undefined);
  /** Index of the marked value; -1 for none. */
  const marked = useSignal(-1);
  const found = matching(values, typed.value === expression ? '' : typed.value);
  useLayoutEffect(() => {
    box.current?.showModal();
    field.current?.select();
    placeAt(box.current!, chip);
  }, []);
  useEffect(() => list.current?.children[marked.value]?.scrollIntoView({ block: 'nearest' }), [marked.value]);
  const takeAndClose = (value: string): void => {
    take(value);
    box.current?.close();
  };
  const takeTyped = (): void => {
    const read = readCondition(typed.value);
    problem.value = read.problem ?? (read.value === undefined ? t('An expression is needed') : undefined);
    if (problem.value === undefined) takeAndClose(typed.value.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.isComposing || (by === undefined && event.key !== 'Enter')) return;
    event.preventDefault();
    if (by !== undefined) marked.value = Math.max(-1, Math.min(found.length - 1, marked.value + by));
    else if (found[marked.value] === undefined) takeTyped();
    else takeAndClose(found[marked.value]!.expression);
  };
  return (
    <dialog
      ref={box}
      class="value-box"
      aria-label={t('Value of {name}', { name: nameOfValue(expression) })}
      onClose={close}
      onKeyDown={(event) => event.stopPropagation()}
      closedby="any"
    >
      <input
        ref={field}
        type="text"
        role="combobox"
        class="mono"
        dir="ltr"
        aria-label={t('Variable or expression')}
        aria-expanded="true"
        aria-autocomplete="list"
        aria-controls="value-box-list"
        aria-activedescendant={marked.value < 0 ? undefined : `value-box-${marked.value}`}
        aria-invalid={problem.value !== undefined}
        aria-describedby={problem.value === undefined ? undefined : 'value-box-problem'}
        autocomplete="off"
        spellcheck={false}
        value={typed.value}
        onInput={({ currentTarget }) => {
          typed.value = currentTarget.value;
          problem.value = undefined;
          marked.value = -1;
        }}
        onKeyDown={onKeyDown}
      />
      {problem.value !== undefined && (
        <small class="field-problem" role="alert" id="value-box-problem">
          {problem.value}
        </small>
      )}
      <div role="listbox" id="value-box-list" aria-label={t('Variables')} ref={list}>
        {found.map(({ expression: each, type }, index) => (
          <div
            key={each}
            role="option"
            id={`value-box-${index}`}
            tabIndex={-1}
            aria-selected={index === marked.value}
            title={each}
            onPointerMove={() => (marked.value = index)}
            onClick={() => takeAndClose(each)}
          >
            <span class="value-chip">{nameOfValue(each)}</span>
            <span class="value-now">{valueInCall(scope, each)}</span>
            {type !== '' && <small>{type}</small>}
          </div>
        ))}
      </div>
    </dialog>
  );
}

/** The best matches first. */
const matching = (values: readonly DeclaredValue[], query: string): readonly DeclaredValue[] =>
  values
    .map((value) => ({ value, rank: rankOf(value.expression, query) }))
    .filter(({ rank }) => Number.isFinite(rank))
    .sort((one, other) => one.rank - other.rank)
    .map(({ value }) => value);

/** Below the chip, else above it, and wholly in view. */
function placeAt(box: HTMLElement, chip: Element): void {
  const at = chip.getBoundingClientRect();
  const { width, height } = box.getBoundingClientRect();
  const below = at.bottom + GAP;
  const top = below + height + MARGIN <= innerHeight ? below : Math.max(MARGIN, at.top - GAP - height);
  box.style.setProperty('left', `${Math.max(MARGIN, Math.min(at.left, innerWidth - width - MARGIN))}px`);
  box.style.setProperty('top', `${top}px`);
}
