/**
 * The order of the files: as workers would take them that never wait for each other's turn, by roughly how long files take.
 * So there is always one of each kind at work that mostly waits, while another worker keeps a processor busy.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { type Turn, turnOf } from './turns.ts';

export const WORKERS = 2;

/** Rather too long: whoever comes too early waits, and its worker with it. */
const USUAL_S: Readonly<Record<Turn | 'other', number>> = { sound: 20, signalling: 15, other: 1 };

export class Sequence extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const left: Record<Turn | 'other', TestSpecification[]> = { sound: [], signalling: [], other: [] };
    for (const file of [...files].sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1))) {
      left[turnOf(file.moduleId) ?? 'other'].push(file);
    }
    const busyUntilS = Array.from({ length: WORKERS }, () => 0);
    const turnEndsS: Record<Turn | 'other', number> = { sound: 0, signalling: 0, other: 0 };
    const order: TestSpecification[] = [];
    while (order.length < files.length) {
      const nowS = Math.min(...busyUntilS);
      const isFree = (kind: Turn): boolean => left[kind].length > 0 && turnEndsS[kind] <= nowS;
      const wanted = (['sound', 'signalling'] as const).find(isFree) ?? 'other';
      const kind = left[wanted].length > 0 ? wanted : left.sound.length > 0 ? 'sound' : 'signalling';
      order.push(left[kind].shift()!);
      const endsS = (kind === 'other' ? nowS : Math.max(nowS, turnEndsS[kind])) + USUAL_S[kind];
      turnEndsS[kind] = endsS;
      busyUntilS[busyUntilS.indexOf(nowS)] = endsS;
    }
    return order;
  }
}
