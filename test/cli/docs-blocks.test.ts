/**
 * Blocks of flows on the pages of the documentation, explored with keys pressed and with words said: no step ends in
 * `error`, and no call ends by a fault. A block with some steps is completed with the parts that it names.
 */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../src/base/core/diagnostic.ts';
import { isObject, type Json, type JsonObject, mapValues } from '../../src/base/core/json.ts';
import { loadDocument } from '../../src/base/schema/load.ts';
import { noFlows } from '../../src/cli/flow-files.ts';
import { compileFlow } from '../../src/language/flow/compile.ts';
import type { CompiledFlow } from '../../src/language/flow/compiled-flow.ts';
import { BOUNDS } from '../../src/proof/explore/exploration.ts';
import { exploreFlow } from '../../src/proof/explore/explore-flow.ts';
import { verbs } from '../../src/verbs/steps.ts';
import { filesBelow } from '../files.ts';
import { ROOT } from './command.ts';

/** Earlier versions may show flows of their time. */
const SKIPPED = new Set(['node_modules', '.git', 'data', 'coverage', 'changelog-old.md']);
const RUNS = 12;
const ROUNDS = 30;

interface Block {
  page: string;
  text: string;
  flow: JsonObject;
}

const verbNames = verbs.map(({ verb }) => verb);
const isStep = (value: Json): value is JsonObject =>
  isObject(value) && (verbNames.some((verb) => Object.hasOwn(value, verb)) || isObject(value['set'] ?? null));

/** Document of a block that shows a flow, or only steps of one. */
function flowIn(text: string): JsonObject | undefined {
  const value = loadDocument(text, 'block.yaml').document?.value;
  if (!isObject(value ?? null)) return undefined;
  const { steps, ...rest } = value as JsonObject;
  if (typeof rest['flow'] === 'string' && isObject(steps ?? null)) return value as JsonObject;
  const parts = isObject(steps ?? null) ? (steps as JsonObject) : (value as JsonObject);
  // Mocks and properties of tests have names of flows, too.
  if (Object.keys(parts).length === 0 || 'flows' in parts || !Object.values(parts).every(isStep)) return undefined;
  const head = isObject(steps ?? null) ? rest : {};
  const { defaults } = head;
  const exits = { error: 'the_end' };
  return {
    ...{ ...head, flow: 'block', start: Object.keys(parts)[0]!, steps: { ...parts, the_end: { hangup: 'normal' } } },
    defaults: { ...(isObject(defaults ?? null) ? (defaults as JsonObject) : {}), exits },
  };
}

const blocks = filesBelow(ROOT, SKIPPED)
  .filter((file) => file.endsWith('.md'))
  .flatMap((file): Block[] =>
    [...readFileSync(file, 'utf8').matchAll(/```yaml\n([\s\S]*?)```/g)].flatMap(([, text = '']) => {
      const flow = flowIn(text);
      return flow === undefined ? [] : [{ page: relative(ROOT, file), text, flow }];
    }),
  );

const compile = (flow: JsonObject, page: string) =>
  compileFlow(JSON.stringify(flow), join(ROOT, page, '../block.flow.json'), verbs);

