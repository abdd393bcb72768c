/** Templates for new flows: the examples of the program, and the flows of the service. Pure; used by `new-flow.tsx`. */

/** Flow of the blank template. Its last step speaks, so that questions added to it can be given up there. */
export const SMALLEST = `flow: new-flow
doc: Says hello and hangs up.

defaults:
  locale: en-US
  exits: { error: bye }

prompts:
  hello: Hello. This call is answered by a file.
  goodbye: Thank you for calling. Goodbye.

start: hello
steps:
  hello: { play: hello, next: bye }
  bye: { play: goodbye, next: $end }
`;

export interface ExampleFlow {
  name: string;
  title: string;
  text: string;
}

export interface FlowTemplate {
  key: string;
  /** Suggested name of the new flow. */
  name: string;
  title: string;
  /** One sentence. */
  sentence: string;
  /** Further words that find it. */
  words?: string;
  /** Text of the flow. Absent for flows of the service, which are read when they are chosen. */
  text?: string;
}

interface Description {
  title: string;
  sentence: string;
  words?: string;
}

/** Descriptions of examples that have none of their own, in the order of the gallery; then the other examples. */
export const DESCRIPTIONS: Readonly<Record<string, Description>> = {
  menu: {
    title: 'Menu',
    sentence: 'Asks for a key, and leads each key elsewhere.',
    words: 'ivr receptionist press choices',
  },
  voicemail: { title: 'Voicemail', sentence: 'Records a message after the beep.', words: 'mailbox record answerphone' },
  'call-centre': {
    title: 'Call centre',
    sentence: 'Rings agents, connects callers, and transfers them.',
    words: 'support agents bridge transfer',
  },
  support: {
    title: 'Waiting line',
    sentence: 'Callers wait with music until an agent is free.',
    words: 'queue hold agents support',
  },
  collect: {
    title: 'Ask for digits',
    sentence: 'Asks for a number by keys, and checks it.',
    words: 'pin account input',
  },
  weather: {
    title: 'Ask a web service',
    sentence: 'Sends a request, and says what was answered.',
    words: 'http api lookup crm',
  },
  reception: {
    title: 'AI receptionist',
    sentence: 'An AI agent answers, books a day, or hands over to a person.',
    words: 'assistant bot llm voicebot',
  },
  payment: { title: 'Payment', sentence: 'Takes a card payment by keys.', words: 'pay card credit money' },
  meeting: {
    title: 'Conference',
    sentence: 'Callers meet, and wait with music for the moderator.',
    words: 'meeting group call',
  },
  reminder: {
    title: 'Reminder',
    sentence: 'Reminds people of an appointment, and asks for their answer.',
    words: 'broadcast confirm cancel outbound',
  },
  hello: { title: 'Greeting', sentence: 'Says hello and hangs up.', words: 'smallest first' },
  'call-me-back': {
    title: 'Waiting line with callback',
    sentence: 'Offers to call back instead of waiting.',
    words: 'queue callback',
  },
  agent: {
    title: 'Agent of a waiting line',
    sentence: 'An agent signs in and takes calls.',
    words: 'queue serve login',
  },
  'called-back': {
    title: 'Called back',
    sentence: 'Runs when a caller of the waiting line is called back.',
    words: 'queue callback',
  },
  'while-waiting': {
    title: 'While waiting',
    sentence: 'What callers hear while they wait in a line.',
    words: 'queue music position',
  },
  testing: {
    title: 'Everything to test',
    sentence: 'Opening hours, a PIN, a slow server: each with a test.',
    words: 'tests hours pin',
  },
  lottery: { title: 'Lottery', sentence: 'Asks for a number, and draws another.', words: 'game embed' },
  'three-nodes': {
    title: 'Cluster',
    sentence: 'Says which of several nodes answers the call.',
    words: 'nodes high availability',
  },
  'call-engineer': {
    title: 'Call an engineer',
    sentence: 'Calls one engineer, and asks whether to accept.',
    words: 'incident on-call outbound',
  },
  'incident-call': {
    title: 'Incident call',
    sentence: 'Tells an engineer about an incident, and asks whether to accept.',
    words: 'on-call alert outbound',
  },
  'tell-engineer': {
    title: 'Report to an engineer',
    sentence: 'Says the report to the engineer before both talk.',
    words: 'on-call whisper',
  },
  'wake-up-call': {
    title: 'Wake-up call',
    sentence: 'Rings a hotel room in the morning, and asks for a key.',
    words: 'hotel alarm outbound',
  },
};

const ORDER = Object.keys(DESCRIPTIONS);
const placeOf = (name: string): number => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);

export function templatesOf(examples: readonly ExampleFlow[], flows: readonly { name: string }[]): FlowTemplate[] {
  const known = [...examples].sort(({ name: one }, { name: other }) => placeOf(one) - placeOf(other));
  return [
    ...known.map((example) => ({ key: `example ${example.name}`, name: example.name, ...describe(example) })),
    ...flows.map(({ name }) => ({
      ...{
        key: `flow ${name}`,
        name: `${name}-copy`,
        title: name,
        sentence: 'A copy of this flow.',
        words: 'your flows',
      },
    })),
  ];
}

function describe({ name, title, text }: ExampleFlow): Omit<FlowTemplate, 'key' | 'name'> {
  const own = Object.hasOwn(DESCRIPTIONS, name) ? DESCRIPTIONS[name] : undefined;
  const heading = title === name ? `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll('-', ' ')}` : title;
  return { title: heading, sentence: sentenceIn(text) ?? '', words: name, ...own, text };
}

/** First sentence of the `doc` of a flow. */
function sentenceIn(text: string): string | undefined {
  const doc = /^doc:[ \t]*(["']?)(.+?)\1[ \t]*$/m.exec(text)?.[2];
  return doc === undefined ? undefined : (/^.*?[.!?](?=\s|$)/.exec(doc)?.[0] ?? doc);
}

/** Templates that contain every word of the search. */
export function matching(templates: readonly FlowTemplate[], wanted: string): FlowTemplate[] {
  const parts = wanted.toLowerCase().split(/\s+/).filter(Boolean);
  return templates.filter(({ title, sentence, name, words = '' }) => {
    const all = `${title} ${sentence} ${name} ${words}`.toLowerCase();
    return parts.every((part) => all.includes(part));
  });
}

/** The name, or the first free one with a number. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  let number = 2;
  while (taken.includes(`${name}-${number}`)) number++;
  return `${name}-${number}`;
}
