/** Captions of a session: who receives them, whose speech is recognised, and what is kept. */
import { describe, expect, it } from 'vitest';
import { fault } from '../../src/base/core/fault.ts';
import type { JsonObject } from '../../src/base/core/json.ts';
import type { EngineCommand } from '../../src/media/rooms/sfu.ts';
import type { RecognitionEvent, RecognitionRequest, Recognizer } from '../../src/media/telephony/recognition.ts';
import { roomRig, type TestClient } from './room-fixtures.ts';

/** Recogniser whose events a test sends. */
class TestRecognizer implements Recognizer {
  problem: string | undefined;
  readonly opened: {
    request: RecognitionRequest;
    say(event: RecognitionEvent): void;
    samples: number;
    state: 'open' | 'finished' | 'aborted';
  }[] = [];

  refusal() {
    return this.problem === undefined ? undefined : fault(this.problem, 'not now');
  }

  open(request: RecognitionRequest, say: (event: RecognitionEvent) => void) {
    const one: TestRecognizer['opened'][number] = { request, say, samples: 0, state: 'open' };
    this.opened.push(one);
    return {
      write({ length }: Int16Array) {
        one.samples += length;
      },
      finish() {
        one.state = 'finished';
      },
      abort() {
        one.state = 'aborted';
      },
    };
  }
}

function captionRig(settings: JsonObject = { captions: 'en' }) {
  const recognizer = new TestRecognizer();
  const rig = roomRig({ recognizer });
  const room = rig.room(settings);
  const join = (name: string, role: 'moderator' | 'participant' | 'audience' = 'participant') =>
    rig.join(room, role, name);
  const report = (event: object) => rig.engine.report(rig.told[0]!.confNum, event as never);
  const listens = () =>
    rig.engine.commands.flatMap(({ command }) =>
      command.type === 'listen' ? [command as Extract<EngineCommand, { type: 'listen' }>] : [],
    );
  return {
    ...{ rig, recognizer, join, listens },
    talk: ({ id: participant }: TestClient, on = true) => report({ type: 'talking', participant, on }),
    sound: ({ id: participant }: TestClient) =>
      report({ type: 'speech', participant, pcm: Buffer.alloc(1600).toString('base64') }),
  };
}

const turn = (client: TestClient, on = true) => client.say({ type: 'captions', on });
const textsOf = (client: TestClient) =>
  client.of('caption').map(({ name, text, final }) => `${name}: ${text}${final ? '.' : '…'}`);
const errorsOf = (client: TestClient) => client.of('error').map(({ code }) => code);

