/** One measured figure. `ratio` is `value / peer` of the same run, or the median of that of its rounds. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  peer?: number | null;
  ratio?: number | null;
}

const rounded = (value: number): number => Number(value.toPrecision(4));

/** Prints a figure as one JSON line; without a peer, `peer` and `ratio` are null. */
export function report(name: string, value: number, unit: string, peer?: number): void {
  print(name, value, unit, peer, peer === undefined ? undefined : value / peer);
}

/**
 * Prints the medians of rounds that were measured alternately, and the median of their ratios: load that slows a whole
 * round down changes both of its values, and not their ratio. Without peers, `peer` and `ratio` are null.
 */
export function reportRounds(name: string, values: readonly number[], unit: string, peers: readonly number[]): void {
  if (peers.length === 0) {
    print(name, median(values), unit);
    return;
  }
  const ratios = values.map((value, round) => value / peers[round]!);
  print(name, median(values), unit, median(peers), median(ratios));
}

function print(name: string, value: number, unit: string, peer?: number, ratio?: number): void {
  const figure: Figure = {
    name,
    value: rounded(value),
    unit,
    peer: peer === undefined ? null : rounded(peer),
    ratio: ratio === undefined ? null : rounded(ratio),
  };
  process.stdout.write(`${JSON.stringify(figure)}\n`);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
