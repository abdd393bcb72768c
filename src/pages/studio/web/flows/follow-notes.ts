/** Notes of a flow for the graph: the comment at its head, those above steps, and those at the line ends of routes. */
import { computed, type ReadonlySignal } from '@preact/signals';
import { type GraphLanguage, graphOf } from '../../../../language/flow/graph.ts';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { type FlowSource, openText, valueAt } from '../../../../language/flow/text/flow-source.ts';
import { headNoteOf } from '../../../../language/flow/text/head-note.ts';
import { lineNoteOf } from '../../../../language/flow/text/line-notes.ts';
import { notesOf } from '../../../../language/flow/text/notes.ts';
import { exitId } from '../graph/drawing.ts';
import { NOTE_OF_FLOW } from '../graph/note-corner.tsx';
import { type ExitRef, wayPath } from '../text/edit.ts';
import type { EditorDraft } from './flow-draft.ts';

/**
 * Notes in the last text without errors, by the names of steps and the ids of exits; that of the flow as `NOTE_OF_FLOW`.
 */
export function followNotes(
  { text }: Pick<EditorDraft, 'text'>,
  verbs: GraphLanguage,
): ReadonlySignal<ReadonlyMap<string, string>> {
  let last: ReadonlyMap<string, string> = new Map();
  return computed(() => {
    const source = openText(text.value);
    if (isRefusal(source)) return last;
    const notes = notesIn(source, verbs);
    const isSame = notes.size === last.size && [...notes].every(([id, note]) => last.get(id) === note);
    // The same notes keep their map, because each card reads it.
    if (!isSame) last = notes;
    return last;
  });
}

function notesIn(source: FlowSource, verbs: GraphLanguage): Map<string, string> {
  const notes = notesOf(source);
  const head = headNoteOf(source);
  if (head !== undefined && head.trim() !== '') notes.set(NOTE_OF_FLOW, head);
  const remarked = Object.fromEntries(
    [...stepsWithRemarks(source)].map((step) => [step, valueAt(source.value, ['steps', step]) ?? null]),
  );
  if (Object.keys(remarked).length === 0) return notes;
  for (const { name, exits } of graphOf({ ...source.value, steps: remarked }, { verbs }).steps) {
    for (const { outcome, own } of exits) {
      const note = own ? routeNote(source, { step: name, outcome }, verbs) : undefined;
      if (note !== undefined && note !== '') notes.set(exitId(name, outcome), note);
    }
  }
  return notes;
}

/** Comment at the end of a line that has other content. Quoted text can match, too. */
const REMARK = /^[ \t]*[^#\s].*[ \t]#/;

/** Steps with a comment at the end of a line. Only these are looked through, because most steps have none. */
function stepsWithRemarks({ text, lines }: FlowSource): Set<string> {
  const found = new Set<string>();
  if (!/\S[ \t]+#/.test(text)) return found;
  const stepAt = new Map([...lines].map(([step, line]) => [line, step]));
  let step: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    step = stepAt.get(index + 1) ?? step;
    if (step !== undefined && REMARK.test(line)) found.add(step);
  }
  return found;
}

/** Note of a route: the comment at the end of its line. Undefined if there is none. */
export function routeNote(source: FlowSource, route: ExitRef, verbs: GraphLanguage): string | undefined {
  const path = wayPath(source.value, route, verbs);
  return path && lineNoteOf(source, path);
}
