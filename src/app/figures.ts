/** Figures of all rooms of the house, for the metrics: those that each part keeps of itself, and those of the whole. */
import { callFigures } from '../calls/call-figures.ts';
import type { FigureSource } from '../core/figures.ts';
import { diskFigures } from '../store/disk-figures.ts';
import { storeFigures } from '../store/store-figures.ts';
import { version } from '../version.ts';
import type { Base } from './base.ts';
import type { Calls } from './calls.ts';
import type { Telephony } from './embedded-telephony.ts';
import type { Storage } from './storage.ts';

export function figureSources(
  { directory, clock, state }: Base,
  { store, writeBuffer }: Storage,
  { figures = [] }: Telephony,
  { calls, supervisor, broadcasts }: Calls,
): FigureSource[] {
  return [
    build,
    callFigures({
      liveCalls: () => supervisor.liveCalls,
      maxCalls: () => state.config.limits.calls,
      refusals: calls.refusals,
      broadcasts: () => broadcasts.figures,
    }),
    ...figures,
    storeFigures(store, writeBuffer),
    diskFigures(directory, clock),
  ];
}

const build: FigureSource = {
  figures: [
    {
      name: 'build_info',
      type: 'gauge',
      help: 'Always 1: the versions of the service and of Node.js are its labels',
      labels: ['version', 'node'],
      read: () => [{ labels: { version: version(), node: process.versions.node }, value: 1 }],
    },
  ],
};
