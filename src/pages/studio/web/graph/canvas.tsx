/**
 * A flow as a picture: HTML cards above one SVG with the lines, in one layer that is moved and scaled. It is a single
 * tab stop: arrow keys walk the graph, letters are commands, and screen readers get the label of the focused card.
 * Edits are callbacks to the owner of the text. Uses `layout.ts`, `card.tsx`, `viewport.ts` and `outline.tsx`.
 */
import { type Signal, useComputed, useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { t } from '../../../shared/web/words/translate.ts';
import { isTyping, useHeardKeys } from '../shell/commands.ts';
import { AddButton, FirstStep, LinePlus, PickStrip } from './adding.tsx';
import { GRAPH_KEYS, pressKey } from './canvas-keys.ts';
import { gesturesOf, pressedBy, pressOn, pressTwice } from './canvas-pointer.ts';
import { CanvasState } from './canvas-state.ts';
import type { CardContext } from './card-context.ts';
import { CardFocus } from './card-focus.ts';
import { CardLayer } from './card-layer.tsx';
import { clipboardHandlers } from './clipboard-events.ts';
import type { Card, Drawing } from './drawing.ts';
import { Edges, NearEdges } from './edges.tsx';
import type { EditCallbacks, UndoActions } from './edit-callbacks.ts';
import { FlowDefaults } from './flow-defaults.tsx';
import { listenToGestures } from './gestures.ts';
import { GhostCard, useGhost } from './ghost.tsx';
import { GroupFrames } from './group-frames.tsx';
import { innerAt } from './inner.ts';
import type { KeyTargets } from './key-targets.ts';
import { LiftedCard } from './lifted-card.tsx';
import { LineHints, LinePickStrip } from './line-picking.tsx';
import { lineUnder, MarkedLine } from './line-selection.tsx';
import { Minimap } from './minimap.tsx';
import type { NewStep } from './new-step.ts';
import { FlowNote, NOTE_OF_FLOW, type Notes, ROOM_OF_NOTE } from './note-corner.tsx';
import { Outline } from './outline.tsx';
import type { Overlays } from './overlays.ts';
import { beginSearch, SearchBox } from './search-box.tsx';
import type { Several } from './several.ts';
import { Marquee, SeveralCount } from './several.tsx';
import { offerDrops } from './step-drops.ts';
import type { FoundSteps } from './step-query.ts';
import { Toolbar } from './toolbar.tsx';
import { Trail } from './trail.tsx';
import { useDrawing } from './use-drawing.ts';
import { LEGIBLE, LEGIBLE_NAMES, Viewport, viewedBox } from './viewport.ts';
import { WayInLines } from './ways-in-rows.tsx';

export interface FlowCanvasProps extends EditCallbacks {
  graph: FlowGraph;
  selected: Signal<string | undefined>;
  /** Selection of several steps, whose focused step is `selected`. Without it, one step can be selected. */
  several?: Several;
  /** Notes of the steps, by name. */
  notes?: Notes | undefined;
  /** Finds steps for the search. Default: by what the graph shows. */
  find?: ((query: string) => FoundSteps) | undefined;
  overlays?: Overlays;
  /**
   * Graphs of other flows, to be drawn inside the steps that run them. Returns undefined while a flow is not loaded.
   */
  flows?: (name: string) => FlowGraph | undefined;
  /** Undo and redo, for the toolbar. */
  edits?: UndoActions | undefined;
  /** Text of the flow, embedded in an exported picture. */
  text?: () => string;
  /** Width at the right side that something else covers, in px. */
  covered?: number;
  newStep?: NewStep;
}

const NO_OVERLAYS: Overlays = {};
const HEARD_KEYS = { group: t('Graph, while a step of it has the focus'), keys: GRAPH_KEYS };
/** Below this width, in px, the outline is shown first. */
const NARROW = 700;
/** Maximum number of cards for which moves are animated. */
const MAX_GLIDING = 150;
const GLIDE_MS = 150;

export function FlowCanvas(props: FlowCanvasProps) {
  const { graph, selected, several, overlays = NO_OVERLAYS, flows, covered = 0 } = props;
  useHeardKeys(HEARD_KEYS);
  const box = useRef<HTMLDivElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  const state = useMemo(() => new CanvasState(globalThis.innerWidth < NARROW), []);
  const viewport = useMemo(() => new Viewport(), []);
  state.begin(graph);
  viewport.above = props.notes?.peek().has(NOTE_OF_FLOW) ? ROOM_OF_NOTE : 0;
  const { drawing, shown, folds, around } = useDrawing(useGhost(graph, props.newStep), {
    folded: state.folded.value,
    inside: state.inside.value,
    opened: state.opened.value,
    withDefaults: state.withDefaults.value,
    flows,
  });
  const latest = useRef({ props, drawing, shown, folds, around });
  latest.current = { props, drawing, shown, folds, around };

  const focus = useMemo(
    () =>
      new CardFocus({
        box: () => box.current,
        cardOf: (step) => blockOf(latest.current.drawing, step),
        tabStop: () => blockOf(latest.current.drawing, selected.peek()) ?? startOf(latest.current.shown),
      }),
    [],
  );
  useLayoutEffect(() => focus.attach(), []);

  const inView = (): string[] => {
    const { left, top, right, bottom } = viewedBox(viewport);
    return [...latest.current.drawing.cards.values()]
      .filter((card) => card.x < right && card.x + card.width > left && card.y < bottom && card.y + card.height > top)
      .map(({ step }) => step.name);
  };
  /** Step that is revealed with the drawing that has its card. */
  const unseen = useRef<string | undefined>(undefined);
  const reveal = (step: string): void => {
    const card = cardAt(latest.current.drawing, step);
    unseen.current = card === undefined ? step : undefined;
    if (card !== undefined) viewport.reveal(card);
  };
  /** Leaves the groups that do not contain the step. */
  const leaveFor = (step: string): void => {
    const stays = latest.current.around.findIndex(({ members }) => !members.includes(step));
    if (stays >= 0) state.inside.value = state.inside.value.slice(0, stays);
  };
  const goTo = (step: string): void => {
    leaveFor(step);
    state.exit.value = 0;
    state.inner.value = undefined;
    several?.clear();
    selected.value = step;
    reveal(step);
    focus.go(step);
  };
  const goInside = (id: string): void => {
    const inner = innerAt(latest.current.drawing, id);
    if (inner === undefined) return;
    state.exit.value = 0;
    state.inner.value = id;
    selected.value = inner.outer;
    viewport.reveal(inner.box);
    state.said.value = t('{name} of {flow}. Enter opens it in its own flow', {
      name: inner.card.step.name,
      flow: inner.flow,
    });
    focus.go(id, 'inner');
  };
  const targets = (): KeyTargets => {
    const { props: callbacks, ...drawn } = latest.current;
    const { graph: whole, notes } = callbacks;
    const goes = { inView, showCard: reveal, goTo, goInside };
    return { ...drawn, ...goes, graph: whole, notes, selected, several, state, viewport, callbacks };
  };

  const isEditable = props.onRetarget !== undefined;
  const startName = startOf(shown);
  const drawn = useSignal({ drawing, startName });
  useLayoutEffect(() => {
    drawn.value = { drawing, startName };
    state.wayIn.value = undefined;
  }, [drawing, startName]);
  const visible = useComputed(() => blockOf(drawn.value.drawing, selected.value));
  const tabStop = useComputed(() => visible.value ?? drawn.value.startName);
  const context = useMemo(
    (): CardContext => ({
      selected: visible,
      several: several?.steps,
      notes: props.notes,
      tabStop,
      exit: state.exit,
      inner: state.inner,
      hits: state.search.hits,
      wayIn: state.wayIn,
      hints: state.hints,
      isEditable,
      canSay: ({ step, aboutLines, members }) =>
        isEditable && members === undefined && aboutLines > 0 && (step.group === 'say' || step.group === 'ask'),
      canOpen: ({ step }) => step.opens?.some((name) => flows?.(name) !== undefined) ?? false,
    }),
    [isEditable, flows],
  );

  const open = (): void => {
    const { drawing: opened } = latest.current;
    const start = startName === undefined ? undefined : opened.cards.get(startName);
    const isOverview = latest.current.shown.steps.length < latest.current.props.graph.steps.length;
    viewport.fit(opened, { smallest: isOverview ? LEGIBLE_NAMES : LEGIBLE, start });
  };
  useLayoutEffect(() => {
    if (state.isOutline.value || box.current === null || layer.current === null) return;
    viewport.attach(box.current, layer.current);
    open();
    const stop = listenToGestures(box.current, gesturesOf(state, viewport, targets));
    const endDrops = offerDrops(props.newStep, box.current, targets);
    const resized = new ResizeObserver(() => viewport.resize());
    resized.observe(box.current);
    return () => {
      stop();
      endDrops();
      resized.disconnect();
    };
  }, [state.isOutline.value]);
  // Fit the view when the first steps appear, after loading or in an empty flow, and when other steps are shown.
  const isEmpty = drawing.cards.size === 0;
  useLayoutEffect(() => {
    if (!isEmpty && box.current !== null) open();
  }, [isEmpty, state.inside.value]);
  // Moves the focus between picture and outline when the view is switched, before the next key.
  const isFirstView = useRef(true);
  useLayoutEffect(() => {
    if (!isFirstView.current)
      box.current?.querySelector<HTMLElement>(':is([data-step], [role=treeitem])[tabindex="0"]')?.focus();
    isFirstView.current = false;
  }, [state.isOutline.value]);
  const cardsDrawn = (): void => {
    if (unseen.current !== undefined && unseen.current === selected.peek()) reveal(unseen.current);
    focus.drawn();
  };
  useLayoutEffect(cardsDrawn, [drawing]);
  useEffect(() => viewport.cover(covered, cardAt(latest.current.drawing, selected.peek())), [covered]);
  // Follows the current step of the marked call.
  const now = overlays.path?.now;
  useEffect(() => {
    if (now !== undefined && !state.isOutline.peek()) reveal(now);
  }, [now]);
  // The selection can come from the text or from a list.
  useEffect(
    () =>
      selected.subscribe((step) => {
        state.line.value = undefined;
        state.wayIn.value = undefined;
        if (state.inner.peek()?.startsWith(`${step}#`) === false) state.inner.value = undefined;
        if (state.isOutline.peek()) return;
        if (state.inner.peek() === undefined) focus.follow(step);
        if (step === undefined) return;
        leaveFor(step);
        reveal(step);
      }),
    [selected],
  );
  const glides = useGlide(drawing, layer);

  const onClick = (event: MouseEvent): void => {
    const pressed = pressedBy(event, targets());
    const isAdding = event.shiftKey || event.ctrlKey || event.metaKey;
    if (pressed === undefined || pressed.closest('.flow-note, .graph-search') !== null) return;
    pressOn(pressed, targets(), flows, isAdding);
    if (isEditable && pressed.closest('.card, button') === null) state.line.value = lineUnder(event, targets());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (isTyping(event.target) || !pressKey(event, targets())) return;
    event.preventDefault();
    event.stopPropagation();
  };
  const clipboard = clipboardHandlers(targets);

  const toolbar = (
    <>
      {props.onAdd && <AddButton state={state} targets={targets} />}
      <Toolbar
        {...{ state, viewport, drawing, folds }}
        edits={props.edits}
        find={() => beginSearch(state.search)}
        picture={() => ({
          graph: latest.current.shown,
          drawing: latest.current.drawing,
          text: latest.current.props.text?.(),
        })}
      />
    </>
  );
  if (state.isOutline.value) {
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: the keys of the outline are its own; `o` goes back
      <div
        ref={box}
        class="canvas as-outline"
        onKeyDown={(event) => event.key === 'o' && onKeyDown(event)}
        {...clipboard}
      >
        <Outline graph={graph} overlays={overlays} selected={selected} several={several} callbacks={props} />
        {toolbar}
      </div>
    );
  }
  const level = viewport.level.value;
  return (
    <div
      ref={box}
      class={`canvas${level === 'cards' ? '' : ` far ${level}`}${state.picking.value ? ' picking' : ''}${isEditable ? ' editable' : ''}${several ? ' selects' : ''}${viewport.isNear.value ? ' near' : ''}${state.search.hits.value ? ' searching' : ''}`}
      role="application"
      aria-roledescription={t('flow graph')}
      aria-label={t('Flow {name}, {count, plural, one {# step} other {# steps}}', {
        name: graph.name,
        count: graph.steps.length,
      })}
      onClick={onClick}
      onDblClick={(event) => event.target instanceof Element && pressTwice(event.target, targets())}
      onKeyDown={onKeyDown}
      {...clipboard}
    >
      <div class={`layer${glides ? ' glide' : ''}`} ref={layer}>
        <GroupFrames graph={shown} drawing={drawing} several={several} />
        <svg class="wires" width={drawing.width} height={drawing.height} aria-hidden="true">
          <Edges drawing={drawing} overlays={overlays} />
          <NearEdges drawing={drawing} selected={visible} />
          <WayInLines drawing={drawing} state={state} />
          <MarkedLine drawing={drawing} state={state} />
          <DraggedWire drawing={drawing} state={state} />
        </svg>
        {drawing.titles.map((title) => (
          <span key={title.text} class="part-title" style={{ left: `${title.x}px`, bottom: `${-title.y}px` }}>
            {title.text}
          </span>
        ))}
        {props.onAdd && (
          <LinePlus {...{ box, drawing, viewport }} onAdd={props.onAdd} choose={(line) => (state.line.value = line)} />
        )}
        <LineHints drawing={drawing} state={state} />
        <LiftedCard state={state} />
        <Marquee state={state} />
        <GhostCard drawing={drawing} newStep={props.newStep} viewport={viewport} />
        <CardLayer {...{ drawing, overlays, viewport, context }} start={startName} drawn={cardsDrawn} />
      </div>
      {graph.steps.length === 0 && <FirstStep onAdd={props.onAdd} />}
      <FlowDefaults graph={graph} goTo={goTo} />
      {around.length === 0 && <FlowNote notes={props.notes} edit={props.onFlowNote} />}
      <SearchBox
        {...{ search: state.search, graph, targets }}
        find={props.find}
        leave={() => focus.go(tabStop.peek() ?? '')}
      />
      <Trail flow={graph.name} around={around} state={state} goTo={goTo} />
      {state.isMapShown(drawing.cards.size) && <Minimap drawing={drawing} viewport={viewport} />}
      {toolbar}
      <PickStrip state={state} />
      <LinePickStrip state={state} />
      {several && <SeveralCount several={several} state={state} />}
      <p class="unseen" aria-live="polite">
        {state.said.value}
      </p>
    </div>
  );
}

