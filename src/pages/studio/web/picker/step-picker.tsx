/**
 * List from which a person adds a step, next to the exit that leads to it: search, groups, and a second page for what
 * cannot be invented (`ask-page.tsx`). The text is not changed until a step is chosen. On a narrow screen it is a sheet.
 */
import './picker.css';
import './drag-step.css';
import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { isRefusal } from '../../../../language/flow/text/edits.ts';
import { openText, valueAt } from '../../../../language/flow/text/flow-source.ts';
import type { StepDrops } from '../graph/new-step.ts';
import { VerbIcon } from '../icons.tsx';
import type { ExitRef } from '../text/edit.ts';
import { verbOfLater } from '../text/later-step.ts';
import type { StepTemplate } from '../text/step-template.ts';
import { anchorOf, ghostAnchor, markAnchor, placeAt } from './anchor.ts';
import { asksOf, type Known } from './answers.ts';
import { type AskedItem, AskPage } from './ask-page.tsx';
import type { AddRequest, ChosenStep } from './choice.ts';
import { type ListDrags, ListPage } from './list-page.tsx';
import { lostSteps } from './lost-steps.ts';
import { itemOf, type StepItem } from './search-steps.ts';
import type { SectionSource } from './sections.ts';
import { countsOf, recentVerbs, rememberVerb, suggestedVerbs } from './suggested.ts';
import { readTemplates } from './templates.ts';
import { WORDS } from './words.ts';

export interface StepPickerProps {
  request: AddRequest;
  graph: FlowGraph;
  known: Known;
  /** Returns why the step cannot be added. */
  add(choice: ChosenStep): Promise<string | undefined>;
  close(): void;
  /** The marked step has changed; undefined while none is. */
  mark(item: StepItem | undefined): void;
  /** Exits of the graph at which a step can be dropped. */
  drops: { readonly current: StepDrops | undefined };
  /** Adds the step at another exit. */
  moveTo(at: ExitRef): void;
}

interface Dragged {
  item: StepItem;
  x: number;
  y: number;
}