/** Adds what a finding misses. Undefined if that is not known. */
function mended(flow: JsonObject, { code, message }: Diagnostic): JsonObject | undefined {
  const [name = ''] = [...message.matchAll(/`([^`]+)`/g)].map(([, quoted]) => quoted!);
  const added = (section: string, value: Json): JsonObject => ({
    ...flow,
    [section]: { ...(flow[section] as JsonObject | undefined), [name]: value },
  });
  switch (code) {
    case 'unknown-target':
    case 'unknown-step':
      return added('steps', { play: { text: `The step ${name}.` }, next: '$end' });
    case 'unknown-variable':
      return added('vars', { default: 1 });
    case 'unknown-input':
      return added('input', { default: 1 });
    case 'missing-prompt':
      return added('prompts', { text: `The prompt ${name}.` });
    case 'unknown-schedule':
    case 'misspelt-schedule':
      return added('schedules', { timezone: 'Europe/Paris', open: [{ from: '00:00', to: '24:00' }] });
    case 'missing-file':
      return JSON.parse(JSON.stringify(flow).replace(name, 'A text in place of the file.')) as JsonObject;
    case 'unknown-flow':
      return added('flows', { start: 'end', steps: { end: { return: 'done' } } });
    case 'unrouted-outcome': {
      const defaults = isObject(flow['defaults'] ?? null) ? (flow['defaults'] as JsonObject) : {};
      const exits = { ...(defaults['exits'] as JsonObject | undefined), [name]: '$end' };
      return { ...flow, defaults: { ...defaults, exits } };
    }
    default:
      return undefined;
  }
}

interface Completed {
  flow: CompiledFlow;
  locals: readonly CompiledFlow[];
}

function completed({ flow: written, page }: Block): Completed {
  let flow = written;
  for (let round = 0; round < ROUNDS; round++) {
    const { flow: made, locals = [], diagnostics } = compile(flow, page);
    if (made !== undefined) return { flow: made, locals };
    const wrong = diagnostics.find(({ severity }) => severity === 'error')!;
    const next = mended(flow, wrong);
    if (next === undefined) throw new Error(`${wrong.code}: ${wrong.message}`);
    flow = next;
  }
  throw new Error(`too much is missing in ${JSON.stringify(flow)}`);
}

/** The same flow for callers who only speak: choices with words have no keys. */
function withWordsAlone({ flow, ...block }: Block): Block | undefined {
  let hears = false;
  const spoken = (step: Json): Json => {
    if (!isObject(step) || !isObject(step['menu'] ?? null)) return step;
    const menu = step['menu'] as JsonObject;
    const choices = mapValues((menu['choices'] ?? {}) as JsonObject, (choice) => {
      if (!isObject(choice) || choice['say'] === undefined || choice['dtmf'] === undefined) return choice;
      hears = true;
      const { dtmf: _, ...words } = choice;
      return words;
    });
    return { ...step, menu: { ...menu, choices } };
  };
  const steps = mapValues(flow['steps'] as JsonObject, spoken);
  return hears ? { ...block, flow: { ...flow, steps } } : undefined;
}

const builtIn = noFlows();

/** Files and flows of an application are not beside the page. */
const ELSEWHERE = /there is no flow |the agent /;

async function faultsOf(block: Block): Promise<string[]> {
  const { flow, locals } = completed(block);
  const own = new Map([flow, ...locals].map((each) => [each.name, each]));
  const find = (wanted: string | JsonObject): CompiledFlow | undefined =>
    (typeof wanted === 'string' ? own.get(wanted) : undefined) ?? builtIn.find(wanted);
  const { findings } = await exploreFlow(flow, { flows: find, tested: {}, bounds: { ...BOUNDS, runs: RUNS } });
  return findings
    .filter(({ kind, message }) => (kind === 'fault' || kind === 'crash') && !ELSEWHERE.test(message))
    .map(({ step, message }) => `${step}: ${message}`);
}

const titled = (each: Block): [title: string, block: Block] => [`${each.page}: ${each.text.split('\n')[0]}`, each];

describe('flow block of the documentation', () => {
  it('is found on several pages of the documentation', () => {
    expect(blocks.length).toBeGreaterThan(20);
  });

  it.each(blocks.map(titled))('runs without a fault with keys: %s', async (_title, block) => {
    expect(await faultsOf(block), block.text).toEqual([]);
  });

  it.each(blocks.flatMap((each) => withWordsAlone(each) ?? []).map(titled))(
    'runs without a fault with words: %s',
    async (_title, block) => {
      expect(await faultsOf(block), block.text).toEqual([]);
    },
  );
});
