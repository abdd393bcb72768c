/** Two paths as aligned lists of steps, for screen readers, with a link to each card. */
import type { Signal } from '@preact/signals';
import type { Aligned } from '../journal/align.ts';
import type { WordsOfWays } from './two-paths.ts';

interface TwoPathsProps {
  label: string;
  aligned: readonly Aligned[];
  /** Names of the steps. */
  before: readonly string[];
  now: readonly string[];
  words: WordsOfWays;
  selected: Signal<string | undefined>;
}

const CLASSES = { both: '', before: 'gone', now: 'new' } as const;

export function TwoPaths({ label, aligned, before, now, words, selected }: TwoPathsProps) {
  return (
    <ol class="two-paths" aria-label={label}>
      {aligned.map((at) => {
        const name = at.of === 'before' ? before[at.before]! : now[at.now]!;
        const said = at.of === 'before' ? words.removed : at.of === 'now' ? words.added : '';
        return (
          <li key={`${at.of} ${'before' in at ? at.before : at.now}`} class={CLASSES[at.of]}>
            <button
              type="button"
              class="went"
              onClick={() => {
                selected.value = name;
              }}
            >
              <code>{name}</code> {said !== '' && <small>{said}</small>}
            </button>
          </li>
        );
      })}
    </ol>
  );
}
