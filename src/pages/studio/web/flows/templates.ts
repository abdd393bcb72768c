/** Templates for new flows: the examples of the program, and the flows of the service. Pure; used by `new-flow.tsx`. */
import { t } from '../../../shared/web/words/translate.ts';

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
    title: t('Menu'),
    sentence: t('Asks for a key, and leads each key elsewhere.'),
    words: t('ivr receptionist press choices'),
  },
  voicemail: {
    title: t('Voicemail'),
    sentence: t('Records a message after the beep.'),
    words: t('mailbox record answerphone'),
  },
  'call-centre': {
    title: t('Call centre'),
    sentence: t('Rings agents, connects callers, and transfers them.'),
    words: t('support agents bridge transfer'),
  },
  support: {
    title: t('Waiting line'),
    sentence: t('Callers wait with music until an agent is free.'),
    words: t('queue hold agents support'),
  },
  collect: {
    title: t('Ask for digits'),
    sentence: t('Asks for a number by keys, and checks it.'),
    words: t('pin account input'),
  },
  weather: {
    title: t('Ask a web service'),
    sentence: t('Sends a request, and says what was answered.'),
    words: t('http api lookup crm'),
  },
  reception: {
    title: t('AI receptionist'),
    sentence: t('An AI agent answers, books a day, or hands over to a person.'),
    words: t('assistant bot llm voicebot'),
  },
  payment: { title: t('Payment'), sentence: t('Takes a card payment by keys.'), words: t('pay card credit money') },
  meeting: {
    title: t('Conference'),
    sentence: t('Callers meet, and wait with music for the moderator.'),
    words: t('meeting group call'),
  },
  reminder: {
    title: t('Reminder'),
    sentence: t('Reminds people of an appointment, and asks for their answer.'),
    words: t('broadcast confirm cancel outbound'),
  },
  hello: { title: t('Greeting'), sentence: t('Says hello and hangs up.'), words: t('smallest first') },
  'call-me-back': {
    title: t('Waiting line with callback'),
    sentence: t('Offers to call back instead of waiting.'),
    words: t('queue callback'),
  },
  agent: {
    title: t('Agent of a waiting line'),
    sentence: t('An agent signs in and takes calls.'),
    words: t('queue serve login'),
  },
  'called-back': {
    title: t('Called back'),
    sentence: t('Runs when a caller of the waiting line is called back.'),
    words: t('queue callback'),
  },
  'while-waiting': {
    title: t('While waiting'),
    sentence: t('What callers hear while they wait in a line.'),
    words: t('queue music position'),
  },
  testing: {
    title: t('Everything to test'),
    sentence: t('Opening hours, a PIN, a slow server: each with a test.'),
    words: t('tests hours pin'),
  },
  lottery: { title: t('Lottery'), sentence: t('Asks for a number, and draws another.'), words: t('game embed') },
  'three-nodes': {
    title: t('Cluster'),
    sentence: t('Says which of several nodes answers the call.'),
    words: t('nodes high availability'),
  },
  'call-engineer': {
    title: t('Call an engineer'),
    sentence: t('Calls one engineer, and asks whether to accept.'),
    words: t('incident on-call outbound'),
  },
  'incident-call': {
    title: t('Incident call'),
    sentence: t('Tells an engineer about an incident, and asks whether to accept.'),
    words: t('on-call alert outbound'),
  },
  'tell-engineer': {
    title: t('Report to an engineer'),
    sentence: t('Says the report to the engineer before both talk.'),
    words: t('on-call whisper'),
  },
  'wake-up-call': {
    title: t('Wake-up call'),
    sentence: t('Rings a hotel room in the morning, and asks for a key.'),
    words: t('hotel alarm outbound'),
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
        sentence: t('A copy of this flow.'),
        words: t('your flows'),
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