/** Line from a port to the pointer. */
function DraggedWire({ drawing, state }: { drawing: Drawing; state: CanvasState }) {
  const dragged = state.dragged.value;
  const card = dragged && drawing.cards.get(dragged.from.step);
  const row = card?.rows.find(({ outcome }) => outcome === dragged?.from.outcome);
  if (dragged === undefined || card === undefined || row === undefined) return null;
  const [x, y] = dragged.to;
  const from = [card.x + card.width, card.y + row.y] as const;
  const bend = Math.max(40, Math.abs(x - from[0]) / 2);
  return (
    <path class="wire dragged" d={`M${from[0]} ${from[1]}C${from[0] + bend} ${from[1]} ${x - bend} ${y} ${x} ${y}`} />
  );
}

/** Animates cards to their new positions. */
function useGlide(drawing: Drawing, layer: { current: HTMLElement | null }): boolean {
  const last = useRef<Drawing | undefined>(undefined);
  const glides =
    last.current !== undefined && last.current.edges !== drawing.edges && drawing.cards.size <= MAX_GLIDING;
  useEffect(() => {
    last.current = drawing;
    if (!glides) return;
    const timer = setTimeout(() => layer.current?.classList.remove('glide'), GLIDE_MS * 2);
    return () => clearTimeout(timer);
  }, [drawing]);
  return glides;
}

/** Card of a step, or of the block that contains it. */
function cardAt({ cards }: Drawing, step: string | undefined): Card | undefined {
  if (step === undefined) return undefined;
  return cards.get(step) ?? [...cards.values()].find(({ members }) => members?.includes(step));
}

const blockOf = (drawing: Drawing, step: string | undefined): string | undefined => cardAt(drawing, step)?.step.name;

const startOf = ({ start, steps }: FlowGraph): string | undefined => start ?? steps[0]?.name;
