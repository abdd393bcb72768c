/** State that the cards of a canvas share, and the part of it that one card shows. */
import { type ReadonlySignal, type Signal, untracked, useComputed } from '@preact/signals';
import type { MarkedWayIn } from './canvas-state.ts';
import type { Card } from './drawing.ts';
import type { Notes } from './note-corner.tsx';

/** State shared by all cards of a canvas. */
export interface CardContext {
  selected: ReadonlySignal<string | undefined>;
  /** Selected steps, if they are several. Absent if only one can be selected. */
  several: ReadonlySignal<ReadonlySet<string>> | undefined;
  /** Step that receives the focus when Tab enters the drawing. */
  tabStop: ReadonlySignal<string | undefined>;
  /** Index of the marked exit of the selected card. */
  exit: ReadonlySignal<number>;
  /** Selected step of an inner flow. */
  inner: ReadonlySignal<string | undefined>;
  /** Route into a block that is marked. */
  wayIn: Signal<MarkedWayIn | undefined>;
  /** Hits of the running search. Undefined if there is none. */
  hits: ReadonlySignal<ReadonlySet<string> | undefined>;
  /** Hint letters for cards, or for the exits of the selected card. */
  hints: ReadonlySignal<{ of: 'cards' | 'exits'; letters: ReadonlyMap<string, string> } | undefined>;
  /** Notes of the steps, by name. */
  notes: Notes | undefined;
  isEditable: boolean;
  canOpen(card: Card): boolean;
  /** True if the step has editable prompts. */
  canSay(card: Card): boolean;
}

export interface Picked {
  isSelected: boolean;
  /** True for the focused one of the selected steps. */
  isCurrent: boolean;
  /** True if it is selected together with others. A group has no attribute for it, so its name says it. */
  isOfSeveral: boolean;
  isTabStop: boolean;
  /** True if the marked route into a block comes from here. */
  isSource: boolean;
  /** Number of hits of the search at this card. Undefined without a search. */
  hits?: number | undefined;
  /** Hint letters of this card. */
  hint?: string | undefined;
  /** Index of the marked exit of the selected card. */
  exit?: number | undefined;
  /** Hint letters of the exits. */
  exitHints?: ReadonlyMap<string, string> | undefined;
}

/** Selection and hints of one card. The card is rendered again only if its own values change. */
export function usePicked({ step, members }: Card, context: CardContext): Picked {
  const { name } = step;
  const { selected, several, tabStop, exit, inner, hints } = context;
  const picked = (): Picked => {
    const isCurrent = selected.value === name;
    const steps = several?.value;
    const isOfSeveral = steps?.has(name) ?? false;
    const isAlone = isCurrent && (steps?.size ?? 0) < 2;
    const isTabStop = tabStop.value === name;
    const { of, letters } = hints.value ?? {};
    return {
      isSelected: steps === undefined || steps.size === 0 ? isCurrent : isOfSeveral,
      isCurrent,
      isOfSeveral,
      isTabStop,
      isSource: context.wayIn.value?.source === name,
      hits: hitsAt(context.hits.value, members ?? [name]),
      hint: of === 'cards' ? letters?.get(name) : undefined,
      exit: isAlone && inner.value === undefined ? exit.value : undefined,
      exitHints: isAlone && of === 'exits' ? letters : undefined,
    };
  };
  const key = useComputed(() => {
    const { isSelected, isCurrent, isTabStop, isSource, hits, hint = '', exit: marked = '', exitHints } = picked();
    return `${isSelected} ${isCurrent} ${isTabStop} ${isSource} ${hits} ${hint} ${marked} ${[...(exitHints?.values() ?? [])].join()}`;
  });
  // Subscribes to the key, so that its changes render the card.
  void key.value;
  return untracked(picked);
}

const hitsAt = (hits: ReadonlySet<string> | undefined, steps: readonly string[]): number | undefined =>
  hits && steps.filter((step) => hits.has(step)).length;
