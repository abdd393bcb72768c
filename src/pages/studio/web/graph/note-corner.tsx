/** Yellow corner of a card whose step has a note. The whole note is shown on hover, with the focus, and near by. */
import { type ReadonlySignal, useComputed } from '@preact/signals';
import { Markdown } from './markdown.tsx';

export type Notes = ReadonlySignal<ReadonlyMap<string, string>>;

/** Note of a step. The card is rendered again only if its own note changes. */
export const useNote = (step: string, notes: Notes | undefined): string | undefined =>
  useComputed(() => notes?.value.get(step)).value;

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
