/**
 * Which layers a viewer gets for what its link carries beside the sound: screens first, then all cameras a little better in
 * turn, so that nobody is sharp while another is not seen at all.
 */
import type { Layer } from '../sfu.ts';

type Quality = Exclude<Layer, 'off'>;

export interface WantedPicture {
  isScreen: boolean;
  /** The best that the viewer wishes; `off`: nothing of it. */
  wish: Layer;
  /** bit/s of each layer, as it comes now; those that do not exist are as the next one. */
  rates: Readonly<Record<Quality, number>>;
  /** What it gets until now. */
  now: Layer;
}

/** From the smallest on. */
const UPWARDS: readonly Quality[] = ['LD', 'SD', 'HD'];
const RANK: Readonly<Record<Layer, number>> = { off: 0, LD: 1, SD: 2, HD: 3 };
/** The smallest layer may be that much above what is left: rates are guesses, and none is worse than a bad one. */
const GRACE = 1.2;
/** What is shown already goes on, as long as it is not far above: rates rise and fall with what is seen. */
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

/** bit/s of all as they were chosen. */
export const rateOfAll = (wanted: readonly WantedPicture[], chosen: readonly Layer[]): number =>
  wanted.reduce((sum, { rates }, index) => sum + rateOf(rates, chosen[index]!), 0);

/** bit/s that the next better choice takes more. Undefined: all are as wished. */
export function nextStep(wanted: readonly WantedPicture[], chosen: readonly Layer[]): number | undefined {
  const steps = wanted.flatMap(({ wish, rates }, index) => {
    const now = chosen[index]!;
    const next = UPWARDS.find((quality) => RANK[quality] > RANK[now] && RANK[quality] <= RANK[wish]);
    return next === undefined ? [] : [Math.max(0, rates[next] - rateOf(rates, now))];
  });
  return steps.length === 0 ? undefined : Math.min(...steps);
}

const rateOf = (rates: WantedPicture['rates'], layer: Layer): number => (layer === 'off' ? 0 : rates[layer]);
