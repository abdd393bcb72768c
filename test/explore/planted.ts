/** Flows with one planted defect each, and its repair as a replacement of text. */
import type { FindingKind } from '../../src/proof/explore/findings.ts';

export interface Planted {
  name: string;
  kind: FindingKind;
  flow: string;
  mend: [from: string, to: string];
}

const HEAD = `
defaults: { input: { start_timeout: 3s, no_input: [again], no_match: [again] }, exits: { error: bye } }
prompts: { again: Once more please., notice: This call is recorded., wait: One moment please. }
`;
const BYE = '  bye: { hangup: normal }\n';

/** A flow around these steps, which begin with `first`. */
export const flow = (steps: string, more = ''): string =>
  `flow: planted\n${more}${HEAD}start: first\nsteps:\n${steps}${BYE}`;

const LOGIN = `
  first: { collect: { prompt: "Your PIN please.", digits: { length: 4 } }, sensitive: true, set: { pin: "\${ result.digits }" }, exits: { collected: check, exhausted: bye } }
  check: { request: { post: "https://bank.example/login", body: { pin: "\${ vars.pin }" }, timeout: 3s }, exits: { ok: welcome, failed: bye } }
`;
const PIN = 'vars: { pin: { type: string, sensitive: true } }\n';
const KEEPS = `${PIN}properties: { the PIN goes to the bank alone: { never: { sends: sensitive, except: [check] } } }\n`;
const LOOKUP = (schema: string, next: string): string => `
  first: { request: { get: "https://shop.example/me", timeout: 3s, returns: ${schema} }, exits: { ok: ${next}, failed: bye } }
`;

