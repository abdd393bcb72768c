/**
 * Peer of the studio's canvas: the same cards and lines in React Flow with a dagre layout. Handles are at the left and
 * right of a card, one for each row, as users of React Flow do it.
 */
import '@xyflow/react/dist/style.css';
import dagre from '@dagrejs/dagre';
import { Background, Handle, MiniMap, Position, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { createElement, memo } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';

const CARD_STYLE = `.peer-card { position: relative; box-sizing: border-box; background: #fff; border: 1px solid #e3e6eb;
  border-radius: 11px; box-shadow: 0 1px 2px rgb(16 24 40 / .05), 0 3px 10px rgb(16 24 40 / .04); font: 12px/17px sans-serif }
.peer-card header { height: 38px; display: flex; align-items: center; gap: 8px; padding: 0 12px }
.peer-card em { margin-left: auto; font-size: 11px }
.peer-card p { margin: 0 12px 10px; max-height: 34px; overflow: hidden }
.peer-card .badges { height: 22px; padding: 0 12px; display: flex; gap: 5px; overflow: hidden }
.peer-card .row { position: absolute; left: 0; right: 0; height: 24px; padding: 0 14px 0 12px; display: flex; gap: 7px }
.peer-card .live { position: absolute; top: -12px; right: 10px; padding: 0 8px; border-radius: 12px; background: #15803d; color: #fff }`;

const Card = memo(({ data }) => {
  const { card, live } = data;
  const { step, rows, width, height } = card;
  return createElement(
    'div',
    { className: 'peer-card', style: { width, height } },
    createElement(Handle, { type: 'target', position: Position.Left, style: { top: 19 } }),
    createElement('header', null, createElement('strong', null, step.name), createElement('em', null, step.verb)),
    step.about && createElement('p', null, step.about),
    step.badges.length > 0 &&
      createElement(
        'div',
        { className: 'badges' },
        step.badges.map((badge) => createElement('span', { key: badge }, badge)),
      ),
    rows.map((row) =>
      createElement(
        'div',
        { key: row.outcome, className: 'row', style: { top: row.y - 12 } },
        createElement('span', null, row.label),
        row.chip && createElement('span', null, row.target),
        createElement(Handle, { type: 'source', position: Position.Right, id: row.outcome }),
      ),
    ),
    live > 0 && createElement('b', { className: 'live' }, live),
  );
});
const nodeTypes = { card: Card };

/** `cards` and `lines` are those of the studio's drawing. */
function layOut(cards, lines) {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'LR', nodesep: 26, ranksep: 60 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { step, width, height } of cards) graph.setNode(step.name, { width, height });
  for (const { from, to, outcome } of lines) graph.setEdge(from, to, {}, outcome);
  dagre.layout(graph);
  return cards.map((card) => {
    const { x, y } = graph.node(card.step.name);
    return {
      id: card.step.name,
      type: 'card',
      position: { x: x - card.width / 2, y: y - card.height / 2 },
      width: card.width,
      height: card.height,
      data: { card, live: 0 },
    };
  });
}

const edgesOf = (lines) =>
  lines.map(({ from, to, outcome }) => ({
    id: `${from} ${outcome}`,
    source: from,
    sourceHandle: outcome,
    target: to,
    type: 'smoothstep',
  }));

let flow;
let shown;

const Hold = () => {
  flow = useReactFlow();
  return null;
};

globalThis.peer = {
  layOut,
  show(cards, lines) {
    shown = { cards, lines };
    const style = document.createElement('style');
    style.textContent = CARD_STYLE;
    document.head.append(style);
    createRoot(document.getElementById('app')).render(
      createElement(
        ReactFlowProvider,
        null,
        createElement(
          ReactFlow,
          {
            defaultNodes: layOut(cards, lines),
            defaultEdges: edgesOf(lines),
            nodeTypes,
            fitView: true,
            minZoom: 0.02,
            panOnScroll: true,
            onlyRenderVisibleElements: true,
          },
          createElement(Background),
          createElement(MiniMap),
          createElement(Hold),
        ),
      ),
    );
  },
  /** Reroutes one exit, then lays out and draws again. */
  edit(outcome, from, to) {
    shown.lines = shown.lines.map((line) => (line.from === from && line.outcome === outcome ? { ...line, to } : line));
    flushSync(() => {
      flow.setNodes(layOut(shown.cards, shown.lines));
      flow.setEdges(edgesOf(shown.lines));
    });
  },
  live(counts) {
    flushSync(() => {
      for (const [step, live] of Object.entries(counts)) flow.updateNodeData(step, { live });
    });
  },
  zoom: (x, y, zoom) => flow.setViewport({ x, y, zoom }),
};