describe('the captions of a session', () => {
  it('sends captions to those who turned them on, as the words come', async () => {
    const { rig, recognizer, join, talk, sound } = captionRig();
    const [ada, ben, cleo] = [join('Ada'), join('Ben'), join('Cleo')];
    turn(ada);
    expect([ada, ben].map((one) => one.last('captions')?.on)).toEqual([true, true]);
    turn(cleo);
    turn(cleo, false);
    talk(ben);
    sound(ben);
    const [voice] = recognizer.opened;
    expect(voice).toMatchObject({ samples: 800, request: { language: 'en', projectId: 'shop', continuous: true } });
    voice!.say({ type: 'partial', text: 'good' });
    voice!.say({ type: 'partial', text: 'good more' });
    await rig.clock.advance(250);
    voice!.say({ type: 'partial', text: 'good morning' });
    voice!.say({ type: 'utterance', text: 'good morning', confidence: 1, fromMs: 0, toMs: 1 });
    voice!.say({ type: 'utterance', text: 'to all', confidence: 1, fromMs: 0, toMs: 1 });
    expect(textsOf(ada)).toEqual(['Ben: good…', 'Ben: good morning…', 'Ben: good morning.', 'Ben: to all.']);
    expect(ada.of('caption').map(({ line }) => line)).toEqual([1, 1, 1, 2]);
    expect([textsOf(ben), textsOf(cleo)]).toEqual([[], []]);
    expect(join('Dan').last('welcome')!.captions).toBe(true);
  });

  it('requires a room with captions, a role that takes part, and a recogniser of the language', () => {
    const none = captionRig({});
    const ada = none.join('Ada');
    turn(ada);
    const { recognizer, join, listens } = captionRig({ captions: 'fr', audiences: 2 });
    const [ben, eve] = [join('Ben'), join('Eve', 'audience')];
    turn(eve);
    recognizer.problem = 'no_recognizer';
    turn(ben);
    expect([ada, eve, ben].map(errorsOf)).toEqual([['not_allowed'], ['not_allowed'], ['not_available']]);
    expect(ben.last('captions')).toBeUndefined();
    expect(listens()).toEqual([]);
  });

  it('recognises no speech unless a participant receives captions', () => {
    const { recognizer, join, talk, sound, listens } = captionRig();
    const [ada, ben] = [join('Ada'), join('Ben')];
    talk(ben);
    sound(ben);
    expect([recognizer.opened.length, listens().length]).toEqual([0, 0]);
    turn(ada);
    talk(ben);
    expect(listens().at(-1)).toEqual({ type: 'listen', on: true, participants: [ben.id] });
    ada.say({ type: 'leave' });
    expect(recognizer.opened[0]!.state).toBe('aborted');
    expect(listens().at(-1)).toEqual({ type: 'listen', on: false, participants: [] });
    expect(ben.last('captions')!.on).toBe(false);
  });

  it('recognises at most three speakers at once; the next one replaces one who is quiet', () => {
    const { recognizer, join, talk } = captionRig();
    const people = ['Ada', 'Ben', 'Cleo', 'Dan'].map((name) => join(name));
    turn(people[0]!);
    for (const one of people) talk(one);
    expect(recognizer.opened).toHaveLength(3);
    talk(people[1]!, false);
    talk(people[3]!, false);
    talk(people[3]!);
    expect(recognizer.opened.map(({ state }) => state)).toEqual(['open', 'finished', 'open', 'open']);
    recognizer.opened[1]!.say({ type: 'utterance', text: 'last words', confidence: 1, fromMs: 0, toMs: 1 });
    expect(textsOf(people[0]!)).toEqual(['Ben: last words.']);
  });

  it('leaves the recogniser to others after 30 s of silence, and retries after a failure or a busy moment', async () => {
    const { rig, recognizer, join, talk, sound } = captionRig();
    const [ada, ben] = [join('Ada'), join('Ben')];
    turn(ada);
    talk(ben);
    talk(ben, false);
    await rig.clock.advance(30_001);
    sound(ben);
    expect(recognizer.opened[0]!.state).toBe('finished');
    recognizer.problem = 'recognizer_busy';
    talk(ben);
    expect(recognizer.opened).toHaveLength(1);
    recognizer.problem = undefined;
    talk(ben);
    recognizer.opened[1]!.say({ type: 'partial', text: 'good' });
    recognizer.opened[1]!.say({ type: 'ended', reason: 'failed' });
    expect(textsOf(ada).at(-1)).toBe('Ben: .');
    talk(ben);
    expect(recognizer.opened).toHaveLength(3);
  });

  it('continues after a restart of the engine', () => {
    const { rig, join, talk, listens } = captionRig();
    const [ada, ben] = [join('Ada'), join('Ben')];
    turn(ada);
    talk(ben);
    rig.engine.die();
    expect(listens().at(-1)).toEqual({ type: 'listen', on: true, participants: [ben.id] });
  });

  it.each([
    [true, ['caption']],
    [false, []],
  ])('keeps captions only if the room asks for it: %s', (keeps, kept) => {
    const { rig, recognizer, join, talk } = captionRig({ captions: 'en', keep_captions: keeps });
    const ada = join('Ada');
    turn(ada);
    talk(ada);
    recognizer.opened[0]!.say({ type: 'partial', text: 'good' });
    recognizer.opened[0]!.say({ type: 'utterance', text: 'good', confidence: 1, fromMs: 0, toMs: 1 });
    expect(rig.told.flatMap(({ type }) => (type === 'caption' ? [type] : []))).toEqual(kept);
  });
});
