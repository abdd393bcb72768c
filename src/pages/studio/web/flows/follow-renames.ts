/** Changes the tests and callers of a flow after a save, as the flow itself was changed. */
import { listText, t } from '../../../shared/web/words/translate.ts';
import { followInFiles } from '../renames/other-files.ts';
import { tell } from '../shell/messages.tsx';
import { loadLanguage } from '../text/load-language.ts';
import type { EditorDraft } from './flow-draft.ts';

/** Renames and extractions stay for the next save if a file cannot be changed. */
export async function followRenames({ name, renames, lastingRenames, extractions, names }: EditorDraft): Promise<void> {
  const steps = names.value.defined.flatMap((each) => (each.kind === 'step' ? each.name : []));
  const made = {
    renames: lastingRenames,
    extractions: extractions.splice(0).filter(({ made }) => steps.includes(made.call)),
  };
  renames.splice(0);
  try {
    const changed = await followInFiles(name, made, (await loadLanguage()).verbs);
    if (changed.length > 0) tell(t('Renamed in {files}, too', { files: listText(changed) }));
  } catch (error) {
    renames.unshift(...made.renames);
    extractions.unshift(...made.extractions);
    throw error;
  }
}
