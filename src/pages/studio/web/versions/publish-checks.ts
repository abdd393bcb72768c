/**
 * Checks before a version is published: no errors, passing tests, and a replay of the latest calls. Shown by
 * `publish-view.tsx`.
 *
 * Invariant: results apply only to the text they were computed for.
 */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../../../shared/web/words/translate.ts';
import { type CheckedFlow, checkFlow } from '../flow-api.ts';
import { runTests, type TestReportData, type TestRunData } from '../tests/test-run.ts';
import { hasOnlyNewTimes } from '../tests/test-times.ts';
import type { Replayed } from './version-api.ts';

export interface Condition {
  title: string;
  state: 'waits' | 'met' | 'not met';
  words: string;
  /** Problems, one for each line. */
  lines: string[];
  /** Tests that only differ in the duration of the call, if no other test fails. */
  onlyTimes?: readonly TestReportData[];
}

/** Responses of the service so far; an error replaces a response that failed. */
export interface Findings {
  checked?: CheckedFlow | Error;
  tests?: TestRunData | Error;
  replayed?: readonly Replayed[] | undefined;
}

export function conditionsOf({ checked, tests, replayed }: Findings, hasLooked: boolean): Condition[] {
  return [
    { title: t('No errors'), ...errorsIn(checked) },
    { title: t('Tests pass'), ...testsIn(tests) },
    { title: t('Replay looked at'), ...replayIn(replayed, hasLooked) },
  ];
}

type Finding = Omit<Condition, 'title'>;
const waits = (words: string): Finding => ({ state: 'waits', words, lines: [] });
const failed = ({ message }: Error): Finding => ({ state: 'not met', words: message, lines: [] });

function errorsIn(checked: Findings['checked']): Finding {
  if (checked === undefined) return waits(t('checking …'));
  if (checked instanceof Error) return failed(checked);
  const errors = checked.diagnostics.filter(({ severity }) => severity === 'error');
  const warnings = checked.diagnostics.length - errors.length;
  if (errors.length === 0) {
    const words = warnings === 0 ? '' : t('{count, plural, one {# warning} other {# warnings}}', { count: warnings });
    return { state: 'met', words, lines: placeholdersIn(checked) };
  }
  const lines = errors.map(({ line, message }) => t('line {line}: {message}', { line, message }));
  return {
    state: 'not met',
    words: t('{count, plural, one {# error} other {# errors}}', { count: errors.length }),
    lines,
  };
}

/** Callers would hear them: said apart from the other warnings. */
function placeholdersIn({ diagnostics }: CheckedFlow): string[] {
  const count = diagnostics.filter(({ code }) => code === 'placeholder').length;
  if (count === 0) return [];
  return [
    t('{count, plural, one {One text is still a placeholder} other {# texts are still placeholders}}', { count }),
  ];
}

function testsIn(tests: Findings['tests']): Finding {
  if (tests === undefined) return waits(t('running …'));
  if (tests instanceof Error) return failed(tests);
  const { reports } = tests;
  const bad = reports.filter(({ ok }) => !ok);
  if (reports.length === 0) return { state: 'met', words: t('there are none'), lines: [] };
  if (bad.length === 0)
    return {
      state: 'met',
      words: t('{count, plural, one {# test} other {# tests}}', { count: reports.length }),
      lines: [],
    };
  const lines = bad.map(({ name, failures: [first], diagnostics }) =>
    first === undefined
      ? `${name}: ${diagnostics?.[0]?.message ?? t('fails')}`
      : t('{name}: {what}: expected {expected}, was {actual}', {
          name,
          what: first.what,
          expected: first.expected,
          actual: first.actual,
        }),
  );
  return {
    ...(bad.every(hasOnlyNewTimes) && { onlyTimes: bad }),
    state: 'not met',
    words: t('{failed} of {count, plural, one {# test} other {# tests}} {failed, plural, one {fails} other {fail}}', {
      failed: bad.length,
      count: reports.length,
    }),
    lines,
  };
}

function replayIn(replayed: Findings['replayed'], hasLooked: boolean): Finding {
  if (replayed === undefined) return waits(t('replaying the latest calls …'));
  const others = replayed.filter(({ same }) => !same).length;
  if (replayed.length === 0) return { state: 'met', words: t('no calls to replay yet'), lines: [] };
  const calls = replayed.length;
  if (others === 0) {
    const words = t('{calls, plural, one {# call} other {# calls}}, all go the same way', { calls });
    return { state: 'met', words, lines: [] };
  }
  const words = t(
    '{others} of {calls, plural, one {# call} other {# calls}} {others, plural, one {goes} other {go}} another way',
    { others, calls },
  );
  return { state: hasLooked ? 'met' : 'waits', words, lines: [] };
}

/** Checks the text and runs its tests as soon as it is loaded, and again for each `round`. */
export function useFindings(flow: string, text: string | undefined, round: number): Findings {
  const found = useSignal<Findings & { text?: string }>({});
  useEffect(() => {
    if (text === undefined) return;
    const abort = new AbortController();
    const take = (part: Findings): void => {
      if (!abort.signal.aborted) found.value = { ...(found.peek().text === text && found.peek()), ...part, text };
    };
    const { signal } = abort;
    checkFlow(flow, text, crypto.randomUUID(), signal).then(
      (checked) => take({ checked }),
      (error: Error) => take({ checked: error }),
    );
    runTests(flow, { text }, signal).then(
      (tests) => take({ tests }),
      (error: Error) => take({ tests: error }),
    );
    return () => abort.abort();
  }, [flow, text, round]);
  return found.value.text === text ? found.value : {};
}
