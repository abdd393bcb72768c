/** A comment with its author, place and actions. */
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { shortMomentOf } from '../call-rows/call-times.ts';
import { ownName, people } from '../people/people-store.ts';
import { PersonRing } from '../person-ring/person-ring.tsx';
import { WriteAccessOnly } from '../shell/write-access-only.tsx';
import type { FlowComment } from './comment-api.ts';
import { comments, partsOfText } from './comment-store.ts';
import { labelOfField } from './field-label.ts';

interface CommentEntryProps {
  comment: FlowComment;
  /** Present name of its step. Undefined if the comment is about the flow, or the step is gone. */
  step: string | undefined;
  graph: FlowGraph;
  isSelected: boolean;
  goTo(step: string): void;
  setDone(isDone: boolean): void;
  remove(): void;
  /** Writes the text as the comment of the step in the YAML. Absent if there is no step, or it cannot be changed. */
  makeNote?(): void;
}

export function CommentEntry(props: CommentEntryProps) {
  const { comment, step, graph, isSelected, goTo, setDone, remove, makeNote } = props;
  const { who, at, text, field, done } = comment;
  const place = field === undefined ? step : `${step} · ${labelOfField(graph, step, field)}`;
  return (
    <li class={`comment${done ? ' done' : ''}`} aria-current={isSelected} aria-label={t('Comment of {who}', { who })}>
      <header>
        <PersonRing who={who} />
        <b>{who}</b>
        <time dateTime={at}>{shortMomentOf(Date.parse(at))}</time>
      </header>
      {step !== undefined && (
        <button type="button" class="link" title={t('Show it in the graph')} onClick={() => goTo(step)}>
          {place}
        </button>
      )}
      {step === undefined && comment.step !== undefined && (
        <small>{t('was at {step}, which is gone', { step: comment.step })}</small>
      )}
      <p>
        {partsOfText(text, knownNames()).map((part, index) =>
          part.isMention ? <mark key={index}>{part.text}</mark> : part.text,
        )}
      </p>
      {done !== undefined && (
        <small>{t('Done by {who}, {time}', { who: done.who, time: shortMomentOf(Date.parse(done.at)) })}</small>
      )}
      <WriteAccessOnly>
        <footer>
          <button type="button" class="button quiet" onClick={() => setDone(done === undefined)}>
            {done === undefined ? t('Done') : t('Reopen')}
          </button>
          {makeNote !== undefined && done === undefined && (
            <button
              type="button"
              class="button quiet"
              title={t('Write it into the flow, as the note of the step')}
              onClick={makeNote}
            >
              {t('Turn into note')}
            </button>
          )}
          {who === ownName() && (
            <button type="button" class="button quiet danger" onClick={remove}>
              {t('Delete')}
            </button>
          )}
        </footer>
      </WriteAccessOnly>
    </li>
  );
}

/** People who are in the studio, or who have commented. */
export const knownNames = (): string[] => [...new Set([...people.value, ...comments.value].map(({ who }) => who))];
