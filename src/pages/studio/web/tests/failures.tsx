/** Failures of a test: expected and actual value; for paths both side by side. */
import type { Signal } from '@preact/signals';
import { t } from '../../../shared/web/words/translate.ts';
import { TwoPaths } from '../graph/two-paths-list.tsx';
import { atLine } from '../shell/at-line.ts';
import { alignedPaths, takenPath, WORDS_OF_TEST } from './paths.ts';
import type { TestReportData } from './test-run.ts';

interface FailuresProps {
  report: TestReportData;
  selected: Signal<string | undefined>;
}

export function Failures({ report, selected }: FailuresProps) {
  const aligned = alignedPaths(report);
  const others = report.failures.filter(({ what }) => aligned === undefined || what !== 'the path');
  return (
    <div class="failures">
      {report.diagnostics?.map(({ message, line, hint }) => (
        <p key={`${line} ${message}`}>
          {atLine(line, message)}
          {hint !== undefined && <small> {hint}</small>}
        </p>
      ))}
      {aligned !== undefined && (
        <TwoPaths
          label={t('The path: expected and taken')}
          aligned={aligned}
          before={report.expected_path!}
          now={takenPath(report)}
          words={WORDS_OF_TEST}
          selected={selected}
        />
      )}
      {others.map(({ what, expected, actual, line, step }) => (
        <dl key={`${line} ${what} ${expected}`}>
          <dt>
            {what}
            {line !== undefined && <small> · {t('line {line}', { line })}</small>}
            {step !== undefined && <small> · {t('at step {step}', { step })}</small>}
          </dt>
          <dd>
            <span>{t('expected')}</span> {expected}
          </dd>
          <dd class="bad">
            <span>{t('happened')}</span> {actual}
          </dd>
        </dl>
      ))}
    </div>
  );
}
