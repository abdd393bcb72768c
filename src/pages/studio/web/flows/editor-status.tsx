/** Status line of the flow editor. */
import { isOffline } from '../api.ts';
import type { EditorDraft } from './flow-draft.ts';

export function Status({ draft, errors, warnings }: { draft: EditorDraft; errors: number; warnings: number }) {
  const { steps } = draft.graph;
  const counts = [errors > 0 && plural(errors, 'error'), warnings > 0 && plural(warnings, 'warning')].filter(Boolean);
  return (
    <>
      <span class={isOffline.value ? '' : errors > 0 ? 'bad' : warnings > 0 ? '' : 'good'} role="status">
        {isOffline.value ? 'not connected, not checked' : counts.length > 0 ? counts.join(', ') : '✓ no problems'}
      </span>
      <span class="wide-only">
        {plural(steps.length, 'step')},{' '}
        {plural(
          steps.reduce((sum, { exits }) => sum + exits.length, 0),
          'exit',
        )}
      </span>
      <span class="checked">
        {draft.isChecking.value
          ? 'checking'
          : draft.checkedMs.value === undefined
            ? ''
            : `checked in ${draft.checkedMs.value} ms`}
      </span>
    </>
  );
}

const plural = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
