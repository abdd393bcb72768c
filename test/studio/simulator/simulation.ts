/** Answers of a fake service, limited to those that tests need. */
import type { Entry } from '../../../src/pages/studio/web/journal/entries.ts';
import type { SimulationData } from '../../../src/pages/studio/web/simulator/simulation.ts';
import { begun, entered, journalOf, played, speech } from '../journal/recorded.ts';

export const simulation = (given: Partial<SimulationData> = {}): SimulationData => ({
  journal: [],
  state: 'connected',
  clock_ms: 0,
  frames: [],
  heard: [],
  parties: [],
  requests: [],
  acts: [],
  ...given,
});

/** A call with these prompts, one a second. */
export const saying = (...texts: string[]): Entry[] =>
  journalOf(
    begun,
    entered(0, 'menu', 'menu', 1),
    ...texts.map((text, index) => played(index * 1000, `play-${index}`, 1, speech(text))),
  );
