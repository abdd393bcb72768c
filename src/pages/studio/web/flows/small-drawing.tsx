/** Thumbnail of a flow for lists: coloured blocks, drawn when it comes into view. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { FlowGraph } from '../../../../language/flow/graph.ts';
import { request } from '../api.ts';
import type { Drawing } from '../graph/drawing.ts';
import { layOut } from '../graph/layout.ts';
import { textWidth } from '../graph/text-width.ts';

/** Cache by flow and hash, because the list is opened often. */
const drawn = new Map<string, Drawing>();
const WIDTH = 112;
const HEIGHT = 56;

export function SmallDrawing({ flow, hash }: { flow: string; hash: string | undefined }) {
  const key = `${flow} ${hash}`;
  const drawing = useSignal(drawn.get(key));
  const box = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    // A flow with errors has no hash and no graph.
    if (drawing.value !== undefined || hash === undefined) return;
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
      seen.disconnect();
      request<FlowGraph>(`/voice/v1/flow/${encodeURIComponent(flow)}/graph`).then(
        (graph) => {
          drawn.set(key, layOut(graph, { measure: textWidth }));
          drawing.value = drawn.get(key);
        },
        () => undefined,
      );
    });
    seen.observe(box.current!);
    return () => seen.disconnect();
  }, [key]);
  return (
    <span class="small-drawing" ref={box} aria-hidden="true">
      {drawing.value !== undefined && <Blocks drawing={drawing.value} />}
    </span>
  );
}

function Blocks({ drawing: { cards, width, height } }: { drawing: Drawing }) {
  const scale = Math.min(WIDTH / width, HEIGHT / height);
  return (
    <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${width} ${height}`} role="presentation">
      {[...cards.values()].map(({ step, x, y, width: wide, height: high }) => (
        <rect key={step.name} class={`g-${step.group}`} x={x} y={y} width={wide} height={high} rx={2 / scale} />
      ))}
    </svg>
  );
}
