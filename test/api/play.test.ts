/** Options of the Play object beyond prompts and digits: speech recognition, and finer control of the voice. */
import { describe, expect, it } from 'vitest';
import { connected, openRig } from './rigs.ts';

const ASK = { text: 'What can we do for you?', voice: 'female', language: 'en-US', prompt_ref: 'ask' };

describe('PUT /voice/v1/call/{voice_id}/play with asr', () => {
  it('PUT /play: reports recognized speech with its text', async () => {
    const { rig, call } = await connected();
    const { body } = await rig.request('PUT', `/voice/v1/call/${call}/play`, { ...ASK, asr: true });
    await rig.pass(3000);
    rig.farEnd('2000').say('billing please');
    await rig.pass(6000);
    expect(rig.events()).toEqual([
      {
        voice_id: call,
        from: '1000',
        to: '2000',
        play_id: body['play_id'],
        prompt_ref: 'ask',
        playstate: 'speech_recognized',
        state: 'recognized',
        reason: expect.any(String),
        text: 'billing please',
        confidence: expect.any(Number),
      },
    ]);
  });

  it('PUT /play: reports timeout for silence after start_timeout', async () => {
    const { rig, call } = await connected();
    await rig.request('PUT', `/voice/v1/call/${call}/play`, { ...ASK, asr: true, start_timeout: 4 });
    await rig.pass(20_000);
    expect(rig.events()).toMatchObject([{ playstate: 'speech_recognized', state: 'timeout', prompt_ref: 'ask' }]);
  });

  it('PUT /play: reports unrecognized for speech that is not understood', async () => {
    const { rig, call } = await connected();
    await rig.request('PUT', `/voice/v1/call/${call}/play`, { ...ASK, asr: true });
    await rig.pass(3000);
    rig.farEnd('2000').say('mumble', { confidence: 0.1 });
    await rig.pass(8000);
    expect(rig.events()).toMatchObject([{ playstate: 'speech_recognized', state: 'unrecognized' }]);
    expect(rig.events()[0]).not.toHaveProperty('text');
  });

  it('PUT /play: counts the first of speech and digits, with dtmf too', async () => {
    const { rig, call } = await connected();
    await rig.request('PUT', `/voice/v1/call/${call}/play`, { ...ASK, asr: true, dtmf: true });
    await rig.pass(3000);
    rig.farEnd('2000').press('2');
    await rig.pass(5000);
    expect(rig.events()).toMatchObject([{ playstate: 'digitcollected', digit: '2', digits: '2' }]);
    expect(rig.events()).toHaveLength(1);
  });

  it('action_on_connect.play: listens for speech as well', async () => {
    const rig = await openRig();
    await rig.dial({ action_on_connect: { play: { ...ASK, asr: 'true' } } });
    await rig.pass(4000);
    rig.farEnd('2000').say('sales');
    await rig.pass(5000);
    expect(rig.events().at(-1)).toMatchObject({ state: 'recognized', text: 'sales' });
  });
});

describe('PUT /voice/v1/call/{voice_id}/play with text_to_speech_option', () => {
  it('PUT /play: is spoken as SSML', async () => {
    const { rig, call } = await connected();
    const option = { break: { value: '500ms' }, prosody: { rate: 'slow', text: 'Slowly' } };
    const { status } = await rig.request('PUT', `/voice/v1/call/${call}/play`, {
      ...ASK,
      text_to_speech_option: option,
    });
    expect(status).toBe(200);
    await rig.pass(10_000);
    const [heard] = rig.farEnd('2000').heard;
    expect(heard?.item).toMatchObject({ type: 'ssml', voice: 'female', language: 'en-US' });
    expect(JSON.stringify(heard?.item)).toContain('Slowly');
    expect(rig.eventNames()).toEqual(['playfinished']);
  });

  it('PUT /play: uses the text of the option instead of the text key', async () => {
    const { rig, call } = await connected();
    const body = { voice: 'male', text_to_speech_option: { text: 'Only here' } };
    expect((await rig.request('PUT', `/voice/v1/call/${call}/play`, body)).status).toBe(200);
    await rig.pass(5000);
    expect(JSON.stringify(rig.farEnd('2000').heard[0]?.item)).toContain('Only here');
  });

  it.each<[string, object, RegExp]>([
    ['no text anywhere', { text_to_speech_option: {} }, /text/],
    ['a style that is none', { ...ASK, text_to_speech_option: { 'express-as': { style: 'bored' } } }, /style/],
    ['an express-as without a style', { ...ASK, text_to_speech_option: { 'express-as': { text: 'x' } } }, /style/],
    ['a rate that is none', { ...ASK, text_to_speech_option: { prosody: { rate: 'odd' } } }, /rate/],
    [
      'an unknown interpret-as',
      { ...ASK, text_to_speech_option: { 'say-as': { 'interpret-as': 'x' } } },
      /interpret-as/,
    ],
    [
      'a format where there is none',
      { ...ASK, text_to_speech_option: { 'say-as': { 'interpret-as': 'ordinal', format: 'dmy' } } },
      /format/,
    ],
    ['a break without end', { ...ASK, text_to_speech_option: { break: { value: 'for ever' } } }, /duration/],
  ])('PUT /play: %s is 400, and says what is wrong', async (_what, body, why) => {
    const { rig, call } = await connected();
    const answer = await rig.request('PUT', `/voice/v1/call/${call}/play`, body);
    expect([answer.status, answer.body['result']]).toEqual([400, 400]);
    expect(answer.body['msg']).toMatch(why);
  });
});