export const PLANTED: Planted[] = [
  {
    name: 'a menu that a silent caller never leaves',
    kind: 'endless',
    flow: flow(`
  first: { menu: { prompt: "Press 1.", choices: { one: { dtmf: "1" } } }, exits: { one: bye, exhausted: first } }
`),
    mend: ['exhausted: first', 'exhausted: bye'],
  },
  {
    name: 'a question that is asked again by way of a prompt',
    kind: 'endless',
    flow: flow(`
  first: { collect: { prompt: "Your number please.", digits: { length: 2 } }, exits: { collected: bye, exhausted: sorry } }
  sorry: { play: "I did not hear you.", next: first }
`),
    mend: ['next: first', 'next: bye'],
  },
  {
    name: 'two menus that lead to each other',
    kind: 'endless',
    flow: flow(`
  first: { menu: { prompt: "Press 1.", choices: { one: { dtmf: "1" } } }, exits: { one: bye, exhausted: second } }
  second: { menu: { prompt: "Press 2.", choices: { two: { dtmf: "2" } } }, exits: { two: bye, exhausted: first } }
`),
    mend: ['two: bye, exhausted: first', 'two: bye, exhausted: bye'],
  },
  {
    name: 'a wrong key that is forgiven without end',
    kind: 'endless',
    flow: flow(`
  first: { menu: { prompt: "Press 1.", choices: { one: { dtmf: "1" } } }, exits: { one: bye, exhausted.no_input: bye, exhausted.no_match: first } }
`),
    mend: ['exhausted.no_match: first', 'exhausted.no_match: bye'],
  },
  {
    name: 'a service that is asked as long as it is down',
    kind: 'endless',
    flow: flow(`
  first: { request: { get: "https://shop.example/me", timeout: 3s }, exits: { ok: bye, failed: rest } }
  rest: { play: wait, next: first }
`),
    mend: ['next: first', 'next: bye'],
  },
  {
    name: 'an operator who is called as long as nobody answers',
    kind: 'endless',
    flow: flow(`
  first: { bridge: { to: "user:anna", ring_timeout: 10s }, exits: { completed: bye, failed: sorry } }
  sorry: { play: "Nobody is there. We try again.", next: first }
`),
    mend: ['next: first', 'next: bye'],
  },
  {
    name: 'a round that only two answers of a service keep up',
    kind: 'endless',
    flow: flow(`
  first: { request: { get: "https://shop.example/queue", timeout: 3s, returns: { type: object, required: [state], properties: { state: { enum: [busy, free] } } } }, exits: { ok: judge, failed: bye } }
  judge: { branch: [{ when: "steps.first.body.state = 'free'", next: bye }, { else: rest }] }
  rest: { play: wait, next: first }
`),
    mend: ['next: first', 'next: bye'],
  },
  {
    name: 'a menu without a way out',
    kind: 'trap',
    flow: flow(
      `
  first: { menu: { prompt: "Press 1 for the weather.", choices: { one: { dtmf: "1" } } }, exits: { one: info, exhausted: first } }
  info: { play: "It is warm.", next: first }
  never: { play: "Goodbye to you.", next: bye }
`,
      'events: { max_duration: never }\n',
    ),
    mend: ['exhausted: first', 'exhausted: bye'],
  },
  {
    name: 'a lock that nothing opens',
    kind: 'trap',
    flow: flow(
      `
  first: { menu: { prompt: "Press 1 or 2.", choices: { one: { dtmf: "1" }, two: { dtmf: "2" } } }, exits: { one: bye, two: lock, exhausted: bye } }
  lock: { set: { locked: true }, next: gate }
  gate: { menu: { prompt: "Press 3 to leave.", choices: { three: { dtmf: "3" } } }, exits: { three: judge, exhausted: gate } }
  judge: { branch: [{ when: "vars.locked = true", next: gate }, { else: bye }] }
`,
      'vars: { locked: { type: boolean, default: false } }\n',
    ),
    mend: ['exhausted: gate', 'exhausted: bye'],
  },
  {
    name: 'a PIN that is sent to the statistics too',
    kind: 'property',
    flow: flow(
      `${LOGIN}
  welcome: { request: { post: "https://stats.example/calls", body: { who: "\${ vars.pin }" }, timeout: 3s }, exits: { ok: bye, failed: bye } }
`,
      KEEPS,
    ),
    mend: ['{ who: "$' + '{ vars.pin }" }', '{ who: someone }'],
  },
  {
    name: 'a PIN within a longer text',
    kind: 'property',
    flow: flow(
      `${LOGIN}
  welcome: { request: { post: "https://stats.example/calls", body: { notes: [first, "called with \${ vars.pin }"] }, timeout: 3s }, exits: { ok: bye, failed: bye } }
`,
      KEEPS,
    ),
    mend: ['called with $' + '{ vars.pin }', 'called'],
  },
  {
    name: 'a PIN that leaves only where the login failed',
    kind: 'property',
    flow: flow(
      `${LOGIN.replace('failed: bye', 'failed: complain')}
  welcome: { play: "Welcome to us.", next: bye }
  complain: { request: { post: "https://help.example/tickets", body: { text: "PIN \${ vars.pin } failed" }, timeout: 2s }, exits: { ok: bye, failed: bye } }
`,
      KEEPS,
    ),
    mend: ['PIN $' + '{ vars.pin } failed', 'The PIN failed'],
  },
  {
    name: 'digits that the question takes and the variable does not',
    kind: 'fault',
    flow: flow(
      `
  first: { collect: { prompt: "Your size please.", digits: { length: 2 } }, set: { size: "\${ result.digits }" }, exits: { collected: bye, exhausted: bye } }
`,
      `vars: { size: { type: string, pattern: "^[1-4][0-9]$", default: "10" } }\n`,
    ),
    mend: ['digits: { length: 2 }', 'digits: { length: 2, pattern: "[1-4][0-9]" }'],
  },
  {
    name: 'a number that may be above what its variable takes',
    kind: 'fault',
    flow: flow(
      `
  first: { collect: { prompt: "How many?", digits: { length: 2 } }, set: { count: "\${ $number(result.digits) }" }, exits: { collected: bye, exhausted: bye } }
`,
      'vars: { count: { type: integer, maximum: 20 } }\n',
    ),
    mend: ['maximum: 20', 'maximum: 99'],
  },
  {
    name: 'an answer that is too short for its variable',
    kind: 'fault',
    flow: flow(
      `
  first: { collect: { prompt: "Your size please.", digits: { min: 1, max: 3 } }, set: { size: "\${ result.digits }" }, exits: { collected: say, exhausted: bye } }
  say: { play: "Your size is \${ vars.size }.", next: bye }
`,
      'vars: { size: { type: string, minLength: 2 } }\n',
    ),
    mend: ['min: 1', 'min: 2'],
  },
  {
    name: 'a case of the wrong spelling',
    kind: 'unreachable',
    flow: flow(
      `${LOOKUP('{ type: object, required: [tier], properties: { tier: { enum: [gold, silver] } } }', 'keep')}
  keep: { set: { tier: "\${ steps.first.body.tier }" }, next: judge }
  judge: { branch: [{ when: "vars.tier = 'Gold'", next: best }, { else: bye }] }
  best: { play: "Welcome back.", next: bye }
`,
      'vars: { tier: { type: string } }\n',
    ),
    mend: ["vars.tier = 'Gold'", "vars.tier = 'gold'"],
  },
  {
    name: 'a higher limit behind a lower one',
    kind: 'unreachable',
    flow: flow(`${LOOKUP('{ type: object, required: [points], properties: { points: { type: integer } } }', 'judge')}
  judge: { branch: [{ when: "steps.first.body.points > 10", next: good }, { when: "steps.first.body.points > 100", next: best }, { else: bye }] }
  good: { play: "That is good.", next: bye }
  best: { play: "Very good.", next: bye }
`),
    mend: ['points > 100', 'points < 11'],
  },
  {
    name: 'a condition that contradicts itself',
    kind: 'unreachable',
    flow: flow(`${LOOKUP('{ type: object, required: [age], properties: { age: { type: integer } } }', 'judge')}
  judge: { branch: [{ when: "steps.first.body.age > 18 and steps.first.body.age < 18", next: child }, { else: bye }] }
  child: { play: "Please ask your parents.", next: bye }
`),
    mend: ['age > 18 and steps.first.body.age < 18', 'age > 17 or steps.first.body.age < 18'],
  },
  {
    name: 'a count that is never reached',
    kind: 'unreachable',
    flow: flow(
      `
  first: { collect: { prompt: "Your number please.", digits: { length: 2 }, attempts: 1 }, max_visits: 2, exits: { collected: bye, exhausted: count, limit: bye } }
  count: { set: { tries: "\${ vars.tries + 1 }" }, next: judge }
  judge: { branch: [{ when: "vars.tries = 3", next: hint }, { else: first }] }
  hint: { play: "It is on your card.", next: bye }
`,
      'vars: { tries: { type: integer, default: 0 } }\n',
    ),
    mend: ['vars.tries = 3', 'vars.tries = 1'],
  },
  {
    name: 'a choice that the menu does not have',
    kind: 'unreachable',
    flow: flow(
      `
  first: { menu: { prompt: "Sales 1, support 2.", choices: { sales: { dtmf: "1" }, support: { dtmf: "2" } } }, set: { topic: "\${ result.choice }" }, exits: { sales: judge, support: judge, exhausted: bye } }
  judge: { branch: [{ when: "vars.topic = 'sale'", next: sell }, { else: bye }] }
  sell: { play: "What do you want to buy?", next: bye }
`,
      'vars: { topic: { type: string } }\n',
    ),
    mend: ["vars.topic = 'sale'", "vars.topic = 'sales'"],
  },
  {
    name: 'digits that are shorter than what they are compared with',
    kind: 'unreachable',
    flow: flow(
      `
  first: { collect: { prompt: "Your area please.", digits: { length: 2 } }, set: { area: "\${ result.digits }" }, exits: { collected: judge, exhausted: bye } }
  judge: { branch: [{ when: "vars.area = '007'", next: secret }, { else: bye }] }
  secret: { play: "Good evening.", next: bye }
`,
      'vars: { area: { type: string } }\n',
    ),
    mend: ["vars.area = '007'", "vars.area != '07'"],
  },
  {
    name: 'a slow service without a word',
    kind: 'dead_air',
    flow: flow(`
  first: { answer: {}, next: ask }
  ask: { request: { get: "https://shop.example/me", timeout: 8s }, exits: { ok: bye, failed: bye } }
`),
    mend: ['timeout: 8s', 'timeout: 8s, meanwhile: wait'],
  },
  {
    name: 'a long pause',
    kind: 'dead_air',
    flow: flow(`
  first: { play: wait, next: rest }
  rest: { pause: 10s, next: more }
  more: { play: "Here we are.", next: bye }
`),
    mend: ['pause: 10s', 'pause: 2s'],
  },
  {
    name: 'two services in a row, each quick enough',
    kind: 'dead_air',
    flow: flow(`
  first: { play: wait, next: one }
  one: { request: { get: "https://shop.example/one", timeout: 4s }, exits: { ok: two, failed: two } }
  two: { request: { get: "https://shop.example/two", timeout: 4s }, exits: { ok: bye, failed: bye } }
`),
    mend: ['two", timeout: 4s', 'two", timeout: 4s, meanwhile: wait'],
  },
  {
    name: 'a recording that one way leads to without the notice',
    kind: 'property',
    flow: flow(
      `
  first: { menu: { prompt: "Press 1 or 2.", choices: { one: { dtmf: "1" }, two: { dtmf: "2" } } }, exits: { one: say, two: keep, exhausted: bye } }
  say: { play: notice, next: keep }
  keep: { record: { prompt: "Speak now.", max_length: 20s }, exits: { recorded: bye, silence: bye } }
`,
      'properties: { nobody is recorded unawares: { always: { heard: notice, before: keep } } }\n',
    ),
    mend: ['two: keep', 'two: say'],
  },
  {
    name: 'a refund without a login',
    kind: 'property',
    flow: flow(
      `
  first: { menu: { prompt: "Press 1 or 2.", choices: { one: { dtmf: "1" }, two: { dtmf: "2" } } }, exits: { one: check, two: refund, exhausted: bye } }
  check: { request: { get: "https://shop.example/me", timeout: 3s }, exits: { ok: refund, failed: bye } }
  refund: { request: { post: "https://shop.example/refund", timeout: 3s }, exits: { ok: bye, failed: bye } }
`,
      'properties: { no refund before the login: { never: { visited: refund, before: check.ok } } }\n',
    ),
    mend: ['two: refund', 'two: bye'],
  },
  {
    name: 'a balance that those hear whose login failed',
    kind: 'property',
    flow: flow(
      `
  first: { request: { get: "https://shop.example/me", timeout: 3s }, exits: { ok: balance, failed.4xx: bye, failed: balance } }
  balance: { play: "Your balance is ten euros.", next: bye }
`,
      'properties: { the balance is for those who are known: { never: { heard: Your balance, before: first.ok } } }\n',
    ),
    mend: ['failed: balance', 'failed: bye'],
  },
  {
    name: 'a payment without a receipt',
    kind: 'property',
    flow: flow(
      `
  first: { request: { post: "https://shop.example/pay", timeout: 3s }, exits: { ok: thanks, failed.timeout: bye, failed: sorry } }
  thanks: { play: "You have paid. Thank you.", next: bye }
  sorry: { play: "You have not paid. Sorry.", next: bye }
`,
      'properties: { everybody hears of the payment: { always: { heard: paid, after: first } } }\n',
    ),
    mend: ['failed.timeout: bye', 'failed.timeout: sorry'],
  },
  {
    name: 'a question after the goodbye',
    kind: 'property',
    flow: flow(
      `
  first: { play: "Goodbye to you.", next: ask }
  ask: { menu: { prompt: "Were you content?", choices: { yes_: { dtmf: "1" } } }, exits: { yes_: bye, exhausted: bye } }
`,
      'properties: { nothing is asked after the goodbye: { never: { visited: ask, after: first } } }\n',
    ),
    mend: ['next: ask', 'next: bye'],
  },
  {
    name: 'an agent behind too many menus',
    kind: 'property',
    flow: flow(
      `
  first: { menu: { prompt: "Press 1.", choices: { one: { dtmf: "1" } } }, exits: { one: second, exhausted: bye } }
  second: { menu: { prompt: "Press 2.", choices: { two: { dtmf: "2" } } }, exits: { two: third, exhausted: bye } }
  third: { menu: { prompt: "Press 3.", choices: { three: { dtmf: "3" } } }, exits: { three: agent, exhausted: bye } }
  agent: { bridge: { to: "user:anna", ring_timeout: 10s }, exits: { completed: bye, failed: bye } }
`,
      'properties: { an agent is near: { within: { reaches: agent, keys: 2 } } }\n',
    ),
    mend: ['two: third', 'two: agent'],
  },
  {
    name: 'a card that one way charges before the caller has agreed',
    kind: 'property',
    flow: flow(
      `
  first: { menu: { prompt: "Press 1 or 2.", choices: { one: { dtmf: "1" }, two: { dtmf: "2" } } }, exits: { one: agree, two: pay, exhausted: bye } }
  agree: { menu: { prompt: "Press 1 to pay.", choices: { pay: { dtmf: "1" } } }, exits: { pay: pay, exhausted: bye } }
  pay: { request: { post: "https://bank.example/charges", body: { amount: 12 }, timeout: 3s }, exits: { ok: bye, failed: bye } }
`,
      'properties: { nobody pays without a word: { never: { requested: { method: POST, url: /charges, body: { amount: 12 } }, before: agree.pay } } }\n',
    ),
    mend: ['two: pay', 'two: agree'],
  },
  {
    name: 'an order that is sent again after it was taken',
    kind: 'property',
    flow: flow(
      `
  first: { request: { post: "https://shop.example/orders", timeout: 3s }, exits: { ok: more, failed: bye } }
  more: { menu: { prompt: "Anything else? Press 1.", choices: { again: { dtmf: "1" } } }, max_visits: 2, exits: { again: first, exhausted: bye, limit: bye } }
`,
      'properties: { one order for each call: { never: { requested: first, after: first.ok } } }\n',
    ),
    mend: ['again: first', 'again: bye'],
  },
  {
    name: 'a failure that is reported to nobody: the address is misspelt',
    kind: 'property',
    flow: flow(
      `
  first: { request: { post: "https://shop.example/orders", timeout: 3s }, exits: { ok: bye, failed: alarm } }
  alarm: { request: { post: "https://alrm.example/lost", timeout: 3s }, exits: { ok: bye, failed: bye } }
`,
      'properties: { lost orders are reported: { always: { requested: { url: alarm.example }, after: first.failed } } }\n',
    ),
    mend: ['https://alrm.example', 'https://alarm.example'],
  },
  {
    name: 'a number that costs the caller',
    kind: 'property',
    flow: flow(
      `
  first: { menu: { prompt: "Press 1 or 2.", choices: { one: { dtmf: "1" }, two: { dtmf: "2" } } }, exits: { one: near, two: far, exhausted: bye } }
  near: { bridge: { to: "+33199001133", ring_timeout: 10s }, exits: { completed: bye, failed: bye } }
  far: { bridge: { to: "+33899001133", ring_timeout: 10s }, exits: { completed: bye, failed: bye } }
`,
      'properties: { no call costs extra: { never: { dialled: "+33899" } } }\n',
    ),
    mend: ['two: far', 'two: bye'],
  },
  {
    name: 'a question behind a long introduction',
    kind: 'property',
    flow: flow(
      `
  first: { play: "Welcome to the shop, which has been open since the year nineteen hundred and seven. We sell all that one can wish for, and are glad that you call. Please listen.", next: ask }
  ask: { menu: { prompt: "Press 1.", choices: { one: { dtmf: "1" } } }, exits: { one: agent, exhausted: bye } }
  agent: { bridge: { to: "user:anna", ring_timeout: 10s }, exits: { completed: bye, failed: bye } }
`,
      'properties: { people are near: { within: { reaches: agent, keys: 1, time: 8s } } }\n',
    ),
    mend: [' We sell all that one can wish for, and are glad that you call. Please listen.', ''],
  },
  {
    name: 'a way with fewer choices that takes longer',
    kind: 'property',
    flow: flow(
      `
  first: { menu: { prompt: "Press 1 or 2.", choices: { one: { dtmf: "1" }, two: { dtmf: "2" } } }, exits: { one: long, two: short, exhausted: bye } }
  long: { play: "${'We look for you. '.repeat(20)}", next: agent }
  short: { menu: { prompt: "Press 1.", choices: { one: { dtmf: "1" } } }, exits: { one: detour, exhausted: bye } }
  detour: { play: "${'One moment. '.repeat(10)}", next: agent }
  agent: { bridge: { to: "user:anna", ring_timeout: 10s }, exits: { completed: bye, failed: bye } }
`,
      'properties: { people are near: { within: { reaches: agent, time: 8s } } }\n',
    ),
    mend: ['One moment. '.repeat(10), 'One moment. '],
  },
  {
    name: 'an emergency that waits for an announcement',
    kind: 'property',
    flow: flow(
      `
  first: { menu: { prompt: "Press 1 for an emergency.", choices: { urgent: { dtmf: "1" } } }, exits: { urgent: look_up, exhausted: bye } }
  look_up: { request: { get: "https://doctors.example/on-call", timeout: 8s, meanwhile: wait }, exits: { ok: doctor, failed: doctor } }
  doctor: { bridge: { to: "user:anna", ring_timeout: 10s }, exits: { completed: bye, failed: bye } }
`,
      'properties: { emergencies are called at once: { always: { dialled: user:anna, after: first.urgent, within: 5s } } }\n',
    ),
    mend: ['timeout: 8s', 'timeout: 4s'],
  },
  {
    name: 'a queue that is full and leads back to itself',
    kind: 'fault',
    flow: flow(`
  first: { queue: { name: support, agents: ["user:anna"], max_size: 3, timeout: 5m }, exits: { dequeued: bye, full: first, timeout: bye } }
`),
    mend: ['full: first', 'full: bye'],
  },
  {
    name: 'a conference that is full and says nothing for long',
    kind: 'dead_air',
    flow: flow(`
  first: { conference: { name: team, max_members: 4 }, exits: { left: bye, ended: bye, full: rest } }
  rest: { pause: 10s, next: after }
  after: { play: "All lines are taken.", next: bye }
`),
    mend: ['pause: 10s', 'pause: 1s'],
  },
  {
    name: 'a caller who is removed from a room and brought back',
    kind: 'endless',
    flow: flow(`
  first: { join_room: { room_id: team }, exits: { left: first, ended: bye, denied: bye } }
`),
    mend: ['left: first', 'left: bye'],
  },
  {
    name: 'a caller who gives up while it rings, and of whom nobody is informed',
    kind: 'property',
    flow: flow(
      `
  first: { bridge: { to: "user:anna", ring_timeout: 10s }, exits: { completed: bye, failed: bye } }
  note: { request: { post: "https://shop.example/missed", timeout: 2s }, exits: { ok: $end, failed: $end } }
`,
      'events: { hangup: note }\nproperties: { missed calls are not sent there: { never: { requested: { url: shop.example/missed } } } }\n',
    ),
    mend: ['https://shop.example/missed', 'https://shop.example/calls'],
  },
  {
    name: 'a line of a header that leads to a long silence',
    kind: 'dead_air',
    flow: flow(`
  first: { branch: [{ when: "call.headers.\`x-line\` = 'vip'", next: rest }, { else: bye }] }
  rest: { play: wait, next: pause }
  pause: { pause: 10s, next: bye }
`),
    mend: ['pause: 10s', 'pause: 1s'],
  },
];
