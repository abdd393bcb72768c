/**
 * Groups the caller's input for the timeline: keys that would overlap become one key cap. Used by `timeline-view.tsx`.
 */
import type { CallerAct } from '../journal/acts.ts';
import type { Span } from '../journal/entries.ts';
import type { TimeScale } from './timeline.ts';

export interface KeyCluster {
  span: Span;
  acts: CallerAct[];
  /** Empty if the group has no keys. */
  digits: string;
}

/** Width of a key cap with one digit, and of each further digit, in px. */
const CAP_WIDTH = 18;
const DIGIT_WIDTH = 8;

export function keyClustersOf(acts: readonly CallerAct[], scale: TimeScale): KeyCluster[] {
  const clusters: KeyCluster[] = [];
  for (const act of acts) {
    const digit = act.act === 'pressed' ? act.digit : '';
    const last = clusters.at(-1);
    const isNear =
      digit !== '' &&
      last !== undefined &&
      last.digits !== '' &&
      scale.xAt(act.fromMs) < scale.xAt(last.span.fromMs) + CAP_WIDTH + (last.digits.length - 1) * DIGIT_WIDTH;
    if (isNear) {
      last.acts.push(act);
      last.digits += digit;
      last.span = { fromMs: last.span.fromMs, toMs: act.fromMs };
    } else {
      const { fromMs, toMs } = act;
      clusters.push({ span: { fromMs, ...(toMs !== undefined && { toMs }) }, acts: [act], digits: digit });
    }
  }
  return clusters;
}

export function isInView(
  scale: TimeScale,
  { fromMs, toMs }: Span,
  endMs: number,
  view: { from: number; to: number },
): boolean {
  return scale.xAt(fromMs) <= view.to && scale.xAt(toMs ?? endMs) >= view.from;
}
