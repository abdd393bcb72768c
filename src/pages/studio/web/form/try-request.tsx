/**
 * Tries the request of a step: example values, the request as it would be sent, and its answer, from which values are
 * remembered and the expected shape is written.
 */
import { useSignal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import type { Json } from '../../../../base/core/json.ts';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { argumentChanges } from '../../../../language/flow/text/set-argument.ts';
import { t, tNodes } from '../../../shared/web/words/translate.ts';
import { ServiceError } from '../api.ts';
import { type RequestTrial, tryRequest } from '../flow-api.ts';
import { sentence } from '../shell/refusal.ts';
import { declarationsOf } from '../text/declarations.ts';
import { useForm, valueAtPath } from './context.ts';
import { Fold } from './fold.tsx';
import { outcomeWords } from './labels.ts';
import { expressionOf, leavesOf, type SampleLeaf, shapeOf, valuesByScope, variableFor } from './sample-answer.ts';

/** Example values of the flows of this page, by path. Kept so that they are typed once. */
const examples = new Map<string, Map<string, string>>();
const TYPING_PAUSE_MS = 300;

interface TryRequestProps {
  step: string;
  verb: string;
}

export const TryRequest = ({ step, verb }: TryRequestProps) => (
  <Fold name="try" title={t('Try it')} said={t('send it, and see the answer')}>
    <Trial key={step} step={step} verb={verb} />
  </Fold>
);

function Trial({ step, verb }: TryRequestProps) {
  const { draft, isLocked } = useForm();
  const values = examples.get(draft.name) ?? new Map<string, string>();
  const trial = useSignal<RequestTrial | undefined>(undefined);
  /** Answer to the latest request that was sent. */
  const answer = useSignal<RequestTrial['answer']>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const isSending = useSignal(false);
  const changes = useSignal(0);
  const text = draft.text.value;
  const ask = async (send: boolean, signal?: AbortSignal): Promise<void> => {
    try {
      const order = { step, text: draft.text.peek(), values: valuesByScope(values), send };
      const made = await tryRequest(draft.name, order, signal);
      if (signal?.aborted) return;
      problem.value = undefined;
      trial.value = made;
      if (send) answer.value = made.answer;
    } catch (error) {
      if (!signal?.aborted) problem.value = reasonOf(error);
    }
  };
  useEffect(() => {
    const aborter = new AbortController();
    const wait = setTimeout(() => void ask(false, aborter.signal), TYPING_PAUSE_MS);
    return () => {
      clearTimeout(wait);
      aborter.abort();
    };
  }, [text, changes.value]);
  const send = async (): Promise<void> => {
    isSending.value = true;
    await ask(true);
    isSending.value = false;
  };
  const shown = trial.value;
  const isReading = shown?.request.method === 'GET';
  return (
    <div class="try-request">
      {shown?.reads.map((path) => (
        <Example
          key={path}
          path={path}
          value={values.get(path) ?? ''}
          change={(value) => {
            values.set(path, value);
            examples.set(draft.name, values);
            changes.value++;
          }}
        />
      ))}
      {shown && (
        <code class="try-shown">
          {shown.request.method} {shown.request.url}
        </code>
      )}
      {problem.value !== undefined && (
        <p class="field-problem" role="alert">
          {problem.value}
        </p>
      )}
      {shown && !isLocked && (
        <p class="try-send">
          <button type="button" class="button" disabled={isSending.value} onClick={() => void send()}>
            {isSending.value ? t('Sending …') : isReading ? t('Send') : t('Send for real')}
          </button>
          {!isReading && <small>{t('This may change data of the web service.')}</small>}
        </p>
      )}
      <div aria-live="polite">{answer.value && <Answer step={step} verb={verb} answer={answer.value} />}</div>
    </div>
  );
}

function Example({ path, value, change }: { path: string; value: string; change(value: string): void }) {
  const id = useId();
  return (
    <div class="form-field">
      <label class="form-label" for={id}>
        {tNodes('Example for {path}', { path: <code>{path}</code> })}
      </label>
      <input id={id} value={value} onInput={({ currentTarget }) => change(currentTarget.value)} />
    </div>
  );
}

function Answer({ step, verb, answer }: TryRequestProps & { answer: NonNullable<RequestTrial['answer']> }) {
  const form = useForm();
  const { status, body, message, ms, outcome } = answer;
  const leaves = body === undefined ? [] : leavesOf(body);
  const remember = (leaf: SampleLeaf): void => {
    const name = variableFor(leaf);
    const value = `\${ ${expressionOf(leaf)} }`;
    form.edits.change(
      (flow) => {
        const changes = argumentChanges(flow, { step, path: ['set', name], value }, form.language);
        return isRefusal(changes) ? changes : [...declarationsOf(flow, { [name]: leaf.value ?? '' }), ...changes];
      },
      t('remember {name} of {step}', { name, step }),
    );
  };
  const expectShape = (sample: Json): void => {
    const title = t('expect this shape in {step}', { step });
    form.edits.set({ step, path: [verb, 'returns'], value: shapeOf(sample), title });
  };
  const remembered = Object.values(Object(valueAtPath(form, ['set'])) as Record<string, Json>);
  return (
    <>
      <p class={`try-answer ${outcome === 'ok' ? 'good' : 'bad'}`}>
        {status === undefined
          ? sentence(message ?? t('No answer'))
          : t('Answered {status} in {ms} ms.', { status, ms: Math.round(ms) })}{' '}
        {tNodes('Outcome: {outcome}', { outcome: <b>{outcomeWords(outcome)}</b> })}
      </p>
      {leaves.length > 0 && (
        <ul class="try-leaves" aria-label={t('Values of the answer')}>
          {leaves.map((leaf) => {
            const path = expressionOf(leaf);
            const isKnown = remembered.includes(`\${ ${path} }`);
            return (
              <li key={path}>
                <code>{path.slice('result.body'.length).replace(/^\./, '') || t('body')}</code>
                <span>{JSON.stringify(leaf.value)}</span>
                <button
                  type="button"
                  class="button quiet"
                  disabled={isKnown || form.isLocked}
                  title={t('Remember it as {name}', { name: variableFor(leaf) })}
                  onClick={() => remember(leaf)}
                >
                  {isKnown ? t('Remembered') : t('Remember')}
                </button>
              </li>
            );
          })}
        </ul>
      )}
      {outcome === 'ok' && body !== undefined && typeof body === 'object' && !form.isLocked && (
        <button type="button" class="button" onClick={() => expectShape(body)}>
          {t('Expect this shape')}
        </button>
      )}
    </>
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof ServiceError)) return sentence(error instanceof Error ? error.message : String(error));
  return error.status === 422 && Array.isArray(error.body['diagnostics'])
    ? t('The flow has mistakes. Correct them first.')
    : sentence(error.message, error.hint);
}
