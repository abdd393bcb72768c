/** The documented table of errors, row by row: each error is caused by the state that it describes. */
import { describe, expect, it } from 'vitest';
import { OTHER, UNSPOKEN } from './rig.ts';
import { bridged, connected, openRig } from './rigs.ts';

const HELLO = { text: 'Hello there', voice: 'female', language: 'en-US' };

describe('errors of the voice API', () => {
  it('400/400 play: returns media request failed after the call', async () => {
    const { rig, call } = await connected();
    rig.farEnd('2000').hangUp();
    await rig.pass(1000);
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/play`, HELLO);
    expect([status, body['result'], body['playstate'], body['state']]).toEqual([400, 400, 'failed', 'failed']);
  });

  it('400/number analyze: returns unspecified failure for an unreadable id', async () => {
    const rig = await openRig();
    const { status, body } = await rig.request('GET', '/voice/v1/call/%zz');
    expect([status, body['result'], body['state']]).toEqual([400, 400, 'failed']);
  });

  it('404/6110 bridge: returns no service configured for the number', async () => {
    const { rig, call } = await connected();
    rig.unreachable.add('4000');
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/connect`, { from: '1000', to: '4000' });
    expect([status, body['result'], body['state'], body['voice_id']]).toEqual([404, 6110, 'failed', call]);
  });

  it('404/6110 media stream: returns no service configured', async () => {
    const { rig, call } = await bridged({ lacks: ['stream'] });
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/stream`, {
      stream_dest: 'ws://127.0.0.1:9',
    });
    expect([status, body['result'], body['state']]).toEqual([404, 6110, 'failed']);
  });

  it('404/6118 bridge: returns phone number not found for the service', async () => {
    const { rig, call } = await connected();
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/connect`, { from: '5555', to: '4000' });
    expect([status, body['result'], body['state']]).toEqual([404, 6118, 'failed']);
  });

  it('404/404 retrieve recording: returns recording file not found', async () => {
    const rig = await openRig();
    const { status, body } = await rig.request('GET', '/voice/v1/recording/no-such-recording');
    expect([status, body['result'], body['state']]).toEqual([404, 404, 'failed']);
  });

  it('405/6112 play: refuses media while the call is bridged', async () => {
    const { rig, call } = await bridged();
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/play`, HELLO);
    expect([status, body['result'], body['playstate']]).toEqual([405, 6112, 'failed']);
  });

  it('406/6117 play: rejects an unsupported voice or language for text-to-speech', async () => {
    const { rig, call } = await connected();
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/play`, { ...HELLO, language: UNSPOKEN });
    expect([status, body['result'], body['playstate']]).toEqual([406, 6117, 'failed']);
  });

  it('408/6114 play: refuses a second play request while one is pending', async () => {
    const { rig, call } = await connected();
    await rig.request('PUT', `/voice/v1/call/${call}/play`, HELLO);
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/play`, HELLO);
    expect([status, body['result'], body['playstate']]).toEqual([408, 6114, 'failed']);
  });

  it('408/408 start recording: refuses a second recording of the call', async () => {
    const { rig, call } = await bridged();
    await rig.request('PUT', `/voice/v1/call/${call}/recording`, { start: true });
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/recording`, { start: true });
    expect([status, body['result'], body['state']]).toEqual([408, 408, 'failed']);
  });

  it.each([
    ['transfer', { from: '1000', transfer_to: '4001' }],
    ['forward', { from: '1000', to: '4001' }],
    ['recording', { start: true }],
  ])('409/409 %s: requires a bridged call', async (route, order) => {
    const { rig, call } = await connected();
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/${route}`, order);
    expect([status, body['result'], body['state']]).toEqual([409, 409, 'failed']);
  });

  it('500/6119 recording: reports a failure to start recording on a bridge', async () => {
    const { rig, call } = await bridged();
    rig.store.recordings.add = () => {
      throw new Error('the disk is full');
    };
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/recording`, { start: true });
    expect([status, body['result'], body['state']]).toEqual([500, 6119, 'failed']);
    rig.logLines.length = 0;
  });

  it.each([
    ['PUT', 'transfer', { from: '1000', transfer_to: '4001' }],
    ['PUT', 'forward', { from: '1000', to: '4001' }],
    ['PUT', 'stream', { stream_dest: 'ws://127.0.0.1:9' }],
  ])('500/500 %s /%s: reports an internal server error', async (method, route, order) => {
    const { rig, call } = await bridged();
    rig.isEngineBroken = true;
    const { status, body } = await rig.request(method, `/voice/v1/call/${call}/${route}`, order);
    expect([status, body['result'], body['state'], body['msg']]).toEqual([500, 500, 'failed', 'internal server error']);
    rig.logLines.length = 0;
  });

  it('503/6107 play: reports a failure of text-to-speech conversion', async () => {
    const { rig, call } = await connected();
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/play`, { ...HELLO, text: 'broken' });
    expect([status, body['result'], body['playstate']]).toEqual([503, 6107, 'failed']);
  });

  it('401 every route: requires the credentials of a project', async () => {
    const rig = await openRig();
    const { status, body } = await rig.request('PUT', '/voice/v1/call/x/connect', {}, { as: false });
    expect([status, body['result'], body['state']]).toEqual([401, 401, 'failed']);
  });
});

describe('a call of another project', () => {
  it.each<[string, string, object | undefined]>([
    ['GET', '', undefined],
    ['DELETE', '', undefined],
    ['PUT', '/play', HELLO],
    ['PUT', '/connect', { from: '3000', to: '4000' }],
    ['PUT', '/transfer', { from: '3000', transfer_to: '4000' }],
    ['PUT', '/forward', { from: '3000', to: '4000' }],
    ['POST', '/hold', { hold: true }],
    ['PUT', '/recording', { start: true }],
    ['PUT', '/stream', { stream_dest: 'ws://127.0.0.1:9' }],
    ['DELETE', '/stream', undefined],
    ['POST', '/accept', undefined],
    ['POST', '/event', { event: 'x' }],
  ])('%s /voice/v1/call/{voice_id}%s: returns 404, as for an unknown call', async (method, path, body) => {
    const { rig, call } = await bridged();
    const theirs = await rig.request(method, `/voice/v1/call/${call}${path}`, body, { as: OTHER });
    const nobodys = await rig.request(method, `/voice/v1/call/nobody${path}`, body, { as: OTHER });
    expect([theirs.status, theirs.body['result']]).toEqual([404, 404]);
    expect({ ...theirs.body, voice_id: '', timestamp: '' }).toEqual({ ...nobodys.body, voice_id: '', timestamp: '' });
    await rig.pass(100);
    expect(rig.received).toEqual([]);
  });
});
