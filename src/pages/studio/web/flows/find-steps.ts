/** Search entries of the command palette (Ctrl K): the steps of the open flow, also those that are not saved. */
import { t } from '../../../shared/web/words/translate.ts';
import { addSource, type PaletteItem } from '../shell/palette.tsx';
import type { EditorDraft } from './flow-draft.ts';

export const findSteps = (draft: EditorDraft): (() => void) =>
  addSource(() =>
    draft.graph.steps.map(
      ({ name }): PaletteItem => ({
        title: name,
        kind: t('Steps of this flow'),
        run: () => {
          draft.selected.value = name;
        },
      }),
    ),
  );
