/** Prints what the sources beside this folder know of the verb `beep`. Runs in the copy that `adding.test.ts` makes. */
import { parse } from 'yaml';
import type { JsonObject } from '../../src/base/core/json.ts';
import { verbsPage } from '../../src/cli/verbs-page.ts';
import { compileFlow } from '../../src/language/flow/compile.ts';
import { graphOf } from '../../src/language/flow/graph.ts';
import { languageOf } from '../../src/language/flow/language.ts';
import { complete } from '../../src/language/flow/text/completion.ts';
import { namesIn } from '../../src/language/flow/text/names.ts';
import { exploreFlow } from '../../src/proof/explore/explore-flow.ts';
import { playScenario } from '../../src/proof/testkit/scenario.ts';
import { scenarioFrom } from '../../src/proof/testkit/scenario-file.ts';
import { verbs } from '../../src/verbs/steps.ts';

const flowOf = (step: string): string => `flow: tones
start: tone
vars: { key: { type: string, default: "9" } }
defaults: { exits: { error: bye } }
steps:
  tone: ${step}
  bye: { hangup: normal }
`;
const WITH_KEY = flowOf('{ beep: { duration: 300ms, leave_key: "9" }, exits: { done: bye, left: bye } }');
const language = languageOf(verbs);
const flow = compileFlow(WITH_KEY, 'tones.flow.yaml', verbs).flow!;

const problemsOf = (step: string): string[] =>
  compileFlow(flowOf(step), 'tones.flow.yaml', verbs)
    .diagnostics.filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code}: ${/\bleft\b/.exec(message)?.[0] ?? message}`);

/** `|` is the cursor. */
function proposalsAt(step: string): string[] {
  const marked = flowOf(step);
  const text = marked.replace('|', '');
  const graph = graphOf(parse(WITH_KEY), { verbs: language.verbs });
  const { defined, words } = namesIn(text, language.verbs);
  const found = complete(text, marked.indexOf('|'), { language, graph, defined, words, flows: [] });
  return found?.options.map(({ label }) => label) ?? [];
}

async function callWith(script: JsonObject[]): Promise<string[]> {
  const form: JsonObject = { test: 'a tone', flow: 'tones', script };
  const { scenario } = scenarioFrom(form, 'tones.test.yaml');
  const { journal } = await playScenario(scenario!, flow, { flow: () => undefined });
  return journal.flatMap((entry) => (entry.kind === 'left' && entry.step === 'tone' ? [`tone:${entry.outcome}`] : []));
}

const explored = await exploreFlow(flow, { flows: () => undefined });
const outcomesOf = (found: readonly { step: string; outcome: string }[]): string[] =>
  found.flatMap(({ step, outcome }) => (step === 'tone' && outcome !== 'hangup' ? [outcome] : []));
const [tone] = graphOf(parse(WITH_KEY), { verbs: language.verbs }).steps;

const probed = {
  reference: verbsPage(),
  problems: {
    plain: problemsOf('{ beep: { duration: 1s }, next: bye }'),
    key: problemsOf('{ beep: { leave_key: "9" }, next: bye }'),
    template: problemsOf('{ beep: { leave_key: "${ vars.key }" }, next: bye }'),
  },
  proposals: {
    verbs: proposalsAt('{ | }'),
    keys: proposalsAt('{ beep: { | }, next: bye }'),
    outcomes: proposalsAt('{ beep: { leave_key: "9" }, exits: { | } }'),
  },
  graph: { verb: tone!.verb, group: tone!.group, exits: tone!.exits.map(({ outcome }) => outcome) },
  explored: { reached: outcomesOf(explored.outcomes), missing: outcomesOf(explored.missing) },
  calls: { patient: await callWith([{ hear: 'tone' }]), hurried: await callWith([{ press: '9' }]) },
};

export type Probed = typeof probed;

console.log(JSON.stringify(probed));
