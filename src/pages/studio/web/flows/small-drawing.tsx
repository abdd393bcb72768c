/** Thumbnail of a flow for lists: coloured blocks, drawn when it comes into view. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { request } from '../api.ts';
import type { Drawing } from '../graph/drawing.ts';

/** Cache by flow and hash, because the list is opened often. */
const drawn = new Map<string, Drawing>();
const WIDTH = 112;
const HEIGHT = 56;

interface Size {
  width: number;
  height: number;
}

const loadLayout = () => import('./draw-small.ts');

async function drawFlow(flow: string): Promise<Drawing> {
  const graph = request<FlowGraph>(`/voice/v1/flow/${encodeURIComponent(flow)}/graph`);
  const [{ drawGraph }, drawnGraph] = await Promise.all([loadLayout(), graph]);
  return drawGraph(drawnGraph);
}

/** A flow with errors has no hash and no graph. */
export const SmallDrawing = ({ flow, hash }: { flow: string; hash: string | undefined }) => (
  <LazyDrawing id={`${flow} ${hash}`} draw={hash === undefined ? undefined : () => drawFlow(flow)} />
);

/** Thumbnail of a text that is not saved. `id` changes with the text. */
export const DrawnText = ({ id, text, size }: { id: string; text: string; size?: Size }) => (
  <LazyDrawing id={id} draw={async () => (await loadLayout()).drawText(text)} {...(size && { size })} />
);

interface LazyDrawingProps {
  /** Key of the cache. */
  id: string;
  /** Undefined if there is no graph. */
  draw: (() => Promise<Drawing>) | undefined;
  size?: Size;
}

function LazyDrawing({ id, draw, size = { width: WIDTH, height: HEIGHT } }: LazyDrawingProps) {
  const drawing = useSignal(drawn.get(id));
  const box = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    drawing.value = drawn.get(id);
    if (drawing.value !== undefined || draw === undefined) return;
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      draw().then(
        (made) => {
          drawn.set(id, made);
          drawing.value = made;
        },
        () => undefined,
      );
    });
    seen.observe(box.current!);
    return () => seen.disconnect();
  }, [id]);
  return (
    <span class="small-drawing" ref={box} aria-hidden="true">
      {drawing.value !== undefined && <Blocks drawing={drawing.value} size={size} />}
    </span>
  );
}

function Blocks({ drawing: { cards, width, height }, size }: { drawing: Drawing; size: Size }) {
  const scale = Math.min(size.width / width, size.height / height);
  return (
    <svg {...size} viewBox={`0 0 ${width} ${height}`} role="presentation">
      {[...cards.values()].map(({ step, x, y, width: wide, height: high }) => (
        <rect key={step.name} class={`g-${step.group}`} x={x} y={y} width={wide} height={high} rx={2 / scale} />
      ))}
    </svg>
  );
}
