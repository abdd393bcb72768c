/**
 * Tests of a flow next to its graph: results, coverage, and the path of the selected test. Without a selection, the
 * graph shows the combined coverage. Uses `test-session.ts`, `paths.ts` and `test-dialog.tsx`.
 */
import './tests.css';
import { type Signal, useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import type { Overlays } from '../graph/overlays.ts';
import { clockOf } from '../journal/moment.ts';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { announce, tell } from '../shell/messages.tsx';
import { Pane } from '../shell/page.tsx';
import { location, setQuery } from '../shell/router.ts';
import { Failures } from './failures.tsx';
import { countsOf, marksOf, type Reached, reachedOf } from './paths.ts';
import { proposeTest } from './propose-test.ts';
import { TestDialog } from './test-dialog.tsx';
import { type ListedTest, TestSession } from './test-session.ts';

export interface TestsPaneProps {
  name: string;
  /** Current text, saved or not. */
  text: string;
  graph: FlowGraph;
  selected: Signal<string | undefined>;
  /** Output: overlays with the coverage, or the path of one test. */
  overlays: Signal<Overlays>;
  /** Changes with each save of the flow, which starts a new run. */
  saved: number | string;
}

const GROUP = t('Tests');

export function TestsPane({ name, text, graph, selected, overlays, saved }: TestsPaneProps) {
  const session = useMemo(() => new TestSession(name), [name]);
  const pointed = useSignal<string | undefined>(undefined);
  const editing = useSignal<ListedTest | 'new' | undefined>(undefined);
  const graphNow = useSignal(graph);
  graphNow.value = graph;
  const run = (): void => void session.runAll(text);

  useEffect(() => void session.runAll(text), [session, saved]);
  useEffect(
    () => () => {
      session.close();
      overlays.value = {};
    },
    [session],
  );
  /** Selected test, by its file. The URL contains it, so that a link shows the same. */
  const chosen = useComputed(() => {
    const wanted = pointed.value ?? location.value.query['test'];
    return session.listed.value.find(({ file }) => file === wanted);
  });
  useSignalEffect(() => {
    const report = chosen.value?.report;
    // Unknown coverage is not shown as missing.
    if (report !== undefined) overlays.value = marksOf(report, graphNow.value);
    else overlays.value = session.isKnown.value ? { coverage: countsOf(session.coverage.value) } : {};
  });
  useSignalEffect(() => {
    if (session.isLoaded.value && session.running.value === undefined) announce(wordsOfResult(session));
  });

  const pick = (file: string | undefined): void => setQuery({ test: file });
  const move = (by: 1 | -1): void => {
    const { value: listed } = session.listed;
    if (listed.length === 0) return;
    const at = listed.findIndex(({ file }) => file === location.value.query['test']);
    const next = listed[at < 0 && by < 0 ? listed.length - 1 : (at + by + listed.length) % listed.length]!;
    pick(next.file);
    requestAnimationFrame(() => document.getElementById(idOf(next.file))?.focus());
  };
  useCommands(
    () => [
      { title: t('Run all tests'), keys: 'r', group: GROUP, run },
      { title: t('Next test'), keys: 'ArrowDown', group: GROUP, run: () => move(1) },
      { title: t('Test before'), keys: 'ArrowUp', group: GROUP, run: () => move(-1) },
      { title: t('Show what all tests reach'), keys: 'Escape', group: GROUP, run: () => pick(undefined) },
      {
        title: t('Edit the chosen test'),
        keys: 'e',
        group: GROUP,
        run: () => {
          editing.value = chosen.value;
        },
      },
      {
        title: t('Write a test for what is missing'),
        keys: 'w',
        group: GROUP,
        run: writeMissing,
      },
      {
        title: t('New test'),
        keys: 'n',
        group: GROUP,
        run: () => {
          editing.value = 'new';
        },
      },
    ],
    [session, text],
  );

  /** Proposes a test for the selected step if it is uncovered, otherwise for the first uncovered exit. */
  function writeMissing(): void {
    const { missing } = reachedOf(graphNow.value, session.coverage.value);
    const first = missing.find(({ step }) => step === selected.value) ?? missing[0];
    if (first === undefined) tell(t('The tests reach everything'));
    else proposeTest(name, first);
  }

  const listed = session.listed.value;
  const chosenNow = chosen.value;
  return (
    <Pane label={t('Tests')} class="tests">
      <header class="tests-head">
        <h2>{t('Tests')}</h2>
        <span class={session.failed.value > 0 ? 'bad' : 'good'}>{wordsOfResult(session)}</span>
        <button
          type="button"
          class="button"
          onClick={() => {
            editing.value = 'new';
          }}
        >
          {t('New')} <Keys of="n" />
        </button>
        <button type="button" class="button primary" onClick={run}>
          {t('Run all')} <Keys of="r" />
        </button>
      </header>
      {session.isRunning && (
        <progress
          class="tests-progress"
          aria-label={t('Tests run')}
          value={session.done.value}
          max={listed.length || 1}
        />
      )}
      {session.problem.value !== undefined && (
        <p class="phone-note bad" role="alert">
          {session.problem.value}
        </p>
      )}
      <ul class="tests-list">
        {listed.map((test) => (
          <li key={test.file}>
            <button
              type="button"
              id={idOf(test.file)}
              class={`test ${stateOf(test)}`}
              aria-pressed={chosenNow?.file === test.file}
              title={test.file}
              onClick={() => pick(location.value.query['test'] === test.file ? undefined : test.file)}
              onPointerEnter={() => {
                pointed.value = test.file;
              }}
              onPointerLeave={() => {
                pointed.value = undefined;
              }}
            >
              <b class="test-state">
                <span aria-hidden="true">{MARKS[stateOf(test)]}</span>
                <span class="unseen">{stateOf(test)}: </span>
              </b>
              <span class="test-name">{test.name}</span>
              {test.report && <time>{clockOf(test.report.duration_ms)}</time>}
            </button>
            <button
              type="button"
              class="button quiet"
              aria-label={t('Edit {name}', { name: test.name })}
              onClick={() => {
                editing.value = test;
              }}
            >
              {t('Edit')}
            </button>
            {test.report?.ok === false && <Failures report={test.report} selected={selected} />}
          </li>
        ))}
      </ul>
      {session.isLoaded.value && listed.length === 0 && (
        <p class="empty">{t('This flow has no tests yet. Simulate a call and keep it, or write one.')}</p>
      )}
      {session.isLoaded.value && (
        <Gaps flow={name} reached={reachedOf(graph, session.coverage.value)} selected={selected} />
      )}
      {editing.value !== undefined && (
        <TestDialog
          flow={name}
          test={editing.value === 'new' ? undefined : editing.value}
          saved={run}
          close={() => {
            editing.value = undefined;
          }}
        />
      )}
    </Pane>
  );
}

type State = 'passed' | 'failed' | 'running' | 'waiting';
const MARKS: Readonly<Record<State, string>> = { passed: '✓', failed: '✗', running: '…', waiting: '·' };

function stateOf({ report, isRunning }: ListedTest): State {
  if (isRunning) return 'running';
  return report === undefined ? 'waiting' : report.ok ? 'passed' : 'failed';
}

const idOf = (file: string): string => `test-${file}`;

function wordsOfResult({ listed, passed, failed }: TestSession): string {
  if (listed.value.length === 0) return '';
  return failed.value > 0
    ? t('{failed} of {count, plural, one {# test} other {# tests}} {failed, plural, one {fails} other {fail}}', {
        failed: failed.value,
        count: listed.value.length,
      })
    : t('{count, plural, one {# test passes} other {# tests pass}}', { count: passed.value });
}

interface GapsProps {
  flow: string;
  reached: Reached;
  selected: Signal<string | undefined>;
}

/** Uncovered exits. The first press shows an exit in the graph; the second proposes a call that reaches it. */
function Gaps({ flow, reached, selected }: GapsProps) {
  const { steps, ofSteps, outcomes, ofOutcomes, missing } = reached;
  return (
    <section class="gaps" aria-label={t('Coverage')}>
      <h3>
        {t('{steps} of {ofSteps} steps, {outcomes} of {ofOutcomes} outcomes', { steps, ofSteps, outcomes, ofOutcomes })}
      </h3>
      {missing.length > 0 && (
        <details open={missing.length <= FEW}>
          <summary>{t('Untested ({missing})', { missing: missing.length })}</summary>
          <ul>
            {missing.map(({ step, outcome, label = 'reached' }) => (
              <li key={`${step} ${outcome}`} class="gap">
                <button
                  type="button"
                  class="went"
                  onClick={() => {
                    selected.value = step;
                  }}
                >
                  <code>
                    {step} {outcome !== undefined && <b>{label}</b>}
                  </code>
                </button>
                <button
                  type="button"
                  class="button quiet"
                  aria-label={t('Write a test: {step} {label}', { step, label })}
                  title={t('Propose a call that gets there')}
                  onClick={() => proposeTest(flow, { step, outcome })}
                >
                  {t('Write a test')}
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

const FEW = 12;
