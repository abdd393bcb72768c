/** Loads the configured and the built-in flows at the start and at a reload, and checks the flows that numbers use. */
import { dirname } from 'node:path';
import type { Clock } from '../base/core/clock.ts';
import { type Diagnostic, hasErrors } from '../base/core/diagnostic.ts';
import { defined } from '../base/core/json.ts';
import type { Config } from '../config.ts';
import type { FlowNames } from '../language/flow/flow-draft.ts';
import { FlowLibrary } from '../language/flow/flow-library.ts';
import { inputProblem } from '../service/calls/flow-files/flow-input.ts';
import { verbs } from '../verbs/steps.ts';
import { ConfigurationError } from './errors.ts';

export interface LoadOptions {
  /** Read again by the library for each flow that it compiles. */
  names: FlowNames;
  clock: Pick<Clock, 'now'>;
  /** Called between flows, so that calls continue during a reload. */
  yieldTurn?(): Promise<void> | undefined;
  /** Called with the loaded flows before the flows of numbers are checked. */
  mend?(library: FlowLibrary): void;
}

/**
 * Throws a `ConfigurationError`. The configured directory is loaded before the built-in one: a user's flow replaces a
 * built-in flow of the same name.
 */
export async function loadFlows(config: Config, { names, clock, yieldTurn, mend }: LoadOptions): Promise<FlowLibrary> {
  const library = new FlowLibrary(verbs, { ...names, now: () => clock.now() });
  try {
    for (const _ of library.loading(config.flowsDirectory)) await yieldTurn?.();
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (!isMissing || !config.flowsOptional) {
      const why = isMissing ? 'there is no such directory' : String(error);
      const message = `the flows in ${config.flowsDirectory} cannot be read: ${why}`;
      const hint = 'make the directory, or name another with flows_directory';
      const location = config.locationOf('/flows_directory');
      throw new ConfigurationError([{ severity: 'error', code: 'no-flows', message, hint, ...location }]);
    }
  }
  library.loadBuiltIn();
  mend?.(library);
  const problems = config.numbers.flatMap((number, index) =>
    numberProblems(number, `/numbers/${index}`, config, library),
  );
  if (problems.length === 0) return library;
  throw new ConfigurationError([...problems, ...library.diagnostics().filter((one) => hasErrors([one]))]);
}

/** Names that flows may use. `kept`: schedules of the admin API. */
export function flowNames(
  { prompts, env, schedules, sip }: Config,
  { promptDirectory, kept }: { promptDirectory: string; kept: readonly string[] },
): MutableNames {
  const files = Object.values(prompts).flatMap((varieties) =>
    Object.values(varieties).flatMap(({ file }) => file ?? []),
  );
  return {
    schedules: [...new Set([...Object.keys(schedules), ...kept])],
    env: Object.keys(env),
    headers: [...sip.headers.read],
    promptRoots: [...new Set([...files.map((file) => dirname(file)), promptDirectory])],
  };
}

/** Mutable lists, because a library keeps references to them. */
export type MutableNames = { [Name in keyof FlowNames]: string[] };

/** The flow of a number must exist, and accept the input of the number. */
function numberProblems(
  { flow: name, input }: Config['numbers'][number],
  pointer: string,
  config: Config,
  library: FlowLibrary,
): Diagnostic[] {
  if (name === undefined) return [];
  const problem = (code: string, key: string, message: string, hint?: string): Diagnostic[] => [
    defined<Diagnostic>({ severity: 'error', code, message, hint, ...config.locationOf(`${pointer}/${key}`) }),
  ];
  const flow = library.get(name);
  if (!flow) {
    const hint = `the flows are ${library.names().join(', ')}`;
    return problem('unknown-flow', 'flow', `there is no flow ${name} that compiles`, hint);
  }
  const wrong = inputProblem(flow, input ?? {});
  return wrong === undefined ? [] : problem('wrong-input', 'input', wrong);
}
