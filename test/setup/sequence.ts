/**
 * The order of the files for two workers: those that talk in real time take turns, so there is always one of them at
 * work while the other worker does the rest. Placed early rather than late: a worker that waits for its turn loses less
 * than turns that nobody takes.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { talksInRealTime } from './turns.ts';

export class Sequence extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = [...files].sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
    const talking = sorted.filter(({ moduleId }) => talksInRealTime(moduleId));
    const others = sorted.filter(({ moduleId }) => !talksInRealTime(moduleId));
    const between = Math.floor(others.length / (talking.length + 1));
    return [
      ...talking.flatMap((file, at) => [file, ...others.slice(at * between, (at + 1) * between)]),
      ...others.slice(talking.length * between),
    ];
  }
}
