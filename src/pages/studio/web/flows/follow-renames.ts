/** Saves the edited flow together with its tests and callers, which follow its renames, extractions and inlined flows. */
import { listText, t } from '../../../shared/web/words/translate.ts';
import { filesThatFollow } from '../renames/other-files.ts';
import { tell } from '../shell/messages.tsx';
import { loadLanguage } from '../text/load-language.ts';
import type { EditorDraft, Saved } from './flow-draft.ts';

/** Nothing is saved unless all files can be. Renames and extractions then stay for the next save. */
export async function saveWithOthers(draft: EditorDraft, isDraft: boolean): Promise<Saved> {
  const { name, renames, lastingRenames, extractions, inlinings, names } = draft;
  const steps = names.value.defined.flatMap((each) => (each.kind === 'step' ? each.name : []));
  const counts = [renames, extractions, inlinings].map((list) => list.length);
  const made = {
    renames: lastingRenames,
    extractions: extractions.filter((each) => steps.includes(each.made.call)),
    inlinings: inlinings.filter((each) => !steps.includes(each.made.call)),
  };
  const files = draft.isLocked ? [] : await filesThatFollow(name, made, (await loadLanguage()).verbs);
  const saved = await draft.save(
    isDraft,
    files.map(({ save }) => save),
  );
  if (saved !== 'saved') return saved;
  // Later ones, made during the save, belong to the next one.
  for (const [index, list] of [renames, extractions, inlinings].entries()) list.splice(0, counts[index]);
  if (files.length > 0) tell(t('Renamed in {files}, too', { files: listText(files.map(({ file }) => file)) }));
  return saved;
}
