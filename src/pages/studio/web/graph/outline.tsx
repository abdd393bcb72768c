/**
 * The flow as a tree: steps in walk order, with their exits below. It shares selection and callbacks with the picture,
 * so that every task works without the picture. Phones show it first.
 */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { FlowGraph, GraphExit, GraphStep } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { VerbIcon } from '../icons.tsx';
import { verbLabelOf } from './card-label.ts';
import { walk } from './cycles.ts';
import { exitId } from './drawing.ts';
import type { EditCallbacks } from './edit-callbacks.ts';
import { comparedWords, type DiffMark, type Overlays } from './overlays.ts';
import type { Several } from './several.ts';

interface OutlineProps {
  graph: FlowGraph;
  overlays: Overlays;
  selected: Signal<string | undefined>;
  /** Selection of several steps. Without it, one step can be selected. */
  several: Several | undefined;
  callbacks: EditCallbacks;
}

/** Line of the tree: a step, or one of its exits. */
interface Item {
  step: GraphStep;
  exit?: GraphExit;
}

export function Outline({ graph, overlays, selected, several, callbacks }: OutlineProps) {
  const steps = useMemo(() => inOrder(graph), [graph]);
  const closed = useSignal<ReadonlySet<string>>(new Set());
  const exit = useSignal<string | undefined>(undefined);
  const picking = useSignal<{ step: string; outcome: string } | undefined>(undefined);
  const list = useRef<HTMLDivElement>(null);
  const isMoving = useRef(false);
  const current = selected.value ?? steps[0]?.name;

  const isOpen = (name: string): boolean => name === current && !closed.value.has(name);
  const items: Item[] = steps.flatMap((step) => [
    { step },
    ...(isOpen(step.name) ? step.exits.filter(({ own }) => own).map((each): Item => ({ step, exit: each })) : []),
  ]);
  const at = items.findIndex(({ step, exit: each }) => step.name === current && each?.outcome === exit.value);
  const idOf = ({ step, exit: each }: Item): string =>
    each === undefined ? step.name : `${step.name} ${each.outcome}`;

  const goTo = (item: Item | undefined): void => {
    if (item === undefined) return;
    several?.clear();
    isMoving.current = item.step.name !== selected.peek() || item.exit?.outcome !== exit.peek();
    selected.value = item.step.name;
    exit.value = item.exit?.outcome;
  };
  // In a layout effect, before the next key event: a later focus change would undo the move of that key.
  useLayoutEffect(() => {
    if (!isMoving.current) return;
    isMoving.current = false;
    const focused = list.current?.querySelector<HTMLElement>('[tabindex="0"]');
    focused?.focus({ preventScroll: true });
    focused?.scrollIntoView({ block: 'nearest' });
  });
  /** Selects the step below or above, too. */
  const extend = (by: 1 | -1): void => {
    const next = steps[steps.findIndex(({ name }) => name === current) + by]?.name;
    if (next === undefined) return;
    isMoving.current = true;
    exit.value = undefined;
    several?.add([next], next);
  };
  const follow = ({ step, exit: each }: Item): void => {
    const target = each && steps.find(({ name }) => name === each.target);
    if (target !== undefined) goTo({ step: target });
    else if (each === undefined) callbacks.onOpen?.(step.name);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (several !== undefined && keyOfSeveral(event, several, steps, extend)) {
      event.preventDefault();
      event.stopPropagation();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const item = items[Math.max(0, at)];
    if (item === undefined) return;
    const { step, exit: each } = item;
    const fold = (isFolded: boolean): void => {
      const next = new Set(closed.value);
      if (isFolded) next.add(step.name);
      else next.delete(step.name);
      closed.value = next;
    };
    const keys: Record<string, () => void> = {
      ArrowDown: () => goTo(items[at + 1]),
      ArrowUp: () => goTo(items[at - 1]),
      Home: () => goTo(items[0]),
      End: () => goTo(items.at(-1)),
      ArrowRight: () => (each ? follow(item) : isOpen(step.name) ? goTo(items[at + 1]) : fold(false)),
      ArrowLeft: () => (each ? goTo({ step }) : fold(true)),
      Enter: () => follow(item),
      w: () => callbacks.onWords?.(step.name),
      r: () => callbacks.onRename?.(step.name),
      n: () => callbacks.onNote?.(step.name),
      x: () => callbacks.onDelete?.(several?.steps.peek().size ? several.names : [step.name]),
      a: () => callbacks.onAdd?.(step.name, each?.outcome ?? step.exits[0]?.outcome),
      e: () => {
        const outcome = each?.outcome ?? step.exits[0]?.outcome;
        if (outcome !== undefined && callbacks.onRetarget) picking.value = { step: step.name, outcome };
      },
    };
    const run = keys[event.key];
    if (run === undefined) return;
    event.preventDefault();
    run();
  };

  useEffect(() => {
    // The selection can come from the text.
    const item = list.current?.querySelector('[aria-selected="true"]');
    if (item != null) bringIntoView(item, list.current!.parentElement!);
  }, [selected.value]);

  return (
    <div class="outline">
      {picking.value && (
        <TargetPicker
          {...picking.value}
          graph={graph}
          choose={(target) => {
            if (target !== undefined) callbacks.onRetarget?.(picking.value!.step, picking.value!.outcome, target);
            picking.value = undefined;
            list.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus();
          }}
        />
      )}
      <div
        class="tree"
        role="tree"
        aria-label={t('Steps of {name}', { name: graph.name })}
        aria-multiselectable={several !== undefined}
        ref={list}
        onKeyDown={onKeyDown}
      >
        {items.map((item, index) => {
          const { step, exit: each } = item;
          const isCurrent = index === Math.max(0, at);
          const press = (event: MouseEvent): void => {
            const isAdding = event.shiftKey || event.ctrlKey || event.metaKey;
            if (several !== undefined && (isAdding || several.isByTouch)) several.toggle([step.name]);
            else if (each && isCurrent) follow(item);
            else goTo(item);
          };
          if (each !== undefined) {
            return (
              <div
                role="treeitem"
                tabIndex={isCurrent ? 0 : -1}
                onClick={press}
                key={idOf(item)}
                class="outline-exit"
                aria-level={2}
                aria-selected={isCurrent}
              >
                {each.key !== undefined && <kbd>{each.key}</kbd>}
                <span>{each.label ?? each.outcome}</span>
                <small
                  class={steps.some(({ name }) => name === each.target) || each.target.startsWith('$') ? '' : 'missing'}
                >
                  → {each.target === '' ? t('no route') : each.target === '$end' ? t('end') : each.target}
                </small>
                <ChangeOf change={overlays.diff?.exits.get(exitId(step.name, each.outcome))} overlays={overlays} />
                <small>{countsOf(overlays, exitsOf(step, each))}</small>
                {callbacks.onAdd && <AddHere step={step.name} exit={each} onAdd={callbacks.onAdd} />}
              </div>
            );
          }
          const problem = overlays.problems?.get(step.name);
          return (
            <div
              role="treeitem"
              tabIndex={isCurrent ? 0 : -1}
              onClick={press}
              key={idOf(item)}
              class={`outline-step g-${step.group}`}
              aria-level={1}
              aria-selected={
                several !== undefined && several.steps.value.size > 0
                  ? several.has(step.name)
                  : step.name === current && exit.value === undefined
              }
              aria-expanded={isOpen(step.name)}
            >
              <span class="icon">
                <VerbIcon verb={step.verb} />
              </span>
              <strong>{step.name}</strong>
              <em>{verbLabelOf(step) || t('no verb')}</em>
              {step.name === graph.start && <b class="flag">{t('start')}</b>}
              {problem && <b class={`flag ${problem.severity}`}>{problem.severity}</b>}
              <ChangeOf change={overlays.diff?.steps.get(step.name)} overlays={overlays} />
              <OverlaysOf step={step.name} overlays={overlays} />
              {step.about !== '' && <p>{step.about}</p>}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Keys that select several steps. Returns true if the key was handled. */
function keyOfSeveral(
  event: KeyboardEvent,
  several: Several,
  steps: readonly GraphStep[],
  extend: (by: 1 | -1) => void,
): boolean {
  const isCtrl = event.ctrlKey || event.metaKey;
  if (isCtrl && event.key.toLowerCase() === 'a') several.set(steps.map(({ name }) => name));
  else if (event.key === 'Escape' && several.steps.peek().size > 0) several.clear();
  else if (event.shiftKey && event.key === 'ArrowDown') extend(1);
  else if (event.shiftKey && event.key === 'ArrowUp') extend(-1);
  else return false;
  return true;
}

interface AddHereProps {
  step: string;
  exit: GraphExit;
  onAdd: NonNullable<EditCallbacks['onAdd']>;
}

const AddHere = ({ step, exit: { outcome }, onAdd }: AddHereProps) => (
  <button
    type="button"
    class="outline-plus"
    tabIndex={-1}
    aria-label={t('Add a step after {step}: {outcome}', { step, outcome })}
    title={t('Add a step here (a)')}
    onClick={(event) => {
      event.stopPropagation();
      onAdd(step, outcome, event.currentTarget.getBoundingClientRect());
    }}
  >
    +
  </button>
);

/** Name of the change. */
const ChangeOf = ({ change, overlays: { diff } }: { change: DiffMark | undefined; overlays: Overlays }) =>
  change === undefined ? null : <b class={`flag change ${change}`}>{diff?.words?.[change] ?? change}</b>;

/** `scrollIntoView` also moves the starting point of Tab, which would then skip the tree. */
function bringIntoView(item: Element, room: Element): void {
  const [{ top, bottom }, seen] = [item.getBoundingClientRect(), room.getBoundingClientRect()];
  if (top < seen.top) room.scrollTop -= seen.top - top;
  else if (bottom > seen.bottom) room.scrollTop += bottom - seen.bottom;
}

/** Overlays of a step, as text. */
function OverlaysOf({ step, overlays }: { step: string; overlays: Overlays }) {
  const { path, coverage, live, compared } = overlays;
  const said: string[] = [];
  const visits = path?.steps.get(step);
  if (path?.now === step) said.push(t('now'));
  else if (visits !== undefined) said.push(`${visits}×`);
  if (coverage) said.push(coverage.steps.get(step) ? t('tested') : t('untested'));
  const counts =
    compared && comparedWords(compared, compared.before.steps.get(step) ?? 0, compared.after.steps.get(step) ?? 0);
  if (counts) said.push(counts.words);
  const calls = live?.value.get(step);
  if (calls) said.push(t('{count, plural, one {# call} other {# calls}}', { count: calls }));
  return said.length > 0 ? <small>{said.join(' · ')}</small> : null;
}

const exitsOf = ({ name }: GraphStep, { outcome, covers }: GraphExit): string[] =>
  [...new Set([outcome, ...covers])].map((each) => exitId(name, each));

function countsOf({ compared }: Overlays, exits: readonly string[]): string | undefined {
  const sum = (counts: ReadonlyMap<string, number>): number =>
    exits.reduce((total, exit) => total + (counts.get(exit) ?? 0), 0);
  return compared && comparedWords(compared, sum(compared.before.exits), sum(compared.after.exits))?.words;
}

interface TargetPickerProps {
  step: string;
  outcome: string;
  graph: FlowGraph;
  choose(target: string | undefined): void;
}

function TargetPicker({ step, outcome, graph, choose }: TargetPickerProps) {
  const select = useRef<HTMLSelectElement>(null);
  useLayoutEffect(() => select.current?.focus(), []);
  const now =
    graph.steps.find(({ name }) => name === step)?.exits.find((exit) => exit.outcome === outcome)?.target ?? '';
  return (
    <form
      class="target-picker"
      onSubmit={(event) => {
        event.preventDefault();
        choose(select.current!.value);
      }}
      onKeyDown={(event) => {
        if (event.key === 'Escape') choose(undefined);
        event.stopPropagation();
      }}
    >
      <label>
        {t('{step}: {outcome} leads to', { step, outcome })}
        <select ref={select}>
          {[...graph.steps.map(({ name }) => name), '$end'].map((name) => (
            <option key={name} value={name} selected={name === now}>
              {name === '$end' ? t('the end') : name}
            </option>
          ))}
        </select>
      </label>
      <button type="submit" class="button primary">
        {t('Reconnect')}
      </button>
      <button type="button" class="button" onClick={() => choose(undefined)}>
        {t('Cancel')}
      </button>
    </form>
  );
}

/** Steps in walk order from the start. */
function inOrder(graph: FlowGraph): GraphStep[] {
  const steps = new Map(graph.steps.map((step) => [step.name, step]));
  return walk(graph, steps, ({ target }) => steps.has(target)).order.map((name) => steps.get(name)!);
}
