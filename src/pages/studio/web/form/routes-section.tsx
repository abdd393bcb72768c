/** Section “Where it leads”: each outcome in plain words, with its target. */
import type { GraphStep } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { useForm } from './context.ts';
import { openFolds, toggleFold } from './folds.ts';
import { leadTo } from './lead-to.ts';
import { type RouteRow, routesOf } from './routes.ts';
import { StepSelect } from './step-select.tsx';

interface RoutesProps {
  step: GraphStep;
  /** Outcomes that another part of the form shows. */
  without: readonly string[];
}

export function RoutesSection({ step, without }: RoutesProps) {
  const { graph, language } = useForm();
  const rows = routesOf(step, graph, language.verbs[step.verb], without);
  if (rows.length === 0) return null;
  return (
    <section class="form-section" aria-label={t('Where it leads')}>
      <h3>{without.length > 0 ? t('Where the rest leads') : t('Where it leads')}</h3>
      <div class="routes">
        {rows.map((row) => (
          <Route key={row.outcome} row={row} />
        ))}
      </div>
    </section>
  );
}

function Route({ row }: { row: RouteRow }) {
  const { outcome, label, meaning, target, isOwn, usual, kinds } = row;
  const form = useForm();
  const fold = `routes of ${outcome}`;
  const isOpen = openFolds.value.has(fold);
  return (
    <>
      <div class={`route${isOwn ? '' : ' usual'}`} data-outcome={outcome}>
        <span title={meaning}>
          {label}
          {kinds.length > 0 && (
            <button
              type="button"
              class="link kinds"
              aria-expanded={isOpen}
              aria-label={t('{label}: {count, plural, one {# kind} other {# kinds}}', { label, count: kinds.length })}
              onClick={() => toggleFold(fold)}
            >
              {t('{count, plural, one {# kind} other {# kinds}}', { count: kinds.length })}
            </button>
          )}
        </span>
        <span aria-hidden="true">→</span>
        <StepSelect
          label={t('{label} leads to', { label })}
          target={target}
          usual={usual}
          isUsual={!isOwn && usual !== undefined && usual === target}
          isLocked={form.isLocked}
          choose={(to) => leadTo(form, outcome, to)}
        />
      </div>
      {isOpen && kinds.map((kind) => <Route key={kind.outcome} row={{ ...kind, kinds: [] }} />)}
    </>
  );
}