export function StepPicker({ request, graph, known, add, close, mark, drops, moveTo }: StepPickerProps) {
  const box = useRef<HTMLDialogElement>(null);
  const asked = useSignal<AskedItem | undefined>(undefined);
  const dragged = useSignal<Dragged | undefined>(undefined);
  /** Step that was dropped at another exit, until it is chosen there. */
  const dropped = useRef<StepItem | undefined>(undefined);
  const templates = useSignal<readonly StepTemplate[]>([]);
  const { at, turns } = request;
  const source = useMemo(
    (): SectionSource => ({
      verbs: known.verbs,
      suggested: suggestedVerbs(graph, at, known.verbs),
      recent: recentVerbs(),
      uses: countsOf(graph),
      templates: turns === undefined ? templates.value : [],
    }),
    [request, templates.value],
  );
  useShown(box);
  useEffect(() => void readTemplates(known.verbs).then((found) => (templates.value = found)), []);
  useLayoutEffect(() => {
    asked.value = begun(request, known);
    const item = dropped.current;
    dropped.current = undefined;
    if (item !== undefined) choose(item, false);
    // The card of the step before may be as new as the request.
    const place = (): void => {
      const anchor = ghostAnchor(at) ?? request.anchor ?? anchorOf(at);
      const { left, top } = placeAt(anchor, { width: innerWidth, height: innerHeight });
      box.current?.style.setProperty('left', `${left}px`);
      box.current?.style.setProperty('top', `${top}px`);
    };
    place();
    let unmark = markAnchor(at);
    const frame = requestAnimationFrame(() => {
      place();
      unmark();
      unmark = markAnchor(at);
    });
    return () => {
      cancelAnimationFrame(frame);
      unmark();
    };
  }, [request]);

  const take = async (choice: ChosenStep): Promise<string | undefined> => {
    const refused = await add(choice);
    if (refused === undefined && choice.template === undefined) rememberVerb(choice.verb);
    return refused;
  };
  const choose = (item: StepItem, isOn: boolean): void => {
    const verb = known.verbs[item.verb]!;
    const { verb: name, answers = [], says, template } = item;
    const lost = template === undefined && verb.terminal && at !== undefined ? lostSteps(graph, at) : [];
    const isOpen = says === undefined && asksOf(item, known.verbs).length > answers.length;
    if (isOpen || lost.length > 0) asked.value = { item, isOn, lost };
    else {
      const more = { ...(says !== undefined && { says }), ...(template !== undefined && { template }) };
      void take({ verb: name, answers, isOn, ...more }).then(tellRefusal(item, isOn));
    }
  };
  const tellRefusal =
    (item: StepItem, isOn: boolean) =>
    (refused: string | undefined): void => {
      if (refused !== undefined) asked.value = { item, isOn, lost: [], refused };
    };
  const endDrag = (): void => {
    mark(dragged.peek()?.item);
    dragged.value = undefined;
    drops.current?.show(false);
  };
  const drags: ListDrags = {
    begin(item) {
      if (drops.current === undefined || turns !== undefined) return false;
      mark(undefined);
      dragged.value = { item, x: 0, y: 0 };
      drops.current.show(true);
      return true;
    },
    move(x, y) {
      dragged.value = { ...dragged.peek()!, x, y };
      drops.current?.over(x, y);
    },
    drop(x, y) {
      const exit = drops.current?.over(x, y);
      dropped.current = exit && dragged.peek()?.item;
      endDrag();
      if (exit !== undefined) moveTo(exit);
    },
    cancel: endDrag,
  };
  const title = turns === undefined ? WORDS.title(at?.step) : WORDS.turn(turns);
  return (
    <dialog
      ref={box}
      class={`step-picker${dragged.value === undefined ? '' : ' dragging'}`}
      aria-label={title}
      onClose={close}
      closedby="any"
    >
      <DraggedStep dragged={dragged.value} group={dragged.value && known.verbs[dragged.value.item.verb]?.group} />
      <header class="picker-head">
        <button type="button" class="button quiet" onClick={() => box.current?.close()}>
          {WORDS.cancel}
        </button>
        <b>{turns === undefined ? WORDS.titleOnPhone(at?.step) : title}</b>
      </header>
      {asked.value === undefined ? (
        <ListPage key={JSON.stringify(at)} source={source} choose={choose} mark={mark} drags={drags} />
      ) : (
        <AskPage
          asked={asked.value}
          known={known}
          canWait={turns === undefined}
          take={take}
          back={() => (asked.value = undefined)}
        />
      )}
    </dialog>
  );
}

/** The step at the pointer while it is dragged to the graph. */
function DraggedStep({ dragged, group }: { dragged: Dragged | undefined; group: string | undefined }) {
  if (dragged === undefined) return null;
  const { item, x, y } = dragged;
  return (
    <div class={`dragged-step g-${group ?? 'logic'}`} style={{ transform: `translate(${x}px,${y}px)` }}>
      <span class="picker-icon">
        <VerbIcon verb={item.verb} />
      </span>
      <b>{item.name}</b>
    </div>
  );
}

/** The questions of the verb that was chosen for a step to do. */
function begun({ turns }: AddRequest, { verbs, text }: Known): AskedItem | undefined {
  const source = turns === undefined ? undefined : openText(text);
  if (source === undefined || isRefusal(source)) return undefined;
  const verb = verbOfLater(valueAt(source.value, ['steps', turns!, 'todo']), verbs);
  const picker = verb === undefined ? undefined : verbs[verb]!.picker;
  return picker === undefined ? undefined : { item: itemOf(verb!, picker), isOn: false, lost: [] };
}

/** Opens the dialog, and gives the focus back to the graph when it goes. */
function useShown(box: { readonly current: HTMLDialogElement | null }): void {
  useEffect(() => {
    const before = document.activeElement;
    const pane = document.querySelector<HTMLElement>('.canvas')?.closest<HTMLElement>('[data-pane]');
    box.current?.showModal();
    box.current?.querySelector<HTMLElement>('input')?.focus();
    return () =>
      queueMicrotask(() => {
        if (document.activeElement !== document.body) return;
        if (before instanceof HTMLElement && before.isConnected && before !== document.body) before.focus();
        else pane?.focus();
      });
  }, []);
}
