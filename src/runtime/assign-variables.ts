/** `set`: what a flow remembers of a step that succeeded. A value that its variable refuses is an error. */
import { type Fault, fault, faultIn } from '../core/fault.ts';
import type { JsonObject } from '../core/json.ts';
import type { CompiledFlow, Template } from '../flow/compiled-flow.ts';
import { renderTemplate } from '../flow/template.ts';
import type { StepDefinition, StepResult } from '../steps/step.ts';
import type { FlowFrame } from './flow-frame.ts';
import type { FlowScope } from './flow-scope.ts';
import type { NewEntry } from './journal.ts';
import { MAX_VARIABLE_SIZE } from './limits.ts';
import { type Mask, maskSensitive } from './mask.ts';
import type { StepRun } from './step-run.ts';
import { jsonSize } from './weight.ts';

export interface AssignHost {
  readonly mask: Mask;
  note(entry: NewEntry): void;
  /** Replay: what was assigned after a visit that cannot be repeated because its input was masked. */
  recordedVars?(visit: number): JsonObject | undefined;
}

/** The result that the step is left with: the given one, or why it could not be assigned from. */
export function assignVariables(
  frame: FlowFrame,
  stepRun: StepRun,
  given: StepResult,
  scope: FlowScope,
  host: AssignHost,
): StepResult | Promise<StepResult> {
  const { step, number } = stepRun;
  if (step.sensitive) host.mask.learn(given.result, { shortNumbers: false });
  // A step that was skipped, or not done at all, found nothing new.
  if (!stepRun.hasStarted) return given;
  frame.results[step.name] = given.result ?? null;
  const recorded = host.recordedVars?.(number);
  if (recorded) {
    Object.assign(frame.vars, recorded);
    host.note({ kind: 'vars', set: maskSensitive(recorded, frame.flow.vars), visit: number });
    return given;
  }
  const templates = templatesOf(stepRun, given);
  if (templates.length === 0 && given.vars === undefined) return given;
  return assignAll(templates, frame, stepRun, given, scope, host);
}

async function assignAll(
  templates: ReturnType<typeof templatesOf>,
  frame: FlowFrame,
  { number }: StepRun,
  given: StepResult,
  scope: FlowScope,
  host: AssignHost,
): Promise<StepResult> {
  const set: JsonObject = { ...given.vars };
  try {
    for (const [name, template] of templates) {
      set[name] = await renderTemplate(template, scope.variables(given.result ?? null), scope.evaluation);
    }
  } catch (error) {
    return { outcome: 'error', fault: faultOf(error) };
  }
  const wrong = variableFault(frame.flow, set);
  if (wrong) return { outcome: 'error', fault: wrong };
  host.mask.learnVariables(set, frame.flow.vars);
  Object.assign(frame.vars, set);
  host.note({ kind: 'vars', set: maskSensitive(set, frame.flow.vars), visit: number });
  return given;
}

export function variableFault(flow: CompiledFlow, set: JsonObject): Fault | undefined {
  for (const [name, value] of Object.entries(set)) {
    const wrong = jsonSize(value) > MAX_VARIABLE_SIZE ? 'is too large' : flow.checkVariable(name, value);
    if (wrong) return fault('invalid_variable', `variable ${name.slice(0, 64)}: ${wrong}`);
  }
  return undefined;
}

/** A step that was ended from outside has no result to assign from. */
function templatesOf({ step, definition, isForced }: StepRun, { outcome }: StepResult): [string, Template][] {
  return step.set && !isForced && !isNegative(outcome, definition) ? Object.entries(step.set) : [];
}

/** Outcomes after which `set` has nothing to assign from: no author can give these names to an outcome of his own. */
const NEGATIVE_OUTCOMES = ['error', 'exhausted', 'timeout', 'limit', 'hangup'];

const isNegative = (outcome: string, definition: StepDefinition): boolean => {
  const kind = outcome.split('.')[0]!;
  return NEGATIVE_OUTCOMES.includes(kind) || (definition.negativeOutcomes?.includes(kind) ?? false);
};

/** What broke, as data for the flow; our own bugs go on to the crash wall. */
export function faultOf(error: unknown): Fault {
  const carried = faultIn(error);
  if (carried) return carried;
  throw error;
}
