/** Dialog that extracts steps as a local flow: what passes between both flows, and the proof by the tests. */
import './extract-dialog.css';
import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { applyEdits } from '../../../../language/flow/text/edits.ts';
import type { Extracted } from '../../../../language/flow/text/extract-flow.ts';
import { extractInTest } from '../../../../language/flow/text/extract-in-test.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { Dialog } from '../shell/dialog.tsx';
import { announce } from '../shell/messages.tsx';
import { readTests, type TestFileData } from '../tests/test-run.ts';
import type { EditorParts } from './editor-parts.ts';
import {
  type ExtractionChoice,
  extractedIn,
  isProved,
  offeredSteps,
  type Proof,
  planExtraction,
  prove,
  testAfter,
} from './extract-session.ts';

interface ExtractDialogProps {
  parts: EditorParts;
  steps: readonly string[];
  close(): void;
}

export function ExtractDialog({ parts: { draft, language, text: handle }, steps, close }: ExtractDialogProps) {
  const text = draft.text.peek();
  const choice = useSignal<ExtractionChoice>({ steps: offeredSteps(text, steps, language), outcomes: {} });
  const tests = useSignal<readonly TestFileData[] | undefined>(undefined);
  const proof = useSignal<Proof | string | undefined>(undefined);
  const made = useMemo(
    () => planExtraction(text, choice.value, language, tests.value ?? []),
    [choice.value, tests.value],
  );
  useEffect(() => {
    readTests(draft.name).then(
      (found) => (tests.value = found),
      () => (tests.value = []),
    );
  }, []);
  useEffect(() => {
    proof.value = undefined;
    if ('problems' in made || tests.value === undefined) return;
    const abort = new AbortController();
    const extracted = extractedIn(draft.name, text, made, language);
    const order = {
      ...{ flow: draft.name, text, after: applyEdits(text, made.edits), tests: tests.value },
      follow: (test: TestFileData) => testAfter(test.text, (plain) => extractInTest(plain, extracted)),
    };
    const timer = setTimeout(() => {
      prove(order, abort.signal).then(
        (found) => (proof.value = found),
        (error: Error) => {
          if (!abort.signal.aborted) proof.value = error.message;
        },
      );
    }, 300);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [made]);
  const isReady = typeof proof.value === 'object' && isProved(proof.value);
  const extract = (event: Event): void => {
    event.preventDefault();
    if ('problems' in made || !isReady || draft.text.peek() !== text) return;
    handle.current?.change(made.edits, t('extract {name}', { name: made.name }));
    draft.extractions.push(extractedIn(draft.name, text, made, language));
    draft.selected.value = made.call;
    announce(t('The steps are now the flow {flow}', { flow: made.name }));
    close();
  };
  const count = choice.value.steps.length;
  return (
    <Dialog title={t('Extract as a sub-flow')} close={close} class="extract-dialog">
      <form onSubmit={extract}>
        <p>
          {t(
            '{count, plural, one {# step becomes} other {# steps become}} a flow of this file: {steps}. Callers hear the same.',
            { count, steps: choice.value.steps.join(', ') },
          )}
        </p>
        <label>
          {t('Name')}
          <input
            type="text"
            value={choice.value.name ?? ('problems' in made ? '' : made.name)}
            autocomplete="off"
            spellcheck={false}
            onInput={({ currentTarget: { value } }) => (choice.value = { ...choice.value, name: value.trim() })}
          />
        </label>
        {'problems' in made ? (
          <div role="alert">
            {made.problems.map(({ problem, hint }) => (
              <p key={problem} class="field-problem">
                {hint === undefined ? problem : `${problem}: ${hint}`}
              </p>
            ))}
            {made.closure !== undefined && (
              <button
                type="button"
                class="button"
                onClick={() => (choice.value = { ...choice.value, steps: made.closure! })}
              >
                {t('Take {count} more: {steps}', {
                  count: made.closure.length - count,
                  steps: made.closure.filter((step) => !choice.value.steps.includes(step)).join(', '),
                })}
              </button>
            )}
          </div>
        ) : (
          <Plan
            made={made}
            rename={(target, outcome) => {
              choice.value = { ...choice.value, outcomes: { ...choice.value.outcomes, [target]: outcome } };
            }}
          />
        )}
        {!('problems' in made) && <ProofLine proof={proof.value} />}
        <footer>
          <button type="button" class="button" onClick={close}>
            {t('Cancel')}
          </button>
          <button type="submit" class="button primary" disabled={!isReady}>
            {t('Extract')}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function Plan({ made: { plan }, rename }: { made: Extracted; rename(target: string, outcome: string): void }) {
  return (
    <>
      <Values title={t('Needs')} values={plan.inputs} none={t('Nothing from the flow that calls it')} />
      <Values title={t('Gives back')} values={plan.results} none={t('Nothing that is used after it')} />
      <fieldset>
        <legend>
          {t('One way in, {count, plural, one {one way on} other {# ways on}}', { count: plan.ways.length })}
        </legend>
        {plan.ways.map(({ target, outcome }) => (
          <label key={target}>
            <input
              type="text"
              aria-label={t('Name of the way to {step}', { step: target })}
              value={outcome}
              autocomplete="off"
              spellcheck={false}
              onChange={({ currentTarget: { value } }) => rename(target, value.trim())}
            />
            <span>→ {target === '$end' ? t('end') : target}</span>
          </label>
        ))}
      </fieldset>
    </>
  );
}

interface ValuesProps {
  title: string;
  values: readonly { name: string; schema: { type?: unknown }; isSensitive: boolean; readBy?: readonly string[] }[];
  none: string;
}

function Values({ title, values, none }: ValuesProps) {
  return (
    <section>
      <h3>{title}</h3>
      {values.length === 0 && <p class="none">{none}</p>}
      <ul>
        {values.map(({ name, schema, isSensitive, readBy = [] }) => (
          <li key={name}>
            <code>{name}</code> {typeof schema.type === 'string' ? schema.type : t('any value')}
            {isSensitive && `, ${t('masked')}`}
            {readBy.length > 0 && `, ${t('read in {steps}', { steps: readBy.join(', ') })}`}
          </li>
        ))}
      </ul>
    </section>
  );
}

function ProofLine({ proof }: { proof: Proof | string | undefined }) {
  if (proof === undefined) return <p role="status">{t('Checking the new flow, and running its tests …')}</p>;
  if (typeof proof === 'string')
    return (
      <p role="alert" class="field-problem">
        {proof}
      </p>
    );
  const { errors, broken, passed, count } = proof;
  if (!isProved(proof)) {
    return (
      <p role="alert" class="field-problem">
        {[...errors, ...broken.map((name) => t('The test “{name}” would fail', { name }))].join('. ')}
      </p>
    );
  }
  const words =
    count === 0
      ? t('No errors. The flow has no tests.')
      : t('{passed} of {count} tests pass as before', { passed, count });
  return (
    <p role="status" class="proved">
      ✓ {words}
    </p>
  );
}
