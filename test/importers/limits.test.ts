/** Texts, names and SSML of the source that the flow language does not accept: they are fitted to it, and reported. */
import { describe, expect, it } from 'vitest';
import { errorsOf, imported } from './imported.ts';

const LONG = 'This is one of many sentences. '.repeat(150).trim();
const LONG_NAME = 'n'.repeat(150);
const BAD = '<speak>Hello there <break nothing</speak>';

const studio = (type: string, properties: object): string =>
  JSON.stringify({
    description: 'shop',
    states: [
      { name: 'Trigger', type: 'trigger', transitions: [{ event: 'incomingCall', next: 'one' }], properties: {} },
      { name: 'one', type, transitions: [], properties },
    ],
    initial_state: 'Trigger',
  });
const connect = (parameters: object): string =>
  JSON.stringify({
    Version: '2019-10-30',
    StartAction: 'one',
    Metadata: {},
    Actions: [
      { Identifier: 'one', Type: 'MessageParticipant', Parameters: parameters, Transitions: { NextAction: 'end' } },
      { Identifier: 'end', Type: 'DisconnectParticipant', Parameters: {}, Transitions: {} },
    ],
  });
const swml = (...main: object[]): string => JSON.stringify({ version: '1.0.0', sections: { main } });
const vxml = (prompt: string): string =>
  `<vxml version="2.1"><form><block><prompt>${prompt}</prompt></block></form></vxml>`;

const argumentsIn = ({ steps }: ReturnType<typeof imported>): string => JSON.stringify(Object.values(steps));

const noteOn = (source: string): string =>
  imported(source)
    .nodes.filter(({ fidelity }) => fidelity === 'workaround')
    .flatMap(({ notes }) => notes)
    .join('; ');

describe('a text of more than 4,000 characters', () => {
  it.each([
    ['TwiML', `<Response><Say>${LONG}</Say></Response>`],
    ['Twilio Studio', studio('say-play', { say: LONG })],
    ['Amazon Connect', connect({ Text: LONG })],
    ['NCCO', JSON.stringify([{ action: 'talk', text: LONG }])],
    ['jambonz', JSON.stringify([{ verb: 'say', text: LONG }])],
    ['SWML', swml({ play: { url: `say:${LONG}` } })],
    ['VoiceXML', vxml(LONG)],
  ])('is spoken in parts that end with sentences: %s', (_format, source) => {
    const result = imported(source);
    expect(errorsOf(result)).toEqual([]);
    expect(noteOn(source)).toContain('in parts of at most 4000 characters');
    const words = [...argumentsIn(result).matchAll(/This is one of many sentences\./g)];
    expect(words).toHaveLength(150);
  });

  it('is cut in a message, and split between characters where it has no spaces', () => {
    const cut = `<Response><Sms to="+15550001111" from="+15550002222">${LONG}</Sms></Response>`;
    expect(errorsOf(imported(cut))).toEqual([]);
    expect(noteOn(cut)).toContain('the text is cut after 4000 characters');
    const solid = JSON.stringify([{ action: 'talk', text: '𠀀'.repeat(4500) }]);
    const result = imported(solid);
    expect(errorsOf(result)).toEqual([]);
    expect([...argumentsIn(result).matchAll(/𠀀/gu)]).toHaveLength(4500);
  });
});

describe('a name of more than 100 characters', () => {
  it.each([
    ['TwiML', `<Response><Enqueue>${LONG_NAME}</Enqueue></Response>`],
    ['Twilio Studio', studio('enqueue-call', { queue_name: LONG_NAME })],
    ['NCCO', JSON.stringify([{ action: 'conversation', name: LONG_NAME }])],
    ['jambonz', JSON.stringify([{ verb: 'enqueue', name: LONG_NAME }])],
    ['SWML', swml({ join_conference: { name: LONG_NAME } })],
  ])('is shortened, and stays another than similar ones: %s', (_format, source) => {
    const result = imported(source);
    expect(errorsOf(result)).toEqual([]);
    expect(noteOn(source)).toContain('the name is shortened to 100 characters');
    const [name] = /n{80,}-[0-9a-f]{8}/.exec(result.flows[0]!.text)!;
    const [other] = /n{80,}-[0-9a-f]{8}/.exec(imported(source.replace(LONG_NAME, `${LONG_NAME}n`)).flows[0]!.text)!;
    expect(name).toHaveLength(100);
    expect(other).not.toBe(name);
  });

  it.each([
    ['Twilio Studio', studio('say-play', { say: 'Hello there' }).replaceAll('"one"', `"${LONG_NAME}"`)],
    ['Amazon Connect', connect({ Text: 'Hello there' }).replaceAll('"one"', `"${LONG_NAME}"`)],
    ['VoiceXML', vxml('Hello there').replace('<form>', `<form id="${LONG_NAME}">`)],
  ])('is a shorter name of the step: %s', (_format, source) => {
    expect(errorsOf(imported(source))).toEqual([]);
  });
});

describe('SSML that cannot be spoken', () => {
  it.each([
    ['TwiML', '<Response><Say>Hello there <wobble>you</wobble></Say></Response>'],
    ['Twilio Studio', studio('say-play', { say: BAD })],
    ['Amazon Connect', connect({ SSML: BAD })],
    ['NCCO', JSON.stringify([{ action: 'talk', text: BAD }])],
    ['jambonz', JSON.stringify([{ verb: 'say', text: BAD }])],
  ])('is spoken without its tags: %s', (_format, source) => {
    const result = imported(source);
    expect(errorsOf(result)).toEqual([]);
    expect(noteOn(source)).toContain('the words of the SSML are spoken without its tags, because it cannot be spoken');
    expect(argumentsIn(result)).toContain('Hello there');
    expect(argumentsIn(result)).not.toContain('<');
  });

  it('is a step to do in VoiceXML, whose elements are its own, and plain text in SWML', () => {
    expect(errorsOf(imported(vxml('Hello there <wobble/>')))).toEqual([expect.stringContaining('say <wobble>')]);
    expect(errorsOf(imported(swml({ play: { url: `say:${BAD}` } })))).toEqual([]);
  });
});
