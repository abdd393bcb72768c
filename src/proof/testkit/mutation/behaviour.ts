/**
 * Canonical text of a compiled flow's behaviour: flows with equal text behave equally in every call. Ignores
 * differences without effect: key order, explicit defaults, labels, unreachable steps.
 */
import { canonical, type Json, mapValues } from '../../../base/core/json.ts';
import type { CompiledFlow, CompiledStep } from '../../../language/flow/compiled-flow.ts';

export function behaviourOf(flow: CompiledFlow): string {
  const {
    hash: _h,
    file: _f,
    machine,
    checkInput: _i,
    checkVariable: _v,
    output,
    voiceSettings,
    steps,
    ...rest
  } = flow;
  const reachable = machine.reachable();
  const reached = [...steps].filter(([name]) => reachable.has(name)).map(([name, step]) => [name, partsOf(step)]);
  return textOf({
    ...rest,
    output: output?.source,
    voiceSettings: sourcesOf(voiceSettings),
    steps: Object.fromEntries(reached),
  });
}

function partsOf({
  location: _l,
  label: _b,
  input: _i,
  complete,
  args,
  when,
  set,
  voiceSettings,
  ...rest
}: CompiledStep): object {
  const { args: completed } = complete(args);
  return { ...rest, args: completed, when: when?.source, set: sourcesOf(set), voiceSettings: sourcesOf(voiceSettings) };
}

const sourcesOf = (templates: Readonly<Record<string, { source: Json } | undefined>> = {}): object =>
  mapValues(templates, (template) => template?.source);

/** Converts through JSON, which omits undefined values. */
const textOf = (parts: object): string => canonical(JSON.parse(JSON.stringify(parts)) as Json);
