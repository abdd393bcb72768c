/** Link to the next page of a list in reverse chronological order. The back button returns to this page. */

import { t } from '../../../shared/web/words/translate.ts';
import { useCommands } from './commands.ts';
import { Keys } from './keys.tsx';
import { location, navigate } from './router.ts';

export function Older({ path, next }: { path: string; next: string | undefined }) {
  useCommands(
    () =>
      next === undefined
        ? []
        : [{ title: t('Older ones'), keys: 'o', run: () => navigate(path, { ...location.value.query, cursor: next }) }],
    [next],
  );
  if (next === undefined) return null;
  return (
    <p>
      <button type="button" class="button" onClick={() => navigate(path, { ...location.value.query, cursor: next })}>
        {t('Older ones')} <Keys of="o" />
      </button>
    </p>
  );
}
