/** Finds the test that reaches a step in the shortest time, and returns its call with the acts up to the step. */
import { isObject, type JsonObject } from '../../base/core/json.ts';
import { loadDocument } from '../../base/schema/load.ts';
import type { CompiledFlow } from '../../language/flow/compiled-flow.ts';
import type { TestText } from '../../service/calls/flow-files/flow-trial.ts';
import type { FindFlow } from '../testkit/replay-result.ts';
import { loadScenario } from '../testkit/scenario-file.ts';
import type { JobContext } from './jobs.ts';
import { simulate } from './simulate.ts';

/** Keys of a test that are not part of the call. */
const NOT_OF_THE_CALL = ['test', 'doc', 'flow', 'expect', 'limit'];

/** `form`: the call in the form of a test, with the acts that lead to the step. */
export interface TestPath {
  file: string;
  clock_ms: number;
  form: JsonObject;
}

export async function pathTo(
  step: string,
  flow: CompiledFlow,
  tests: readonly TestText[],
  { flows, throwIfOvertaken }: { flows: FindFlow } & Pick<JobContext, 'throwIfOvertaken'>,
): Promise<TestPath | undefined> {
  const paths: TestPath[] = [];
  for (const { file, text } of tests) {
    const written = loadDocument(text, file).document?.value;
    const { scenario } = loadScenario(text, file);
    if (!scenario || !isObject(written)) continue;
    const { stopped_at, acts, clock_ms } = await simulate(scenario, flow, {
      ...{ flows, throwIfOvertaken },
      ...{ breakpoints: [step], until: 'end' },
    });
    if (stopped_at?.reason !== 'breakpoint') continue;
    const of = Object.entries(written).filter(([key]) => !NOT_OF_THE_CALL.includes(key));
    const script = Array.isArray(written['script']) ? written['script'].slice(0, acts.length) : [];
    paths.push({ file, clock_ms, form: { ...Object.fromEntries(of), script } });
  }
  return paths.sort((one, other) => one.clock_ms - other.clock_ms)[0];
}
