/** Screen `/tests`: tests of all flows with results and coverage. Uses `all-runs.ts`. */
import './all-tests.css';
import { useEffect, useMemo } from 'preact/hooks';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { request } from '../api.ts';
import { Empty } from '../empty-screen/empty.tsx';
import { listFlows } from '../flow-api.ts';
import { useCommands } from '../shell/commands.ts';
import { Keys } from '../shell/keys.tsx';
import { announce } from '../shell/messages.tsx';
import { Page, Pane } from '../shell/page.tsx';
import { addressOf } from '../shell/router.ts';
import { rowCommands } from '../shell/rows.ts';
import { AllRuns, type FlowRun, type FlowWithTests } from './all-runs.ts';
import type { Reached } from './paths.ts';
import { runTests } from './test-run.ts';

const GROUP = t('Tests');

export function AllTests() {
  const all = useMemo(
    () =>
      new AllRuns({
        listFlows,
        runTests: (flow, signal) => runTests(flow, {}, signal),
        readGraph: (flow, signal) =>
          request<FlowGraph & Record<string, never>>(`/voice/v1/flow/${encodeURIComponent(flow)}/graph`, { signal }),
      }),
    [],
  );
  const run = (): void => void all.runAll().then(() => announce(wordsOfAll(all)));
  useEffect(() => {
    run();
    return () => all.close();
  }, []);
  useCommands(() => [
    ...rowCommands(t('flow'), GROUP),
    { title: t('Run all tests of all flows'), keys: 'r', group: GROUP, run },
  ]);
  const flows = all.flows.value ?? [];
  const withTests = flows.filter(({ tests }) => tests > 0);
  const without = flows.filter(({ tests }) => tests === 0);
  return (
    <Page
      title={t('Tests')}
      actions={
        <button type="button" class="button primary" onClick={run}>
          {t('Run all')} <Keys of="r" />
        </button>
      }
      status={all.flows.value && <span class={all.failed.value > 0 ? 'bad' : 'good'}>{wordsOfAll(all)}</span>}
    >
      <Pane label={t('Tests of all flows')} class="sheet">
        {all.problem.value !== undefined && <p role="alert">{all.problem.value}</p>}
        {all.running.value !== undefined && (
          <progress
            class="all-tests-progress"
            aria-label={t('Tests run')}
            value={all.runs.value.size}
            max={withTests.length}
          />
        )}
        {all.flows.value !== undefined && withTests.length === 0 && (
          <Empty icon="tests" text={t('No flow has tests yet. Simulate a call, and keep it as a test.')}>
            <a class="button primary" href={addressOf('/flows')}>
              {t('Choose a flow to simulate')}
            </a>
          </Empty>
        )}
        {withTests.length > 0 && (
          <div class="wide">
            <table class="table">
              <thead>
                <tr>
                  <th scope="col">{t('flow')}</th>
                  <th scope="col">{t('tests')}</th>
                  <th scope="col">{t('coverage')}</th>
                </tr>
              </thead>
              <tbody>
                {withTests.map((flow) => (
                  <Row
                    key={flow.name}
                    flow={flow}
                    run={all.runs.value.get(flow.name)}
                    isRunning={all.running.value === flow.name}
                  />
                ))}
              </tbody>
            </table>
          </div>
        )}
        {without.length > 0 && (
          <p class="untested">
            {t('Without tests:')}{' '}
            {without.map(({ name }, index) => (
              <span key={name}>
                {index > 0 && ', '}
                <a href={pathOf(name)}>{name}</a>
              </span>
            ))}
          </p>
        )}
      </Pane>
    </Page>
  );
}

const pathOf = (name: string): string => addressOf(`/flows/${encodeURIComponent(name)}/tests`);

function Row({ flow, run, isRunning }: { flow: FlowWithTests; run: FlowRun | undefined; isRunning: boolean }) {
  const { name, tests } = flow;
  return (
    <tr>
      <td>
        <a class="link" href={pathOf(name)} data-row={name}>
          {name}
        </a>
      </td>
      <td>
        {run === undefined ? (
          <span class="pill">{isRunning ? t('{tests} running …', { tests }) : tests}</span>
        ) : run.problem !== undefined ? (
          <span class="pill bad">✗ {run.problem}</span>
        ) : run.failed > 0 ? (
          <span class="pill bad">
            {t('✗ {failed} of {count} failed', { failed: run.failed, count: run.failed + run.passed })}
          </span>
        ) : (
          <span class="pill good">{t('✓ {passed} passed', { passed: run.passed })}</span>
        )}
      </td>
      <td>{run?.reached && <Coverage reached={run.reached} />}</td>
    </tr>
  );
}

const Coverage = ({ reached: { steps, ofSteps, outcomes, ofOutcomes } }: { reached: Reached }) => (
  <span class="coverage">
    <meter
      aria-label={t('Outcomes that are reached')}
      min={0}
      max={Math.max(1, ofOutcomes)}
      value={ofOutcomes === 0 ? 1 : outcomes}
    />{' '}
    {t('{outcomes} of {ofOutcomes} outcomes, {steps} of {ofSteps} steps', { outcomes, ofOutcomes, steps, ofSteps })}
  </span>
);

function wordsOfAll({ passed, failed, running }: AllRuns): string {
  const done = t('{passed} passed, {failed} failed', { passed: passed.value, failed: failed.value });
  return running.value === undefined ? done : t('{done}, running', { done });
}
