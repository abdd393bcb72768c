/** Dialog for `F2` and `r`: renames a name everywhere in the flow, and says before in how many places and files. */
import { signal } from '@preact/signals';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { saidPlaces } from '../renames/other-files.ts';
import { isDefinedIn, type NameInFile, refusalOfRename, renameInFlow } from '../renames/renamed.ts';
import { announce } from '../shell/messages.tsx';
import type { EditorParts } from './editor-parts.ts';
import { refuse } from './make-edits.ts';

export function askForName({ draft, language, text, asked }: EditorParts, { name: from, ...name }: NameInFile): void {
  const { kind } = name;
  const { verbs } = language;
  const note = signal('');
  void saidPlaces(draft.text.peek(), draft.name, { ...name, from }, verbs).then((words) => (note.value = words));
  asked.value = {
    what: 'word',
    title: t('Rename {name} everywhere', { name: from }),
    label: t('New name'),
    value: from,
    note,
    action: t('Rename'),
    refuse: (to) => refusalOfRename((other) => isDefinedIn(draft.names.peek().words, other), { ...name, from, to }),
    take: (to) => {
      if (to === from) return;
      const edits = renameInFlow(draft.text.peek(), draft.name, { ...name, from, to }, verbs);
      if (isRefusal(edits)) {
        refuse(edits);
        return;
      }
      text.current?.change(edits, t('rename {name} to {to}', { name: from, to }));
      draft.renames.push({ ...name, from, to });
      if (kind === 'step' && name.within === undefined) draft.selected.value = to;
      announce(t('{from} is now {to}', { from, to }));
    },
  };
}
