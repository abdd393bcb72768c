/** The flows of simulated calls, compiled once. */
import { compileFlow } from '../../src/language/flow/compile.ts';
import type { CompiledFlow } from '../../src/language/flow/compiled-flow.ts';
import { verbs } from '../../src/verbs/steps.ts';

const TEXTS = {
  menu: `
flow: menu
start: greet
defaults: { exits: { error: bye } }
events: { "dtmf.4": bye }
steps:
  greet: { play: { text: "Good day, this is a simulation." }, exits: { done: ask } }
  ask:
    collect: { prompt: { text: "Please press a key" }, digits: { length: 1 }, attempts: 2, start_timeout: 1500ms }
    exits: { collected: fetch, exhausted: bye }
  fetch: { request: { post: "https://application.example/", timeout: 2s }, exits: { ok: thanks, failed: bye } }
  thanks: { play: { text: "Thank you" }, exits: { done: bye } }
  bye: { hangup: normal }
`,
  bridge: `
flow: bridge
start: greet
defaults: { exits: { error: bye } }
steps:
  greet: { play: { text: "One moment" }, exits: { done: talk } }
  talk: { bridge: { to: "+33900000000", ring_timeout: 4s, max_duration: 3s }, exits: { completed: bye, failed: sorry } }
  sorry: { play: { text: "Nobody is there" }, exits: { done: bye } }
  bye: { hangup: normal }
`,
  speak: `
flow: speak
start: one
defaults: { exits: { error: bye } }
steps:
  one: { play: { text: "One" }, exits: { done: two } }
  two: { play: { text: "Two" }, exits: { done: rest } }
  rest: { pause: 1s, exits: { done: three } }
  three: { play: { text: "Three", barge_in: true }, exits: { done: four, interrupted: four } }
  four: { send_digits: "12", exits: { done: five } }
  five: { play: { text: "And five" }, exits: { done: bye } }
  bye: { hangup: normal }
`,
};

const compiled = new Map<string, CompiledFlow>();

export function flowNamed(name: string): CompiledFlow | undefined {
  const text = TEXTS[name as keyof typeof TEXTS];
  if (text === undefined) return undefined;
  const known = compiled.get(name);
  if (known) return known;
  const { flow, diagnostics } = compileFlow(text, `${name}.flow.yaml`, verbs);
  if (!flow) throw new Error(JSON.stringify(diagnostics));
  compiled.set(name, flow);
  return flow;
}
