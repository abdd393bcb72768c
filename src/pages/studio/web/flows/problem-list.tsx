/** Diagnostics of the text, with line numbers and available fixes: errors first, then in the order of the text. */
import type { Problem } from '../../../../language/flow/text/problems.ts';
import { t } from '../../../shared/web/words/translate.ts';

interface ProblemListProps {
  problems: readonly Problem[];
  goTo(problem: Problem): void;
  /** Applies the repair of a problem. */
  apply(problem: Problem): void;
}

const weightOf = ({ severity }: Problem): number => (severity === 'error' ? 0 : 1);
const byWeight = (one: Problem, other: Problem): number => weightOf(one) - weightOf(other) || one.from - other.from;

export const ProblemList = ({ problems, goTo, apply }: ProblemListProps) => (
  <ul class="problem-list">
    {problems.toSorted(byWeight).map((problem) => (
      <li key={`${problem.from} ${problem.code} ${problem.message}`} class={problem.severity}>
        <button type="button" class="problem-words" onClick={() => goTo(problem)}>
          <b>{problem.severity === 'error' ? t('error') : t('warning')}</b>
          <span>{t('line {line}', { line: problem.line })}</span>
          {problem.message}
          {problem.hint !== undefined && <em>{problem.hint}</em>}
        </button>
        {problem.repair !== undefined && (
          <button type="button" class="button" onClick={() => apply(problem)}>
            {problem.repair.title}
          </button>
        )}
      </li>
    ))}
  </ul>
);
