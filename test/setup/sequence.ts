/**
 * The order of the files for two workers: those that take turns, and mostly wait, are spread over the rest, so that there
 * is always one of them at work while the other worker does what keeps a processor busy.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { takesTurns } from './turns.ts';

export class Sequence extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = [...files].sort((a, b) => (a.moduleId < b.moduleId ? -1 : 1));
    const waiting = sorted.filter(({ moduleId }) => takesTurns(moduleId));
    const others = sorted.filter(({ moduleId }) => !takesTurns(moduleId));
    const between = Math.floor(others.length / (waiting.length + 1));
    return [
      ...waiting.flatMap((file, at) => [file, ...others.slice(at * between, (at + 1) * between)]),
      ...others.slice(waiting.length * between),
    ];
  }
}
