/** Two texts side by side with their differences. Equal parts are folded and open on a click. */
import './both-texts.css';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { compareTexts, type DiffRow } from './compare-texts.ts';

interface Side {
  text: string;
  /** Label for screen readers. */
  label: string;
}

/** Lines of context around a difference. */
const AROUND = 3;
/** Minimum number of lines for a fold. */
const FEWEST = 6;

export function BothTexts({ left, right }: { left: Side; right: Side }) {
  const rows = useMemo(() => compareTexts(left.text, right.text), [left.text, right.text]);
  const opened = useSignal<ReadonlySet<number>>(new Set());
  const open = (first: number) => () => {
    opened.value = new Set(opened.value).add(first);
  };
  return (
    <div
      class="both"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys have to.
      tabIndex={0}
      role="region"
      aria-label={t('{left}, beside: {right}', { left: left.label, right: right.label })}
    >
      <table>
        <colgroup>
          <col class="numbers" />
          <col />
          <col class="numbers" />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th scope="col" colSpan={2}>
              {left.label}
            </th>
            <th scope="col" colSpan={2}>
              {right.label}
            </th>
          </tr>
        </thead>
        <tbody>
          {stretchesOf(rows).map(({ first, shown, isSame }) =>
            isSame && !opened.value.has(first) ? (
              <tr key={first} class="same-lines">
                <td colSpan={4}>
                  <button type="button" onClick={open(first)}>
                    {t('⋯ {count, plural, one {# line is} other {# lines are}} the same', { count: shown.length })}
                  </button>
                </td>
              </tr>
            ) : (
              shown.map((row, index) => <Line key={first + index} row={row} />)
            ),
          )}
        </tbody>
      </table>
    </div>
  );
}

function Line({ row: { before, now } }: { row: DiffRow }) {
  return (
    <tr>
      <td class="number">{before?.number}</td>
      <td class={before?.changed ? 'went' : ''}>{before && <Words {...before} kind="del" />}</td>
      <td class="number">{now?.number}</td>
      <td class={now?.changed ? 'came' : ''}>{now && <Words {...now} kind="ins" />}</td>
    </tr>
  );
}

/** Marks the changed words in a line that is only partly different. */
function Words({
  text,
  changed,
  kind: Kind,
}: {
  text: string;
  changed?: readonly [number, number];
  kind: 'del' | 'ins';
}) {
  const [from, to] = changed ?? [0, 0];
  const marked: ComponentChildren = to > from && <Kind>{text.slice(from, to)}</Kind>;
  return (
    <>
      {text.slice(0, from)}
      {marked}
      {text.slice(to)}
    </>
  );
}

interface Stretch {
  /** Index of the first row. */
  first: number;
  shown: readonly DiffRow[];
  isSame: boolean;
}

function stretchesOf(rows: readonly DiffRow[]): Stretch[] {
  const isNear = rows.map(() => false);
  for (const [index, { before, now }] of rows.entries()) {
    if (before?.changed || now?.changed) isNear.fill(true, Math.max(0, index - AROUND), index + AROUND + 1);
  }
  const found: Stretch[] = [];
  for (let first = 0; first < rows.length; ) {
    const end = isNear.indexOf(!isNear[first], first);
    const shown = rows.slice(first, end < 0 ? rows.length : end);
    found.push({ first, shown, isSame: !isNear[first] && shown.length >= FEWEST });
    first += shown.length;
  }
  return found;
}
