/**
 * Order of the test files, computed from approximate durations so that workers do not wait for each other's turn. Long
 * files run before short ones, so that all workers end at about the same time.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { type Turn, turnOf } from './turns.ts';

const TURNS = ['softphones', 'telephones', 'rooms', 'busy'] as const satisfies Turn[];
/**
 * One worker for each turn of telephones, which wait most of the time, and two for the rest, which wait for disks and
 * processes. More would delay audio.
 */
export const WORKERS = 4;

type Kind = Turn | 'other';

/** Generous durations: a file that starts too early would block its worker. */
const USUAL_S: Readonly<Record<Kind, number>> = { softphones: 22, telephones: 15, rooms: 20, busy: 20, other: 1 };

/** Files that take much longer than others of their kind, on two processors. */
const LONG_S: Readonly<Record<string, number>> = {
  'api/client': 8,
  'api/flow-files': 9,
  'calls/broadcast/volume': 8,
  'cli/doctor': 5,
  'cli/start': 50,
  'cli/test-generate': 8,
  'cluster/single-use-tokens': 9,
  'crash/broadcast': 40,
  'crash/events': 20,
  'crash/kills': 25,
  'e2e/broadcast': 32,
  'e2e/callback': 22,
  'e2e/parties': 45,
  'e2e/phone': 25,
  'e2e/room-page': 100,
  'e2e/room-phones': 20,
  'e2e/rooms': 70,
  'e2e/studio': 48,
  'e2e/studio-accessibility': 48,
  'e2e/studio-calls': 44,
  'e2e/studio-canary': 30,
  'e2e/studio-editor': 34,
  'e2e/studio-nodes': 18,
  'e2e/studio-settings': 32,
  'e2e/webphone': 36,
  'engine/browser-contract': 20,
  'engine/contract': 15,
  'explore/explore-flow': 5,
  'explore/planted': 14,
  'flows/explored': 11,
  'flows/mutants': 8,
  'importers/bad-input': 8,
  'importers/values': 5,
  'media/agent-hearing': 7,
  'media/agents': 20,
  'rooms/engine-contract': 45,
  'rooms/janus/janus-contract': 45,
  'rooms/live-encoding': 38,
  'rooms/sessions': 10,
  'rooms/transcoding': 28,
  'rooms/turn': 9,
  'security/sign-in': 8,
  'simulation/simulation': 16,
  'sip/client-certificates': 8,
  'speech/flite': 6,
  'speech/pico': 6,
  'speech/recognition-vad': 7,
  'speech/recognition-vosk': 16,
  'store/redis-broadcasts': 13,
  'store/redis-failover': 7,
  'store/sqlite': 7,
  'studio/graph/canvas': 20,
  'studio/text/edit': 10,
  'webhooks/volume': 15,
  'workbench/workbench': 6,
};

export class Sequence extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { maxWorkers } = this.ctx.config;
    return inOrder(files, ({ moduleId }) => moduleId, Number(maxWorkers));
  }
}

function inOrder<File>(files: readonly File[], pathOf: (file: File) => string, workers: number): File[] {
  const left: Record<Kind, File[]> = { softphones: [], telephones: [], rooms: [], busy: [], other: [] };
  const takesS = (file: File): number =>
    LONG_S[/\/test\/(.+)\.test\.ts$/.exec(pathOf(file))?.[1] ?? ''] ?? USUAL_S[turnOf(pathOf(file)) ?? 'other'];
  const byLength = (one: File, other: File): number =>
    takesS(other) - takesS(one) || (pathOf(one) < pathOf(other) ? -1 : 1);
  for (const file of [...files].sort(byLength)) left[turnOf(pathOf(file)) ?? 'other'].push(file);
  const busyUntilS = Array.from({ length: workers }, () => 0);
  const turnEndsS: Record<Turn, number> = { softphones: 0, telephones: 0, rooms: 0, busy: 0 };
  const order: File[] = [];
  while (order.length < files.length) {
    const nowS = Math.min(...busyUntilS);
    const isFree = (turn: Turn): boolean => left[turn].length > 0 && turnEndsS[turn] <= nowS;
    const kind = TURNS.find(isFree) ?? (left.other.length > 0 ? 'other' : TURNS.find((turn) => left[turn].length > 0)!);
    const file = left[kind].shift()!;
    order.push(file);
    const endsS = (kind === 'other' ? nowS : Math.max(nowS, turnEndsS[kind])) + takesS(file);
    if (kind !== 'other') turnEndsS[kind] = endsS;
    busyUntilS[busyUntilS.indexOf(nowS)] = endsS;
  }
  return order;
}
