/**
 * Notes in the picture: the yellow corner of a card whose step has one, the words at a route, and the note of the flow. The
 * whole note is shown on hover, with the focus, and near by.
 */
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';
import { Icon } from '../icons.tsx';
import { Markdown } from './markdown.tsx';

/** Notes by the names of steps and the ids of exits. */
export type Notes = ReadonlySignal<ReadonlyMap<string, string>>;

/** Id of the note of the flow. */
export const NOTE_OF_FLOW = '';

/** Note of a step or an exit. The card is rendered again only if its own note changes. */
export const useNote = (id: string, notes: Notes | undefined): string | undefined =>
  useComputed(() => notes?.value.get(id)).value;

export function NoteCorner({ note }: { note: string | undefined }) {
  if (note === undefined) return null;
  return (
    <>
      <i class="note-corner" />
      <div class="note-text">
        <Markdown text={note} />
      </div>
    </>
  );
}

/** Note of a route beside its label. A press edits it. */
export function WayNote({ id, outcome, notes }: { id: string; outcome: string; notes: Notes | undefined }) {
  const note = useNote(id, notes);
  return note === undefined ? null : (
    <span class="way-note" title={note} data-note={outcome}>
      {note}
    </span>
  );
}

/** A longer note is folded to one line. */
const SHORT = 44;
/** Height above the drawing for the folded note, in px. */
export const ROOM_OF_NOTE = 44;

interface FlowNoteProps {
  notes: Notes | undefined;
  /** Edits the note. Absent if it cannot be edited. */
  edit: (() => void) | undefined;
}

/** Note of the flow, at the top of the picture. */
export function FlowNote({ notes, edit }: FlowNoteProps) {
  const note = useNote(NOTE_OF_FLOW, notes);
  const isOpen = useSignal(false);
  if (note === undefined) return null;
  const isLong = note.length > SHORT || note.includes('\n');
  return (
    <section class={`flow-note${isOpen.value ? '' : ' folded'}`} aria-label={t('Note of the flow')}>
      <div class="flow-note-text">
        <Markdown text={note} />
      </div>
      <div class="flow-note-acts">
        {isLong && (
          <button type="button" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
            {isOpen.value ? t('Less') : t('More')}
          </button>
        )}
        {edit && (
          <button
            type="button"
            aria-label={t('Change the note of the flow')}
            title={t('Change the note of the flow')}
            onClick={edit}
          >
            <Icon name="edit" size={13} />
          </button>
        )}
      </div>
    </section>
  );
}
