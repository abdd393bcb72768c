/** The lines of the step in the file. The part that the last edit has changed is marked. */
import { useRef } from 'preact/hooks';
import { rangeOfStep } from '../../../../language/flow/text/names.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { Keys } from '../shell/keys.tsx';
import { useForm } from './context.ts';
import { Fold } from './fold.tsx';

export function YamlOfStep({ step, goToText }: { step: string; goToText(step: string): void }) {
  const { draft } = useForm();
  const range = rangeOfStep(draft.names.value, step);
  const lines = range === undefined ? '' : dedented(draft.text.value, range);
  const before = useRef({ step, lines });
  const [from, to] = before.current.step === step ? changedPart(before.current.lines, lines) : [0, 0];
  before.current = { step, lines };
  const count = lines === '' ? 0 : lines.split('\n').length;
  return (
    <Fold
      name="yaml"
      title={t('YAML of this step')}
      said={t('{count, plural, one {# line} other {# lines}}', { count })}
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
      <pre class="yaml-of-step" tabIndex={0}>
        {lines.slice(0, from)}
        {to > from && <mark>{lines.slice(from, to)}</mark>}
        {lines.slice(to)}
      </pre>
      <button type="button" class="link" onClick={() => goToText(step)}>
        {t('Go there')} <Keys of="F12" />
      </button>
    </Fold>
  );
}

/** Lines of a range without the indentation of the first. */
function dedented(text: string, { from, to }: { from: number; to: number }): string {
  const start = text.lastIndexOf('\n', from - 1) + 1;
  const end = text.indexOf('\n', to);
  const column = from - start;
  return text
    .slice(from, end < 0 ? text.length : end)
    .split('\n')
    .map((line, index) => (index === 0 ? line : line.slice(Math.min(column, /^ */.exec(line)![0].length))))
    .join('\n')
    .trimEnd();
}

/** Part of the new text that the old one has not. */
function changedPart(before: string, now: string): [from: number, to: number] {
  if (before === now) return [0, 0];
  let from = 0;
  while (from < before.length && before[from] === now[from]) from += 1;
  let end = 0;
  while (end < Math.min(before.length, now.length) - from && before.at(-1 - end) === now.at(-1 - end)) end += 1;
  return [from, now.length - end];
}
