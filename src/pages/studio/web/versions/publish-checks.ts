/**
 * Checks before a version is published: no errors, passing tests, and a replay of the latest calls. Shown by
 * `publish-view.tsx`.
 *
 * Invariant: results apply only to the text they were computed for.
 */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
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
    { title: 'No errors', ...errorsIn(checked) },
    { title: 'Tests pass', ...testsIn(tests) },
    { title: 'Replay looked at', ...replayIn(replayed, hasLooked) },
  ];
}

type Finding = Omit<Condition, 'title'>;
const waits = (words: string): Finding => ({ state: 'waits', words, lines: [] });
const failed = ({ message }: Error): Finding => ({ state: 'not met', words: message, lines: [] });

function errorsIn(checked: Findings['checked']): Finding {
  if (checked === undefined) return waits('checking …');
  if (checked instanceof Error) return failed(checked);
  const errors = checked.diagnostics.filter(({ severity }) => severity === 'error');
  const warnings = checked.diagnostics.length - errors.length;
  if (errors.length === 0) {
    const words = warnings === 0 ? '' : counted(warnings, 'warning');
    return { state: 'met', words, lines: placeholdersIn(checked) };
  }
  const lines = errors.map(({ line, message }) => `line ${line}: ${message}`);
  return { state: 'not met', words: counted(errors.length, 'error'), lines };
}

/** Callers would hear them: said apart from the other warnings. */
function placeholdersIn({ diagnostics }: CheckedFlow): string[] {
  const count = diagnostics.filter(({ code }) => code === 'placeholder').length;
  if (count === 0) return [];
  return [count === 1 ? 'One text is still a placeholder' : `${count} texts are still placeholders`];
}

function testsIn(tests: Findings['tests']): Finding {
  if (tests === undefined) return waits('running …');
  if (tests instanceof Error) return failed(tests);
  const { reports } = tests;
  const bad = reports.filter(({ ok }) => !ok);
  if (reports.length === 0) return { state: 'met', words: 'there are none', lines: [] };
  if (bad.length === 0) return { state: 'met', words: counted(reports.length, 'test'), lines: [] };
  const lines = bad.map(({ name, failures: [first], diagnostics }) =>
    first === undefined
      ? `${name}: ${diagnostics?.[0]?.message ?? 'fails'}`
      : `${name}: ${first.what}: expected ${first.expected}, was ${first.actual}`,
  );
  return {
    ...(bad.every(hasOnlyNewTimes) && { onlyTimes: bad }),
    state: 'not met',
    words: `${bad.length} of ${counted(reports.length, 'test')} ${bad.length === 1 ? 'fails' : 'fail'}`,
    lines,
  };
}

function replayIn(replayed: Findings['replayed'], hasLooked: boolean): Finding {
  if (replayed === undefined) return waits('replaying the latest calls …');
  const others = replayed.filter(({ same }) => !same).length;
  if (replayed.length === 0) return { state: 'met', words: 'no calls to replay yet', lines: [] };
  const calls = counted(replayed.length, 'call');
  if (others === 0) return { state: 'met', words: `${calls}, all go the same way`, lines: [] };
  const words = `${others} of ${calls} ${others === 1 ? 'goes' : 'go'} another way`;
  return { state: hasLooked ? 'met' : 'waits', words, lines: [] };
}

const counted = (count: number, what: string): string => `${count.toLocaleString()} ${what}${count === 1 ? '' : 's'}`;

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
