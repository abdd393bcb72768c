/** Wraps the verbs to record what each running step waits for: digits, signals and deadline. */
import type { StepContext, StepDefinition, StepProgram, Wait } from '../../language/steps/step.ts';

export interface WatchedSteps {
  steps: ReadonlyMap<string, StepDefinition>;
  /** Current wait of each step run, by number. The user of this map deletes the entry when the step is left. */
  waits: Map<number, WatchedWait>;
}

/** `untilMs`: deadline on the call's clock; absent without a deadline. */
export type WatchedWait = Pick<Wait, 'digits' | 'signals'> & { untilMs?: number };

/** The wrapped steps behave as without a watcher, in the same order. */
export function watchSteps(steps: ReadonlyMap<string, StepDefinition>): WatchedSteps {
  const waits = new Map<number, WatchedWait>();
  const watched = [...steps].map(([verb, definition]): [string, StepDefinition] => [
    verb,
    {
      ...definition,
      run(context) {
        const program = definition.run(context);
        return program instanceof Promise ? program : watchedProgram(program, context, waits);
      },
    },
  ]);
  return { steps: new Map(watched), waits };
}

function watchedProgram(program: StepProgram, context: StepContext, waits: Map<number, WatchedWait>): StepProgram {
  return {
    async next(...event) {
      const turn = await program.next(...event);
      if (turn.done) return turn;
      const { withinMs, ...wait } = turn.value;
      waits.set(context.runNumber, withinMs === undefined ? wait : { ...wait, untilMs: context.now() + withinMs });
      return turn;
    },
    return: (result) => program.return(result),
  };
}
