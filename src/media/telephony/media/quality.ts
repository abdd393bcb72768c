/** Quality of a leg as one number: a mean opinion score estimated from loss and delay (ITU-T G.107, simplified). */
import type { LegQuality } from '../../../base/core/leg.ts';
import { FRAME_MS } from '../audio.ts';

type AudioStatistics = Pick<LegQuality, 'packetsReceived' | 'packetsLost' | 'jitterMs' | 'roundTripMs'>;

/** R of a perfect G.711 line: G.107 with all defaults, Ie = 0. */
const BEST_R = 93.2;
/** Bpl of G.711 with packet loss concealment, random loss (ITU-T G.113 Appendix I). */
const LOSS_ROBUSTNESS = 25.1;
/** One-way delay if it is unknown without reports: a usual value within a country. */
const ASSUMED_ONE_WAY_MS = 20;
/** A jitter buffer adds about twice the jitter. */
const BUFFERED_JITTERS = 2;
/** Delay from which it is noticed (G.107 §7.4: Idd is 0 up to 100 ms; the linear form bends at 177.3 ms). */
const NOTICED_DELAY_MS = 177.3;

/** 1 (bad) to 4.5, rounded to two digits. */
export function meanOpinionScore({ packetsReceived, packetsLost, jitterMs, roundTripMs }: AudioStatistics): number {
  const sent = packetsReceived + packetsLost;
  const lossPercent = sent === 0 ? 0 : (100 * packetsLost) / sent;
  const oneWayMs =
    (roundTripMs === undefined ? ASSUMED_ONE_WAY_MS : roundTripMs / 2) + BUFFERED_JITTERS * jitterMs + FRAME_MS;
  const delayImpairment = 0.024 * oneWayMs + (oneWayMs > NOTICED_DELAY_MS ? 0.11 * (oneWayMs - NOTICED_DELAY_MS) : 0);
  // §7.5 with Ie = 0 and BurstR = 1.
  const lossImpairment = (95 * lossPercent) / (lossPercent + LOSS_ROBUSTNESS);
  const r = Math.min(100, Math.max(0, BEST_R - delayImpairment - lossImpairment));
  // Annex B.
  const score = 1 + 0.035 * r + r * (r - 60) * (100 - r) * 7e-6;
  return Math.round(Math.min(4.5, Math.max(1, score)) * 100) / 100;
}
