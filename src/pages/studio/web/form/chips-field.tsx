/** Field for words with values, which are chips in it (`chips-editor.ts`), and the box of a value. */
import './chips.css';
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { JsonObject } from '../../../../base/core/json.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { type ChipsEditor, type ChipsEditorOptions, openChipsEditor } from '../text/chips-editor.ts';
import type { Proposals } from '../text/editor-proposals.ts';
import type { ValuePiece } from '../text/value-chips.ts';
import { type DeclaredValue, valueInCall } from './declared-values.ts';
import { ValueBox } from './value-box.tsx';
import { begunValue, nameOfValue, valuesIn, writtenValue } from './words-pieces.ts';

export interface ChipsFieldProps
  extends Pick<ChipsEditorOptions, 'text' | 'isLocked' | 'placeholder' | 'began' | 'onText' | 'onEnter' | 'onLeave'> {
  label: string;
  isInvalid: boolean;
  describedBy: string | undefined;
  values: readonly DeclaredValue[];
  /** Values of the simulated call. */
  scope: JsonObject | undefined;
  onEscape(): void;
  /** Receives a function that inserts a value at the cursor. */
  inserts: { current: ((expression: string) => void) | undefined };
}

export function ChipsField(props: ChipsFieldProps) {
  const { text, isInvalid, describedBy, scope, inserts } = props;
  const box = useRef<HTMLSpanElement>(null);
  const editor = useRef<ChipsEditor | undefined>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const opened = useSignal<{ piece: ValuePiece; chip: Element } | undefined>(undefined);
  useLayoutEffect(() => {
    const { isLocked, placeholder, began } = props;
    const made = openChipsEditor(box.current!, {
      ...{ text, isLocked, placeholder, began, valuesIn },
      wordsOf: (expression) => ({
        name: nameOfValue(expression),
        now: valueInCall(latest.current.scope, expression),
      }),
      attributes: () => attributesOf(latest.current),
      propose: (before, after) => proposalsAt(before, after, latest.current),
      open: (piece, chip) => (opened.value = { piece, chip }),
      onText: (words) => latest.current.onText(words),
      onEnter: () => latest.current.onEnter(),
      onLeave: () => latest.current.onLeave(),
      onEscape: () => latest.current.onEscape(),
    });
    editor.current = made;
    inserts.current = (expression) => {
      made.focus();
      made.replace(writtenValue(expression));
    };
    return () => {
      inserts.current = undefined;
      made.destroy();
    };
  }, []);
  useLayoutEffect(() => editor.current?.show(text), [text, scope, isInvalid, describedBy]);
  const piece = opened.value?.piece;
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the field is inside of it */}
      <span
        class="chips-field"
        ref={box}
        onKeyDown={(event) => {
          // Escape in the field is not for the pane around it.
          if (event.key === 'Escape') event.stopPropagation();
        }}
      />
      {piece !== undefined && (
        <ValueBox
          chip={opened.value!.chip}
          expression={piece.expression}
          values={props.values}
          scope={scope}
          take={(expression) => {
            if (expression !== piece.expression) editor.current?.replace(writtenValue(expression), piece);
          }}
          close={() => {
            opened.value = undefined;
            editor.current?.focus();
          }}
        />
      )}
    </>
  );
}

const attributesOf = ({ label, isInvalid, describedBy, isLocked }: ChipsFieldProps): Record<string, string> => ({
  'aria-label': label,
  'aria-invalid': String(isInvalid),
  ...(describedBy !== undefined && { 'aria-describedby': describedBy }),
  ...(isLocked ? { 'aria-readonly': 'true' } : { 'aria-description': t('Enter opens the value at the cursor') }),
  spellcheck: 'true',
  autocorrect: 'on',
  autocapitalize: 'sentences',
});

function proposalsAt(before: string, after: string, { values, scope }: ChipsFieldProps): Proposals | undefined {
  const begun = begunValue(before, after);
  if (begun === undefined) return undefined;
  const { insertOf, ...place } = begun;
  return {
    ...place,
    options: values.map(({ expression, type }) => ({
      ...{ label: expression, kind: 'variable', insert: insertOf(expression) },
      detail: [type, valueInCall(scope, expression)].filter((words) => words !== '').join(' · '),
    })),
  };
}
