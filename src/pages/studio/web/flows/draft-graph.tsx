/** The graph of the flow in the editor, and its last valid one while the text has errors. */
import { useMemo } from 'preact/hooks';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import type { Language } from '../../../../language/flow/text/language.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { FlowCanvas } from '../graph/canvas.tsx';
import type { EditCallbacks, UndoActions } from '../graph/edit-callbacks.ts';
import type { NewStep } from '../graph/new-step.ts';
import type { Overlays } from '../graph/overlays.ts';
import { goToFlow } from '../shell/router.ts';
import { coveredWidth } from './column.ts';
import type { EditorDraft } from './flow-draft.ts';
import { followNotes } from './follow-notes.ts';
import { findInFlow } from './step-finder.ts';

interface DraftGraphProps {
  draft: EditorDraft;
  language: Language;
  overlays: Overlays;
  edits: UndoActions | undefined;
  actions: EditCallbacks;
  flows(name: string): FlowGraph | undefined;
  newStep: NewStep;
}

/** A component of its own: a key in the text renders it, and not the editor. */
export function DraftGraph({ draft, language, overlays, edits, actions, flows, newStep }: DraftGraphProps) {
  const { graph, isCurrent } = draft.typed.value;
  const notes = useMemo(() => followNotes(draft, language.verbs), [draft]);
  const find = useMemo(
    () => (query: string) =>
      findInFlow(query, {
        ...{ text: draft.text.peek(), graph, language, notes: notes.peek() },
        problems: overlays.problems ?? new Map(),
      }),
    [graph, overlays.problems],
  );
  return (
    <>
      <FlowCanvas
        graph={graph}
        selected={draft.selected}
        several={draft.several}
        notes={notes}
        find={find}
        overlays={overlays}
        flows={flows}
        text={() => draft.text.peek()}
        edits={edits}
        covered={coveredWidth(draft.selected.value)}
        onOpenFlow={goToFlow}
        newStep={newStep}
        {...actions}
      />
      {!isCurrent && <p class="stale">{t('The YAML is invalid. The graph shows the last valid version.')}</p>}
    </>
  );
}
