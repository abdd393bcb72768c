/**
 * What a check of a flow of 130 steps takes after it was loaded, as at each key press in the studio. Its peer is the loading
 * of the same text: both grow with the flow, so that their ratio says the same on every machine.
 */
import { compileLoaded } from '../src/flow/compile.ts';
import { loadDocument } from '../src/schema/load.ts';
import { verbs } from '../src/steps/index.ts';
import { median, report } from './figure.ts';

const STEPS = 130;
const WARM_UP = 5;
const ROUNDS = 30;
const FILE = '/flows/bench.flow.yaml';

/** Ten steps that ask, look up, decide, ring and record, chained to the next ten. */
const part = (index: number, next: string): string => `
  greet${index}: { play: "Welcome to part ${index}.", next: ask${index} }
  ask${index}:
    collect: { prompt: ask, digits: { length: 6 } }
    set: { patient: "\${ result.digits }" }
    max_visits: 3
    exits: { collected: find${index}, exhausted: leave${index}, limit: leave${index} }
  find${index}:
    request:
      get: "https://clinic.example/\${ $encodeUrlComponent(vars.patient) }"
      timeout: 3s
      meanwhile: wait
      returns: { type: object, required: [visits], properties: { visits: { type: integer }, ward: { type: string } } }
    set: { visits: "\${ result.body.visits + 1 }" }
    exits: { ok: choose${index}, not_found: ask${index}, failed: leave${index} }
  choose${index}:
    menu: { prompt: "For the heart ward press 1, for bones press 2.", choices: { heart: { dtmf: "1" }, bones: { dtmf: "2" } } }
    exits: { heart: judge${index}, bones: judge${index}, exhausted: leave${index} }
  judge${index}:
    branch:
      - { when: "vars.visits > 1 and steps.choose${index}.choice = 'heart'", next: ring${index} }
      - { else: leave${index} }
  ring${index}: { bridge: { to: "user:anna", ring_timeout: 20s }, exits: { completed: tell${index}, failed: leave${index} } }
  leave${index}: { record: { prompt: leave }, exits: { recorded: tell${index}, silence: tell${index} } }
  tell${index}: { notify: { event: done, body: { ward: "\${ steps.find${index}.body.ward }", talked: "\${ steps.ring${index}.duration }" } }, next: count${index} }
  count${index}: { set: { visits: "\${ vars.visits + $length(vars.patient) }" }, next: say${index} }
  say${index}: { play: "Visit \${ vars.visits } of \${ $uppercase(vars.patient) }.", next: ${next} }`;

const PARTS = STEPS / 10 - 1;
const text = `flow: bench
vars: { patient: { type: string }, visits: { type: integer, default: 0 } }
prompts: { ask: Please enter your number., again: Once more please., wait: One moment., leave: Please leave a message. }
defaults:
  input: { start_timeout: 6s, no_input: [again], no_match: [again] }
  exits: { error: bye }
start: greet0
steps:${Array.from({ length: PARTS }, (_, index) => part(index, index + 1 < PARTS ? `greet${index + 1}` : 'end0')).join('')}
${Array.from({ length: 9 }, (_, index) => `  end${index}: { log: "end ${index}", next: ${index < 8 ? `end${index + 1}` : 'bye'} }`).join('\n')}
  bye: { hangup: normal }
`;

/** Processor time: others may be busy beside us. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const loaded: number[] = [];
const checked: number[] = [];
for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  let document = loadDocument('', FILE);
  const loadMs = cpuMs(() => {
    document = loadDocument(text, FILE);
  });
  const checkMs = cpuMs(() => {
    const { flow, diagnostics } = compileLoaded(document, FILE, verbs);
    if (flow?.steps.size !== STEPS || diagnostics.length > 0) throw new Error(JSON.stringify(diagnostics.slice(0, 3)));
  });
  if (round < WARM_UP) continue;
  loaded.push(loadMs);
  checked.push(checkMs);
}
report('check.130_steps', median(checked), 'ms', median(loaded));
