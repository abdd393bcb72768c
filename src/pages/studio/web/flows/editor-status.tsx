/** Status line of the flow editor. */

import { t } from '../../../shared/web/words/translate.ts';
import { isOffline } from '../api.ts';
import type { EditorDraft } from './flow-draft.ts';

export function Status({ draft, errors, warnings }: { draft: EditorDraft; errors: number; warnings: number }) {
  const { steps } = draft.graph;
  const counts = [
    errors > 0 && t('{count, plural, one {# error} other {# errors}}', { count: errors }),
    warnings > 0 && t('{count, plural, one {# warning} other {# warnings}}', { count: warnings }),
  ].filter(Boolean);
  return (
    <>
      <span class={isOffline.value ? '' : errors > 0 ? 'bad' : warnings > 0 ? '' : 'good'} role="status">
        {isOffline.value ? t('not connected, not checked') : counts.length > 0 ? counts.join(', ') : t('✓ no problems')}
      </span>
      <span class="wide-only">
        {t('{steps, plural, one {# step} other {# steps}}, {exits, plural, one {# exit} other {# exits}}', {
          steps: steps.length,
          exits: steps.reduce((sum, { exits }) => sum + exits.length, 0),
        })}
      </span>
      <span class="checked">
        {draft.isChecking.value
          ? t('checking')
          : draft.checkedMs.value === undefined
            ? ''
            : t('checked in {ms} ms', { ms: draft.checkedMs.value })}
      </span>
    </>
  );
}
