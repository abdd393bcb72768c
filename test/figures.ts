/** Figures as tests look at them: by the values of their labels. */
import type { DistributionReading, FigureSource } from '../src/base/core/figures.ts';

/** `file-1 sip:a.example` → value; without labels: ''. */
export function readFigure({ figures }: FigureSource, name: string): Record<string, number | DistributionReading> {
  const figure = figures.find((one) => one.name === name);
  if (!figure) throw new Error(`there is no figure ${name}`);
  const read = figure.read();
  if (read === undefined) return {};
  if (typeof read === 'number') return { '': read };
  return Object.fromEntries(read.map(({ labels, value }) => [Object.values(labels).join(' '), value]));
}

/** Values other than 0. */
export const countedIn = (source: FigureSource, name: string) =>
  Object.fromEntries(Object.entries(readFigure(source, name)).filter(([, value]) => value !== 0));

/** How many values there were. */
export const countOf = (distribution: number | DistributionReading | undefined): number =>
  typeof distribution === 'object' ? distribution.counts.reduce((all, count) => all + count) : 0;
