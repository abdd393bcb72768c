/**
 * Comments on a flow beside its graph: talk about the flow, a step or a field. They are not part of the flow; a note is,
 * and a comment can become one.
 */
import './comments.css';
import { type Signal, useComputed, useSignal } from '@preact/signals';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { CONTROLS } from '../shell/commands.ts';
import { tellError } from '../shell/messages.tsx';
import { Pane } from '../shell/page.tsx';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import { deleteComment, type FlowComment, setCommentDone } from './comment-api.ts';
import { CommentEntry } from './comment-entry.tsx';
import { comments, readComments } from './comment-store.ts';
import { NewComment } from './new-comment.tsx';

interface CommentsPaneProps {
  name: string;
  graph: FlowGraph;
  selected: Signal<string | undefined>;
  /** Writes a text as the note of a step. Returns false if the step cannot have one. Absent for a locked flow. */
  makeNote?(step: string, text: string): boolean;
  /** Present name of a step, which can be renamed in the unsaved text. */
  stepNow(step: string): string;
}

export function CommentsPane({ name, graph, selected, makeNote, stepNow }: CommentsPaneProps) {
  const isDoneShown = useSignal(false);
  const shown = useComputed(() => comments.value.filter(({ done }) => isDoneShown.value || done === undefined));
  const doneCount = comments.value.filter(({ done }) => done !== undefined).length;
  const steps = new Set(graph.steps.map((step) => step.name));
  const change = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      tellError(error);
    }
    await readComments(name).catch(() => undefined);
  };
  const setDone = (comment: FlowComment, isDone: boolean): void =>
    void change(() => setCommentDone(name, comment.comment_id, isDone));
  return (
    <Pane label={t('Comments')} class="comments">
      <header class="comments-head">
        <h2>{t('Comments')}</h2>
        {doneCount > 0 && (
          <label>
            <input
              type="checkbox"
              checked={isDoneShown.value}
              onChange={(event) => {
                isDoneShown.value = event.currentTarget.checked;
              }}
            />
            {t('Show done ({count})', { count: doneCount })}
          </label>
        )}
      </header>
      <WriteAccessOnly>
        <NewComment flow={name} step={selected.value} graph={graph} />
      </WriteAccessOnly>
      {shown.value.length === 0 && (
        <p class="empty">{t('No open comments. They are not part of the flow or its versions.')}</p>
      )}
      <ul class="comment-list">
        {shown.value.map((comment) => {
          const step = comment.step === undefined ? undefined : stepNow(comment.step);
          const isThere = step !== undefined && steps.has(step);
          return (
            <CommentEntry
              key={comment.comment_id}
              comment={comment}
              step={isThere ? step : undefined}
              graph={graph}
              isSelected={isThere && step === selected.value}
              goTo={(wanted) => {
                selected.value = wanted;
                focusField(comment.field);
              }}
              setDone={(isDone) => setDone(comment, isDone)}
              remove={() => void change(() => deleteComment(name, comment.comment_id))}
              {...(isThere &&
                makeNote && {
                  makeNote() {
                    if (makeNote(step, comment.text)) setDone(comment, true);
                  },
                })}
            />
          );
        })}
      </ul>
    </Pane>
  );
}

/** Focuses a field after the form has changed to its step. */
function focusField(path: string | undefined): void {
  if (path === undefined) return;
  setTimeout(() => {
    const field = document.querySelector(`.form [data-field="${CSS.escape(path)}"]`);
    field?.querySelector<HTMLElement>(CONTROLS)?.focus();
  });
}
