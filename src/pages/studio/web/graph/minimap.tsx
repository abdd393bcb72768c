/** Minimap of the drawing with the visible part. A press or a drag moves the view. */
import { useEffect, useRef } from 'preact/hooks';
import type { VerbGroup } from '../../../../language/flow/graph.ts';
import type { Drawing } from './drawing.ts';
import type { Viewport } from './viewport.ts';

const WIDTH = 180;
const HEIGHT = 120;
const PADDING = 6;
/** The colours of the groups come from the styles. */
const GROUPS: readonly VerbGroup[] = ['say', 'ask', 'call', 'outside', 'logic', 'end'];
/** Canvas pixels for a CSS pixel, for sharp lines on dense screens. */
const DENSITY = 2;

export function Minimap({ drawing, viewport }: { drawing: Drawing; viewport: Viewport }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLElement>(null);
  const scale = Math.min(
    (WIDTH - 2 * PADDING) / Math.max(1, drawing.width),
    (HEIGHT - 2 * PADDING) / Math.max(1, drawing.height),
  );
  const left = (WIDTH - drawing.width * scale) / 2;
  const top = (HEIGHT - drawing.height * scale) / 2;

  // Changed words on a card keep the lines of the drawing.
  useEffect(() => paint(canvas.current!, drawing, scale, left, top), [drawing.edges]);
  useEffect(
    () =>
      viewport.moves.subscribe(() => {
        const { view, size } = viewport;
        // Moves can arrive for one frame after the component was removed.
        const style = frame.current?.style;
        if (style === undefined) return;
        style.transform = `translate(${left - (view.x / view.scale) * scale}px,${top - (view.y / view.scale) * scale}px)`;
        style.width = `${(size.width / view.scale) * scale}px`;
        style.height = `${(size.height / view.scale) * scale}px`;
      }),
    [drawing],
  );
  const go = (event: PointerEvent): void => {
    event.stopPropagation();
    if (event.buttons === 0) return;
    const box = canvas.current!.getBoundingClientRect();
    const x = (event.clientX - box.left - left) / scale;
    const y = (event.clientY - box.top - top) / scale;
    viewport.reveal({ x, y, width: 0, height: 0 }, true);
  };
  return (
    <div class="minimap" aria-hidden="true" onPointerDown={go} onPointerMove={go}>
      <canvas ref={canvas} width={WIDTH * DENSITY} height={HEIGHT * DENSITY} />
      <i ref={frame} />
      {GROUPS.map((group) => (
        <b key={group} class={`g-${group}`} data-group={group} />
      ))}
    </div>
  );
}

function paint(canvas: HTMLCanvasElement, drawing: Drawing, scale: number, left: number, top: number): void {
  const pen = canvas.getContext('2d');
  if (pen === null) return;
  const colours = new Map(
    [...canvas.parentElement!.querySelectorAll<HTMLElement>('[data-group]')].map((probe) => [
      probe.dataset['group'],
      getComputedStyle(probe).color,
    ]),
  );
  pen.setTransform(DENSITY, 0, 0, DENSITY, 0, 0);
  pen.clearRect(0, 0, WIDTH, HEIGHT);
  pen.globalAlpha = 0.75;
  for (const { step, x, y, width, height } of drawing.cards.values()) {
    pen.fillStyle = colours.get(step.group)!;
    pen.fillRect(left + x * scale, top + y * scale, Math.max(1, width * scale), Math.max(1, height * scale));
  }
}
