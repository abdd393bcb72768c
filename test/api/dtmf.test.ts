/** Which prompt a key answers: each press counts once. */
import { describe, expect, it } from 'vitest';
import { connected, openRig } from './rigs.ts';

const ASK = { text: 'One or two?', voice: 'female', language: 'en-US', dtmf: true, recognizer_timeout: 1 };
const TELL = { text: 'All of this is worth hearing', voice: 'female', language: 'en-US' };

describe('PUT /voice/v1/call/{voice_id}/play with dtmf', () => {
  it('PUT /play: ignores keys that were pressed before', async () => {
    const { rig, call } = await connected();
    await rig.request('PUT', `/voice/v1/call/${call}/play`, TELL);
    rig.farEnd('2000').press('7');
    await rig.pass(6000);
    rig.farEnd('2000').press('8');
    await rig.pass(1000);
    await rig.request('PUT', `/voice/v1/call/${call}/play`, ASK);
    await rig.pass(4000);
    expect(rig.eventNames()).toEqual(['playfinished']);
    expect(rig.farEnd('2000').heard.at(-1)).toMatchObject({ item: { text: 'One or two?' } });
    rig.farEnd('2000').press('2');
    await rig.pass(2000);
    expect(rig.events().slice(1)).toMatchObject([{ playstate: 'digitcollected', digits: '2' }]);
  });

  it('PUT /play: counts keys that were pressed before, with typeahead', async () => {
    const { rig, call } = await connected();
    await rig.request('PUT', `/voice/v1/call/${call}/play`, TELL);
    rig.farEnd('2000').press('7');
    await rig.pass(6000);
    await rig.request('PUT', `/voice/v1/call/${call}/play`, { ...ASK, typeahead: 'true' });
    await rig.pass(2000);
    expect(rig.events()).toMatchObject([{ playstate: 'playfinished' }, { playstate: 'digitcollected', digits: '7' }]);
  });

  it.each([false, true])(
    'PUT /play: drops the key that interrupted the previous prompt, typeahead %s',
    async (typeahead) => {
      const { rig, call } = await connected();
      await rig.request('PUT', `/voice/v1/call/${call}/play`, { ...TELL, interrupt: true });
      await rig.pass(500);
      rig.farEnd('2000').press('7');
      await rig.pass(1000);
      expect(rig.eventNames()).toEqual(['playfinished']);
      await rig.request('PUT', `/voice/v1/call/${call}/play`, { ...ASK, typeahead });
      await rig.pass(30_000);
      expect(rig.eventNames()).toEqual(['playfinished', 'menutimeout']);
    },
  );

  it('PUT /play: takes the key that interrupts the prompt as the first digit', async () => {
    const { rig, call } = await connected();
    await rig.request('PUT', `/voice/v1/call/${call}/play`, ASK);
    await rig.pass(200);
    rig.farEnd('2000').press('12');
    await rig.pass(3000);
    expect(rig.events()).toMatchObject([{ playstate: 'digitcollected', digits: '12' }]);
    await rig.request('PUT', `/voice/v1/call/${call}/play`, ASK);
    await rig.pass(30_000);
    expect(rig.eventNames()).toEqual(['digitcollected', 'menutimeout']);
  });

  it('PUT /play: counts keys pressed during a prompt that no key interrupts', async () => {
    const { rig, call } = await connected();
    rig.farEnd('2000').press('9');
    await rig.pass(500);
    await rig.request('PUT', `/voice/v1/call/${call}/play`, { ...ASK, interrupt: false });
    await rig.pass(200);
    rig.farEnd('2000').press('1');
    await rig.pass(6000);
    expect(rig.events()).toMatchObject([{ playstate: 'digitcollected', digits: '1' }]);
    const [{ fromMs, toMs } = { fromMs: 0, toMs: 0 }] = rig.farEnd('2000').heard;
    expect(toMs! - fromMs).toBeGreaterThan(500);
  });

  it('action_on_connect.play: ignores keys of the previous prompt, too', async () => {
    const rig = await openRig();
    rig.answerEvent = ({ body }) =>
      body['playstate'] === 'playfinished' ? { status: 200, body: JSON.stringify({ play: ASK }) } : { status: 204 };
    await rig.dial({ action_on_connect: { play: TELL } });
    await rig.pass(1500);
    rig.farEnd('2000').press('5');
    await rig.pass(30_000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'playfinished', 'menutimeout']);
  });
});
