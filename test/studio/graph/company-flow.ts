/**
 * A flow with about this many steps, as companies write them: a main menu, departments with menus, look-ups, queues.
 */

const DEPARTMENTS = 'billing orders returns support sales repairs rentals travel loyalty careers press legal'.split(
  ' ',
);
const STEPS_OF_A_DEPARTMENT = 15.25;
const DEPARTMENTS_OF_A_MENU = 8;

const HEAD = (count: number) => `# A made-up company line of about ${count} steps.
flow: company-${count}
defaults:
  locale: en-US
  input: { attempts: 3, start_timeout: 6s, inter_digit_timeout: 3s, no_input: [again], no_match: [sorry] }
  exits: { error: apologise, exhausted: operator }
vars:
  account: { type: string }
prompts:
  again: Please choose.
  sorry: Sorry, that was not clear.
  wait: One moment please.
start: hours
schedules:
  office: { timezone: Europe/Paris, open: [ { days: [mon-fri], from: "09:00", to: "18:00" } ] }
steps:
  hours: { schedule: office, exits: { open: welcome, closed: closed, holiday: closed } }
  welcome: { play: "Welcome to the company line.", next: main_1 }
  closed: { play: "We are closed now. Please leave a message.", next: voicemail }
  voicemail: { record: { prompt: "Speak after the tone.", beep: true, max_length: 2m }, exits: { recorded: thanks, silence: bye } }
  thanks: { play: "Thank you, we will call you back.", next: bye }
  operator: { bridge: { to: ["user:operator"], ring_timeout: 20s }, exits: { completed: bye, failed: voicemail } }
  apologise: { play: "Something went wrong on our side.", exits: { done: bye, error: bye } }
  bye: { hangup: normal }
`;

export function companyFlow(count: number): string {
  const wanted = Math.max(1, Math.round((count - 8) / STEPS_OF_A_DEPARTMENT));
  const names = Array.from({ length: wanted }, (_, index) => {
    const round = Math.floor(index / DEPARTMENTS.length);
    return DEPARTMENTS[index % DEPARTMENTS.length]! + (round > 0 ? `_${round + 1}` : '');
  });
  const menus = Math.ceil(names.length / DEPARTMENTS_OF_A_MENU);
  const mains = Array.from({ length: menus }, (_, menu) => {
    const part = names.slice(menu * DEPARTMENTS_OF_A_MENU, (menu + 1) * DEPARTMENTS_OF_A_MENU);
    return mainMenu(menu + 1, part, menu + 1 < menus);
  });
  const departments = names.map((name, index) =>
    department(name, `main_${Math.floor(index / DEPARTMENTS_OF_A_MENU) + 1}`),
  );
  return HEAD(count) + mains.join('') + departments.join('');
}

const mainMenu = (number: number, part: readonly string[], hasMore: boolean): string => `  main_${number}:
    menu:
      prompt: "How can we help you today? For ${part.join(', ')}${hasMore ? ', or more topics' : ''}."
      choices: { ${part.map((name, index) => `${name}: { dtmf: "${index + 1}" }`).join(', ')}${hasMore ? ', more: { dtmf: "9" }' : ''} }
    max_visits: 5
    exits: { ${part.map((name) => `${name}: ${name}_hello`).join(', ')}${hasMore ? `, more: main_${number + 1}` : ''}, limit: bye }
`;

const department = (
  d: string,
  main: string,
): string => `  ${d}_hello: { play: "You have reached ${d}.", next: ${d}_menu }
  ${d}_menu:
    menu:
      prompt: "For a status press 1, for a new request press 2, to speak to somebody press 3, to go back press 9."
      choices: { status: { dtmf: "1" }, create: { dtmf: "2" }, agent: { dtmf: "3", say: [agent, person] }, back: { dtmf: "9" } }
    max_visits: 5
    exits: { status: ${d}_ask, create: ${d}_new, agent: ${d}_queue, back: ${main}, limit: bye }
  ${d}_ask:
    collect: { prompt: "Please enter your number of eight digits.", digits: { length: 8 } }
    set: { account: "\${ result.digits }" }
    max_visits: 3
    exits: { collected: ${d}_look_up, limit: operator }
  ${d}_look_up:
    request: { get: "http://crm.example/${d}/\${ vars.account }", timeout: 3s, retry: { times: 2, backoff: 500ms, when: [timeout, 5xx] }, meanwhile: wait }
    exits: { ok: ${d}_by_state, not_found: ${d}_unknown, failed: ${d}_down }
  ${d}_unknown: { play: "I cannot find that number.", next: ${d}_ask }
  ${d}_down: { play: "Our system does not answer right now.", next: ${d}_queue }
  ${d}_by_state:
    branch:
      - { when: "steps.${d}_look_up.body.state = 'done'", next: ${d}_done }
      - { when: "steps.${d}_look_up.body.state = 'open'", next: ${d}_open }
      - { else: ${d}_queue }
  ${d}_done: { play: "Your request is done.", next: ${d}_more }
  ${d}_open: { play: "Your request is being worked on.", next: ${d}_more }
  ${d}_more:
    menu: { prompt: "Anything else? Press 1 for yes, 2 for no.", choices: { again: { dtmf: "1" }, enough: { dtmf: "2" } } }
    max_visits: 4
    exits: { again: ${d}_menu, enough: bye, limit: bye }
  ${d}_new:
    record: { prompt: "Please tell us what you need.", beep: true, max_length: 2m }
    exits: { recorded: ${d}_store, silence: ${d}_menu_again }
  ${d}_menu_again: { play: "I did not hear anything.", next: ${d}_queue }
  ${d}_store: { notify: { event: ${d}.created, body: { from: "\${ call.from }" } }, next: ${d}_more }
  ${d}_queue: { play: "We connect you with ${d}.", next: ${d}_ring }
  ${d}_ring: { bridge: { to: [["user:${d}_a", "user:${d}_b"]], ring_timeout: 25s }, exits: { completed: bye, failed: voicemail, failed.busy: operator } }
`;
