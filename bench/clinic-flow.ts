/**
 * A flow of 130 steps that resembles real ones: ten steps that ask, look up, decide, ring and record, chained
 * repeatedly.
 */
export const CLINIC_STEPS = 130;

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

const PARTS = CLINIC_STEPS / 10 - 1;
export const CLINIC_FLOW = `flow: bench
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
