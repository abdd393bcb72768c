/** Search entries of the command palette (Ctrl K): all flows, and the steps of the open flow. */
import { listFlows } from '../flow-api.ts';
import { addSource, type PaletteItem } from '../shell/palette.tsx';
import { navigate } from '../shell/router.ts';
import { session } from '../shell/session.ts';
import type { EditorDraft } from './flow-draft.ts';

/** Cache time of the flow names, so that successive searches in the palette load them once. */
const KEPT_MS = 5000;
let known: { names: Promise<string[]>; atMs: number } | undefined;

export function findFlows(): () => void {
  return addSource(async () => {
    if (typeof session.value !== 'object' || session.value.role !== 'admin') return [];
    if (known === undefined || performance.now() - known.atMs > KEPT_MS) {
      const names = listFlows().then(
        (flows) => flows.map(({ name }) => name),
        () => [],
      );
      known = { names, atMs: performance.now() };
    }
    return (await known.names).map(
      (name): PaletteItem => ({ title: name, kind: 'flow', run: () => navigate(`/flows/${name}`) }),
    );
  });
}

export const findSteps = (draft: EditorDraft): (() => void) =>
  addSource(() =>
    draft.graph.steps.map(
      ({ name }): PaletteItem => ({
        title: name,
        kind: 'step',
        run: () => {
          draft.selected.value = name;
        },
      }),
    ),
  );
