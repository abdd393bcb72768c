/**
 * Chooses the layers that a subscriber receives within the bandwidth that audio leaves: screens first, then all cameras
 * in turn, one layer at a time, so that no camera is sharp while another is not shown at all.
 */
import type { Layer } from '../sfu.ts';

type Quality = Exclude<Layer, 'off'>;

export interface WantedPicture {
  isScreen: boolean;
  /** Maximum layer that the subscriber requests; `off`: none. */
  wish: Layer;
  /** Current bit rate of each layer in bit/s; a missing layer has the rate of the next one. */
  rates: Readonly<Record<Quality, number>>;
  /** Current layer. */
  now: Layer;
}

/** In ascending order. */
const UPWARDS: readonly Quality[] = ['LD', 'SD', 'HD'];
const RANK: Readonly<Record<Layer, number>> = { off: 0, LD: 1, SD: 2, HD: 3 };
/**
 * The lowest layer is chosen up to this factor above the remaining budget: rates are estimates, and low quality is
 * better than no video.
 */
const GRACE = 1.2;
/**
 * Hysteresis: keeps the current layer up to this factor above the remaining budget, because bit rates vary with the
 * content.
 */
const KEEPING = 1.35;

export const lower = (one: Layer, other: Layer): Layer => (RANK[one] <= RANK[other] ? one : other);

export function chooseLayers(bits: number, wanted: readonly WantedPicture[]): Layer[] {
  const chosen = wanted.map((): Layer => 'off');
  let left = bits;
  const raise = (index: number, to: Quality): void => {
    const { rates, wish, now } = wanted[index]!;
    const from = chosen[index]!;
    if (RANK[wish] < RANK[to] || RANK[from] !== RANK[to] - 1) return;
    const more = rates[to] - rateOf(rates, from);
    const grace = RANK[to] <= RANK[now] ? KEEPING : to === 'LD' ? GRACE : 1;
    if (more > left * grace) return;
    chosen[index] = to;
    left -= more;
  };
  const screens = wanted.flatMap(({ isScreen }, index) => (isScreen ? [index] : []));
  for (const index of screens) for (const quality of UPWARDS) raise(index, quality);
  for (const quality of UPWARDS) for (const index of wanted.keys()) raise(index, quality);
  return chosen;
}

/** Total bit rate of the chosen layers, in bit/s. */
export const rateOfAll = (wanted: readonly WantedPicture[], chosen: readonly Layer[]): number =>
  wanted.reduce((sum, { rates }, index) => sum + rateOf(rates, chosen[index]!), 0);

/** Additional bit/s of the next better choice. Undefined if all are at their requested layer. */
export function nextStep(wanted: readonly WantedPicture[], chosen: readonly Layer[]): number | undefined {
  const steps = wanted.flatMap(({ wish, rates }, index) => {
    const now = chosen[index]!;
    const next = UPWARDS.find((quality) => RANK[quality] > RANK[now] && RANK[quality] <= RANK[wish]);
    return next === undefined ? [] : [Math.max(0, rates[next] - rateOf(rates, now))];
  });
  return steps.length === 0 ? undefined : Math.min(...steps);
}

const rateOf = (rates: WantedPicture['rates'], layer: Layer): number => (layer === 'off' ? 0 : rates[layer]);
