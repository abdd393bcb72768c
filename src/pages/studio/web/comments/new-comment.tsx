/** Field for a new comment on the flow, the selected step, or the field of it that had the focus last. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { lastField, ownName } from '../people/people-store.ts';
import { Keys } from '../shell/keys.tsx';
import { tellError } from '../shell/messages.tsx';
import { addComment, type CommentPlace } from './comment-api.ts';
import { knownNames } from './comment-entry.tsx';
import { readComments } from './comment-store.ts';
import { labelOfField } from './field-label.ts';

interface NewCommentProps {
  flow: string;
  /** Selected step. */
  step: string | undefined;
  graph: FlowGraph;
}

const MAX_TEXT = 2000;
/** An unfinished mention at the end of the text. */
const UNFINISHED = /(?:^|\s)@([^@\n]{0,30})$/;

export function NewComment({ flow, step, graph }: NewCommentProps) {
  const text = useSignal('');
  const isSending = useSignal(false);
  const chosen = useSignal<string | undefined>(undefined);
  const box = useRef<HTMLTextAreaElement>(null);
  // After a key or a click, not in a page that is just loading.
  useEffect(() => {
    if (document.activeElement?.matches('body, main') === false) box.current?.focus();
  }, []);
  const places = placesFor(step, graph);
  const place = places.find(({ key }) => key === chosen.value) ?? places[0]!;
  const started = UNFINISHED.exec(text.value)?.[1]?.toLowerCase();
  const offered =
    started === undefined
      ? []
      : knownNames().filter((name) => name !== ownName() && name.toLowerCase().startsWith(started));
  const mention = (name: string): void => {
    text.value = text.value.replace(/@[^@\n]*$/, () => `@${name} `);
    box.current?.focus();
  };
  const send = async (): Promise<void> => {
    if (text.value.trim() === '' || isSending.value) return;
    isSending.value = true;
    try {
      await addComment(flow, text.value.trim(), place.at);
      text.value = '';
      await readComments(flow);
    } catch (error) {
      tellError(error);
    } finally {
      isSending.value = false;
    }
  };
  return (
    <form
      class="new-comment"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        ref={box}
        aria-label={t('New comment')}
        placeholder={t('Comment. @ mentions a person')}
        rows={3}
        maxLength={MAX_TEXT}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void send();
        }}
      />
      {offered.length > 0 && (
        <div class="mentions" role="group" aria-label={t('People to mention')}>
          {offered.slice(0, 5).map((name) => (
            <button key={name} type="button" class="button quiet" onClick={() => mention(name)}>
              @{name}
            </button>
          ))}
        </div>
      )}
      <div class="comment-send">
        <label>
          {t('About')}{' '}
          <select
            value={place.key}
            onChange={(event) => {
              chosen.value = event.currentTarget.value;
            }}
          >
            {places.map(({ key, title }) => (
              <option key={key} value={key}>
                {title}
              </option>
            ))}
          </select>
        </label>
        <button type="submit" class="button primary" disabled={text.value.trim() === '' || isSending.value}>
          {t('Comment')}{' '}
          <span class="wide-only">
            <Keys of="Ctrl+Enter" />
          </span>
        </button>
      </div>
    </form>
  );
}

interface PlaceChoice {
  key: string;
  title: string;
  at: CommentPlace;
}

/** The nearest place first. */
function placesFor(step: string | undefined, graph: FlowGraph): PlaceChoice[] {
  const whole = { key: 'flow', title: t('the flow'), at: {} };
  if (step === undefined) return [whole];
  const { step: itsStep, path } = lastField.value ?? {};
  const field =
    path === undefined || itsStep !== step
      ? []
      : [{ key: `field ${path}`, title: `${step} · ${labelOfField(graph, step, path)}`, at: { step, field: path } }];
  return [{ key: 'step', title: step, at: { step } }, ...field, whole];
}
