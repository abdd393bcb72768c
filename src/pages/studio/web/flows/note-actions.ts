/** Acts that change notes: the comment at the head of the flow, those above steps, and those at the line ends of routes. */
import { type Edits, isRefusal } from '../../../../language/flow/text/edits.ts';
import { type FlowSource, openText } from '../../../../language/flow/text/flow-source.ts';
import { headNoteOf, setHeadNote } from '../../../../language/flow/text/head-note.ts';
import { setLineNote } from '../../../../language/flow/text/line-notes.ts';
import { noteOf, setNote } from '../../../../language/flow/text/notes.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { type ExitRef, wayPath } from '../text/edit.ts';
import type { EditorParts } from './editor-parts.ts';
import { routeNote } from './follow-notes.ts';
import { editsOf, refuse } from './make-edits.ts';

interface AskedNote {
  title: string;
  read(source: FlowSource): string | undefined;
  write(source: FlowSource, note: string): Edits;
  /** Titles for undo, and for the user. */
  change: string;
  said: string;
}

/** Asks for a note. An empty one is removed. */
function ask(parts: EditorParts, { title, read, write, change, said }: AskedNote): void {
  const { draft, asked } = parts;
  const source = openText(draft.text.peek());
  if (isRefusal(source)) {
    refuse(source);
    return;
  }
  asked.value = {
    what: 'texts',
    title,
    fields: [{ label: t('Note'), value: read(source) ?? '' }],
    action: t('Write'),
    mayBeEmpty: true,
    take: ([note]) => {
      const now = openText(draft.text.peek());
      editsOf(parts)(isRefusal(now) ? now : write(now, note!), { title: change, said });
    },
  };
}

export const askForNote = (parts: EditorParts, step: string): void =>
  ask(parts, {
    title: t('Note at {step}', { step }),
    read: (source) => noteOf(source, step),
    write: (source, note) => setNote(source, step, note),
    change: t('change note of {step}', { step }),
    said: t('The note of {step} is changed', { step }),
  });

export const askForFlowNote = (parts: EditorParts): void =>
  ask(parts, {
    title: t('Note of the flow'),
    read: headNoteOf,
    write: setHeadNote,
    change: t('change note of the flow'),
    said: t('The note of the flow is changed'),
  });

export function askForWayNote(parts: EditorParts, way: ExitRef): void {
  const { verbs } = parts.language;
  const { step, outcome } = way;
  ask(parts, {
    title: t('Note at {step}: {outcome}', { step, outcome }),
    read: (source) => routeNote(source, way, verbs),
    write(source, note) {
      const path = wayPath(source.value, way, verbs);
      if (path !== undefined) return setLineNote(source, path, note);
      return {
        refused: t('{step} has no exit {outcome} of its own', { step, outcome }),
        hint: t('lead it to another step'),
      };
    },
    change: t('change note of {step}: {outcome}', { step, outcome }),
    said: t('The note of {step}: {outcome} is changed', { step, outcome }),
  });
}
