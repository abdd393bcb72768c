/** Why a test failed: what was expected and what happened; of a path both, beside each other. */
import type { Signal } from '@preact/signals';
import { alignedPaths, takenPath } from './paths.ts';
import type { TestReport } from './test-run.ts';

interface FailuresProps {
  report: TestReport;
  selected: Signal<string | undefined>;
}

export function Failures({ report, selected }: FailuresProps) {
  const aligned = alignedPaths(report);
  const others = report.failures.filter(({ what }) => aligned === undefined || what !== 'the path');
  return (
    <div class="failures">
      {report.diagnostics?.map(({ message, line, hint }) => (
        <p key={`${line} ${message}`}>
          {line !== undefined && `line ${line}: `}
          {message}
          {hint !== undefined && <small> {hint}</small>}
        </p>
      ))}
      {aligned !== undefined && (
        <ol class="two-paths" aria-label="The path: expected and taken">
          {aligned.map((at) => {
            const name = at.of === 'before' ? report.expected_path![at.before]! : takenPath(report)[at.now]!;
            const words = at.of === 'before' ? 'expected' : at.of === 'now' ? 'went here' : '';
            return (
              <li key={`${at.of} ${'before' in at ? at.before : at.now}`} class={CLASSES[at.of]}>
                <button
                  type="button"
                  class="went"
                  onClick={() => {
                    selected.value = name;
                  }}
                >
                  <code>{name}</code> {words !== '' && <small>{words}</small>}
                </button>
              </li>
            );
          })}
        </ol>
      )}
      {others.map(({ what, expected, actual, line, step }) => (
        <dl key={`${line} ${what} ${expected}`}>
          <dt>
            {what}
            {line !== undefined && <small> line {line}</small>}
            {step !== undefined && <small> in {step}</small>}
          </dt>
          <dd>
            <span>expected</span> {expected}
          </dd>
          <dd class="bad">
            <span>happened</span> {actual}
          </dd>
        </dl>
      ))}
    </div>
  );
}

const CLASSES = { both: '', before: 'gone', now: 'new' } as const;
