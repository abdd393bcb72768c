/** One measured figure. `ratio` is `value / peer`, both of the same run. */
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
  const figure: Figure = {
    name,
    value: rounded(value),
    unit,
    peer: peer === undefined ? null : rounded(peer),
    ratio: peer === undefined ? null : rounded(value / peer),
  };
  process.stdout.write(`${JSON.stringify(figure)}\n`);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
