/** Section “Where it leads”: each outcome in plain words, with its target. */
import type { GraphStep } from '../../../../language/flow/graph.ts';
import { removeExit, retarget } from '../text/edit.ts';
import { useForm } from './context.ts';
import { openFolds, toggleFold } from './folds.ts';
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
    <section class="form-section" aria-label="Where it leads">
      <h3>{without.length > 0 ? 'Where the rest leads' : 'Where it leads'}</h3>
      <div class="routes">
        {rows.map((row) => (
          <Route key={row.outcome} row={row} step={step.name} />
        ))}
      </div>
    </section>
  );
}

function Route({ row, step }: { row: RouteRow; step: string }) {
  const { outcome, label, meaning, target, isOwn, usual, kinds } = row;
  const { edits, draft, language, isLocked } = useForm();
  const fold = `routes of ${outcome}`;
  const isOpen = openFolds.value.has(fold);
  const choose = (to: string | undefined): void => {
    const way = { step, outcome, language: language.verbs };
    const text = draft.text.peek();
    const made = to === undefined ? removeExit(text, way) : retarget(text, { ...way, target: to, narrow: true });
    edits.apply(made, `lead ${step}: ${outcome} to ${to ?? 'the default'}`);
  };
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
              aria-label={`${label}: ${kinds.length} kinds`}
              onClick={() => toggleFold(fold)}
            >
              {kinds.length} kinds
            </button>
          )}
        </span>
        <span aria-hidden="true">→</span>
        <StepSelect
          label={`${label} leads to`}
          target={target}
          usual={usual}
          isUsual={!isOwn && usual !== undefined && usual === target}
          isLocked={isLocked}
          choose={choose}
        />
      </div>
      {isOpen && kinds.map((kind) => <Route key={kind.outcome} row={{ ...kind, kinds: [] }} step={step} />)}
    </>
  );
}
