/** Data of a step: its arguments on entry, and the variables that it sets (`set`) on success. */
import { type Fault, fault, faultIn } from '../../base/core/fault.ts';
import type { Json, JsonObject } from '../../base/core/json.ts';
import type { CompiledFlow, Template } from '../../language/flow/compiled-flow.ts';
import { evaluate, isTrue } from '../../language/flow/expression.ts';
import type { OutcomeEntry } from '../../language/flow/possible-outcomes.ts';
import { renderTemplate } from '../../language/flow/template.ts';
import { callSetting } from '../../language/flow/voice-settings.ts';
import type { StepDefinition, StepResult } from '../../language/steps/step.ts';
import type { CallContext } from './call-context.ts';
import type { FlowFrame } from './flow-frame.ts';
import { MASK } from './journal.ts';
import { jsonSize, MAX_VARIABLE_SIZE } from './limits.ts';
import { maskCredentials, maskSensitive } from './mask.ts';
import { maskedTemplates } from './masked-templates.ts';
import { changeVoiceSetting, voiceSettingsOf } from './speaking.ts';
import type { StepRun } from './step-run.ts';

/** Evaluates the condition of a step and renders its arguments. Returns a result if the step is skipped or refused. */
export async function prepareInput(
  call: CallContext,
  frame: FlowFrame,
  stepRun: StepRun,
): Promise<StepResult | undefined> {
  const { step, definition, number: visit } = stepRun;
  try {
    if (frame.flow.voiceSettings || step.voiceSettings)
      stepRun.voiceSettings = await voiceSettingsOf(call, frame, step);
    if (step.when && !isTrue(await evaluate(step.when, frame.scope(), frame.evaluation))) {
      call.append({ kind: 'skipped', step: step.name, visit });
      return { outcome: definition.success ?? 'done' };
    }
    const { isConstant, constant = null } = step.input;
    stepRun.input = isConstant
      ? constant
      : await renderTemplate(step.input, frame.scope(undefined, { withSecrets: true }), {
          ...frame.evaluation,
          locale: stepRun.voiceSettings.locale,
        });
  } catch (error) {
    return { outcome: 'error', fault: faultOf(error) };
  }
  if (!step.input.isConstant) {
    const input = step.sensitive ? MASK : maskCredentials(step.verb, stepRun.input, step.args);
    const templates = maskedTemplates(call.mask.apply<Json>(input), step.args);
    call.append({ kind: 'rendered', visit, input, ...(templates ? { templates } : {}) });
  }
  const { args, problem } = step.complete(stepRun.input);
  stepRun.input = args;
  return problem ? { outcome: 'error', fault: fault('invalid_arguments', `${step.verb}: ${problem}`) } : undefined;
}

/** Result with which the step is left: the given one, or the error of the assignment. */
export function assignVariables(
  call: CallContext,
  frame: FlowFrame,
  stepRun: StepRun,
  given: StepResult,
): StepResult | Promise<StepResult> {
  const { step, number } = stepRun;
  if (step.sensitive) call.mask.learn(given.result, { shortNumbers: false });
  // A step that was skipped, or refused on entry, has no new result.
  if (!stepRun.hasStarted) return given;
  frame.results[step.name] = given.result ?? null;
  const recorded = call.ports.recordedVars?.(number);
  if (recorded) {
    assign(call, frame, recorded);
    call.append({ kind: 'vars', set: maskSensitive(recorded, frame.flow.vars), visit: number });
    return given;
  }
  const templates = templatesOf(stepRun, given);
  if (templates.length === 0 && given.vars === undefined) return given;
  return assignAll(templates, call, frame, number, given);
}

async function assignAll(
  templates: ReturnType<typeof templatesOf>,
  call: CallContext,
  frame: FlowFrame,
  stepRun: number,
  given: StepResult,
): Promise<StepResult> {
  const set: JsonObject = { ...given.vars };
  try {
    for (const [name, template] of templates) {
      set[name] = await renderTemplate(template, frame.scope(given.result ?? null), frame.evaluation);
    }
  } catch (error) {
    return { outcome: 'error', fault: faultOf(error) };
  }
  const wrong = variableFault(frame.flow, set);
  if (wrong) return { outcome: 'error', fault: wrong };
  call.mask.learnVariables(set, frame.flow.vars);
  assign(call, frame, set);
  const shown = maskSensitive(set, frame.flow.vars);
  const sources = Object.fromEntries(templates.map(([name, { source }]) => [name, source]));
  const masked = maskedTemplates(call.mask.apply<Json>(shown), sources);
  call.append({ kind: 'vars', set: shown, visit: stepRun, ...(masked ? { templates: masked } : {}) });
  return given;
}

function assign(call: CallContext, frame: FlowFrame, set: JsonObject): void {
  for (const [name, value] of Object.entries(set)) {
    const setting = callSetting(name);
    if (setting) changeVoiceSetting(call, frame, setting, value);
    else frame.vars[name] = value;
  }
}

export function variableFault(flow: CompiledFlow, set: JsonObject): Fault | undefined {
  for (const [name, value] of Object.entries(set)) {
    if (callSetting(name)) continue;
    const wrong = jsonSize(value) > MAX_VARIABLE_SIZE ? 'is too large' : flow.checkVariable(name, value);
    if (wrong) return fault('invalid_variable', `variable ${name.slice(0, 64)}: ${wrong}`);
  }
  return undefined;
}

/** A step that was ended by a command has no result to assign from. */
function templatesOf({ step, definition, isForced }: StepRun, { outcome }: StepResult): [string, Template][] {
  return step.set && !isForced && !isNegative(outcome, definition) ? Object.entries(step.set) : [];
}

/** Outcomes without a result for `set`; authors cannot use these names for their own outcomes. */
const NEGATIVE_OUTCOMES = ['error', 'exhausted', 'timeout', 'limit', 'hangup'];

const isNegative = (outcome: string, definition: StepDefinition): boolean => {
  const word = outcome.split('.')[0]!;
  const isUnsuccessful = ([name, { kind }]: [string, OutcomeEntry]): boolean =>
    kind !== undefined && name.split('.')[0] === word;
  return NEGATIVE_OUTCOMES.includes(word) || Object.entries(definition.outcomeTable).some(isUnsuccessful);
};

/** The fault of the error, as data for the flow; an internal error is rethrown and ends the call. */
export function faultOf(error: unknown): Fault {
  const carried = faultIn(error);
  if (carried) return carried;
  throw error;
}
