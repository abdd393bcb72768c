/** Streams by REST. */
import { describe, expect, it } from 'vitest';
import { bridged, connected, openRig } from './rigs.ts';

const TARGET = 'ws://127.0.0.1:9000/sound';

describe('PUT /voice/v1/call/{call_id}/stream', () => {
  it.each(['stream_dest', 'wss_host', 'url'])(
    'PUT /stream: returns 201, then reports its states by events (%s)',
    async (key) => {
      const { rig, call } = await bridged();
      const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/stream`, { [key]: TARGET });
      expect(status).toBe(201);
      expect(body).toMatchObject({ voice_id: call, state: 'initiated', status: 'initiated', from: '1000', to: '2000' });
      await rig.pass(1000);
      expect(rig.farEnd('2000').streams).toMatchObject([
        { url: TARGET, tracks: ['inbound'], bidirectional: false, start: { voice_id: call, from: '1000', to: '2000' } },
      ]);
      const stopped = await rig.request('DELETE', `/voice/v1/call/${call}/stream`);
      expect(stopped.status).toBe(201);
      expect(stopped.body).toMatchObject({ voice_id: call, state: 'success' });
      await rig.pass(1000);
      const common = { voice_id: call, from: '1000', to: '2000', stream_id: body['stream_id'] };
      expect(rig.events()).toEqual([
        { ...common, state: 'stream_initiated' },
        { ...common, state: 'stream_started' },
        { ...common, state: 'stream_stopped' },
      ]);
    },
  );

  it('PUT /stream: opens a WebSocket for host and port alone', async () => {
    const { rig, call } = await bridged();
    const body = { stream_dest: '127.0.0.1:9000', tracks: 'both', bidirectional: 'true' };
    expect((await rig.request('PUT', `/voice/v1/call/${call}/stream`, body)).status).toBe(201);
    await rig.pass(100);
    expect(rig.farEnd('2000').streams).toMatchObject([
      { url: 'ws://127.0.0.1:9000', tracks: ['inbound', 'outbound'], bidirectional: true },
    ]);
  });

  it('action_on_connect.stream: streams the audio from the answer on', async () => {
    const rig = await openRig();
    await rig.dial({ action_on_connect: { stream: { wss_host: TARGET } } });
    await rig.pass(3000);
    expect(rig.eventNames()).toEqual(['ringing', 'connected', 'stream_initiated', 'stream_started']);
  });

  it('action_on_connect.stream: continues after a bridge, until it is stopped', async () => {
    const { rig, call } = await bridged({}, { action_on_connect: { stream: { wss_host: TARGET } } });
    rig.farEnd('4000').hangUp();
    await rig.pass(1000);
    expect(rig.eventNames()).toEqual(['bridge_disconnected']);
    expect((await rig.request('DELETE', `/voice/v1/call/${call}/stream`)).status).toBe(201);
    await rig.pass(100);
    expect(rig.eventNames()).toEqual(['bridge_disconnected', 'stream_stopped']);
  });

  it('PUT /stream: returns 409 on a call that is not bridged', async () => {
    const { rig, call } = await connected();
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/stream`, { stream_dest: TARGET });
    expect([status, body['result'], body['state']]).toEqual([409, 409, 'failed']);
  });

  it('PUT /stream: streams a call that is not bridged with strict_bridge_state false', async () => {
    const projects = 'projects: [{ app_id: shop, app_key: key-of-the-shop-0001, strict_bridge_state: false }]\n';
    const { rig, call } = await connected({ projects, config: 'numbers: [{ number: "1000" }]\n' });
    expect((await rig.request('PUT', `/voice/v1/call/${call}/stream`, { stream_dest: TARGET })).status).toBe(201);
  });

  it('PUT /stream: returns 409 while the call is already streamed', async () => {
    const { rig, call } = await bridged();
    await rig.request('PUT', `/voice/v1/call/${call}/stream`, { stream_dest: TARGET });
    const { status } = await rig.request('PUT', `/voice/v1/call/${call}/stream`, { stream_dest: TARGET });
    expect(status).toBe(409);
  });

  it('DELETE /stream: returns 409 without an active stream', async () => {
    const { rig, call } = await bridged();
    expect((await rig.request('DELETE', `/voice/v1/call/${call}/stream`)).status).toBe(409);
  });

  it('PUT /stream: returns 404/6110 with an engine that cannot stream', async () => {
    const { rig, call } = await bridged({ lacks: ['stream'] });
    const { status, body } = await rig.request('PUT', `/voice/v1/call/${call}/stream`, { stream_dest: TARGET });
    expect([status, body['result']]).toEqual([404, 6110]);
  });

  it.each<[string, object]>([
    ['none', {}],
    ['another scheme', { stream_dest: 'http://127.0.0.1:9000' }],
    ['a private address', { stream_dest: 'wss://10.0.0.1/x' }],
    ['the address of the cloud', { stream_dest: '169.254.169.254:80' }],
    ['a line break', { stream_dest: 'ws://a\r\nb' }],
  ])('PUT /stream: returns 400 for %s', async (_what, body) => {
    const { rig, call } = await bridged();
    const answer = await rig.request('PUT', `/voice/v1/call/${call}/stream`, body);
    expect([answer.status, answer.body['result']]).toEqual([400, 400]);
    await rig.pass(100);
    expect(rig.received).toEqual([]);
  });
});
