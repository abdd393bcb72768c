/** A verb of TwiML on its way to become steps. Neighbours: `twiml.ts`, `twiml-parties.ts`. */
import type { ImportedNode } from './imported.ts';
import type { XmlElement } from './read-xml.ts';

/** What becomes a step, or leads on: those before it lead to its entry. */
export interface Unit {
  entry(): string;
  write(next: string): void;
}

/** A node within another one that has to be written by hand. */
export interface Unwritten {
  element: XmlElement;
  node: ImportedNode;
  what: string;
}

export const inARow = (units: readonly Unit[]): Unit => ({
  entry: () => units[0]!.entry(),
  write: (next) => {
    for (const [index, unit] of units.entries()) unit.write(units[index + 1]?.entry() ?? next);
  },
});
