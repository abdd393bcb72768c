/** One small flow in all styles of YAML and JSON. */

export interface Manner {
  name: string;
  text: string;
}

const block = `# The whole.
flow: t
defaults:
  exits: { error: sorry }
start: ask
steps:
  # Asks.
  ask:
    menu:
      prompt: which # one
      choices:
        one: { dtmf: "1" }
        two: { dtmf: "2" }
    exits: # ways
      one: first # the first
      exhausted: sorry
      # below the exits

  first:
    play: "You said \${ steps.ask.choice }."
    next: sorry

  sorry:
    hangup: normal # the end
# After all.
`;

const inline = `flow: t
defaults: { exits: { error: sorry } }
start: ask
steps:
  ask: { menu: { prompt: which, choices: { one: { dtmf: "1" }, two: { dtmf: "2" } } }, exits: { one: first, exhausted: sorry } } # asks
  first: { play: "You said \${ steps.ask.choice }.", next: sorry }
  sorry: { hangup: normal }
`;

const json = `{
  "flow": "t",
  "defaults": { "exits": { "error": "sorry" } },
  "start": "ask",
  "steps": {
    "ask": {
      "menu": { "prompt": "which", "choices": { "one": { "dtmf": "1" }, "two": { "dtmf": "2" } } },
      "exits": { "one": "first", "exhausted": "sorry" }
    },
    "first": { "play": "You said \${ steps.ask.choice }.", "next": "sorry" },
    "sorry": { "hangup": "normal" }
  }
}
`;

const quoted = `"flow": 't'
'defaults': { 'exits': { 'error': 'sorry' } }
"start": "ask"
"steps":
  "ask":
    "menu": { "prompt": "which", "choices": { "one": { "dtmf": "1" }, "two": { "dtmf": "2" } } }
    "exits": { "one": "first", 'exhausted': 'sorry' }
  'first': { 'play': 'You said \${ steps.ask.choice }.', 'next': 'sorry' }
  "sorry": { "hangup": "normal" }
`;

const anchors = `flow: t
defaults: { exits: { error: &end sorry } }
start: ask
steps:
  ask:
    menu: { prompt: which, choices: &choices { one: { dtmf: "1" }, two: { dtmf: "2" } } }
    exits: { one: &first first, exhausted: *end }
  first: &step
    play: "You said \${ steps.ask.choice }."
    next: *end
  sorry: { hangup: normal }
`;

const tabs = `flow:\tt
defaults: {\texits:\t{ error:\tsorry } }
start:\task
steps:
  ask:\t{ menu: {\tprompt: which,
   \t\tchoices: { one: { dtmf: "1" }, two: { dtmf: "2" } } },
   \t\texits: {\tone:\tfirst, exhausted: sorry } }\t# asks
  first:
    play:\t"You said \${ steps.ask.choice }."\t
    next:\tsorry\t# on
  sorry:\t{ hangup: normal }
`;

const braces = `flow: t
defaults: {exits: {error: sorry}}
start: ask
steps: {
    # Asks.
    ask: {menu: {prompt: which, choices: {one: {dtmf: "1"}, two: {dtmf: "2"}}}, exits: {one: first, exhausted: sorry}}, # asks
    first: {
      play: "You said \${ steps.ask.choice }.", # says
      next: sorry,
    },
    sorry: {hangup: normal} # the end
  }
`;

const deep = `flow: t
defaults:
    exits:
        error: sorry
start: ask
steps:
    ask:
        menu:
            prompt: which
            choices: { one: { dtmf: "1" }, two: { dtmf: "2" } }
        exits:
            one: first
            exhausted:
                sorry


    first:
        play: >-
            You said \${ steps.ask.choice
            }.

        next: sorry


    sorry:
        hangup: normal
`;

export const manners: readonly Manner[] = [
  { name: 'block maps with remarks', text: block },
  { name: 'maps in one line', text: inline },
  { name: 'JSON', text: json },
  { name: 'JSON in one line', text: JSON.stringify(JSON.parse(json)) },
  { name: 'quotes everywhere', text: quoted },
  { name: 'anchors and aliases', text: anchors },
  { name: 'tabs', text: tabs },
  { name: 'braces over lines', text: braces },
  { name: 'four spaces and empty lines', text: deep },
  { name: 'line ends of Windows', text: block.replaceAll('\n', '\r\n') },
  { name: 'no line end at the end', text: inline.trimEnd() },
  { name: 'a byte order mark', text: `\ufeff${block.replace(/^.*\n/, '')}` },
];
