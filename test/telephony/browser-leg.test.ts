/** A leg whose far end is a browser, with a simulated media port and gateway. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { TEMPORARY_FAILURE } from '../../src/base/core/causes.ts';
import type { LegCommand, LegEvent } from '../../src/base/core/leg.ts';
import { GatewayLegs } from '../../src/media/telephony/browser/gateway-legs.ts';
import type { LineEvent, LineGateway } from '../../src/media/telephony/browser/line-gateway.ts';
import type { BrowserNotice } from '../../src/media/telephony/browser-legs.ts';
import type { LegCarrier } from '../../src/media/telephony/engine.ts';
import { SipLegs } from '../../src/media/telephony/sip/sip-legs.ts';
import { VirtualClock } from '../../src/proof/testkit/virtual-clock.ts';
import { FakeMedia } from '../sip/fake-media.ts';

const LINE: Extract<LineEvent, { type: 'described' }> = {
  type: 'described',
  sdp: 'answer',
  rtp: { host: '127.0.0.1', port: 9000 },
  telephoneEventPayloadType: 126,
  audio: { send: true, receive: true },
};

class FakeGateway implements LineGateway {
  unusable = undefined;
  readonly lines = new Map<string, (event: LineEvent) => void>();
  readonly opened: { sdp: string; rtp: { host: string; port: number } }[] = [];

  open(lineId: string, line: { sdp: string; rtp: { host: string; port: number } }, report: (event: LineEvent) => void) {
    this.opened.push(line);
    this.lines.set(lineId, report);
  }

  close(lineId: string): void {
    this.lines.delete(lineId);
  }
}

async function rig() {
  const clock = new VirtualClock();
  const media = new FakeMedia();
  const gateway = new FakeGateway();
  const logged: string[] = [];
  const events: LegEvent[] = [];
  const notices: BrowserNotice[] = [];
  const legs = new SipLegs((_level, message) => void logged.push(message));
  legs.host = { incoming: () => undefined, event: (_legId, event) => void events.push(event) };
  const carrier: LegCarrier = {
    isRunning: true,
    attach: (leg) => legs.attach(leg),
    detach: (legId) => legs.detach(legId),
    emit: legs.emit,
  };
  const gatewayLegs = new GatewayLegs({ carrier, media, clock, log: (message) => void logged.push(message) });
  const browsers = gatewayLegs.behind(gateway);
  onTestFinished(async () => {
    legs.hangUpAll(TEMPORARY_FAILURE.code);
    await legs.finish(clock, 2_000);
    expect([gatewayLegs.count, gateway.lines.size, clock.pendingTimers]).toEqual([0, 0, 0]);
  });
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return {
    ...{ clock, media, gateway, browsers, events, notices, logged, settle },
    async open() {
      const farEnd = browsers.open({ legId: 'leg', sdp: 'offer' }, (notice) => void notices.push(notice));
      await settle();
      return farEnd;
    },
    async report(event: LineEvent) {
      gateway.lines.get('leg')?.(event);
      await settle();
    },
    async send(...commands: LegCommand[]) {
      for (const command of commands) legs.send('leg', command);
      await settle();
    },
    media_: () => media.legs.get('leg')!,
  };
}

const play: LegCommand = { type: 'play', playId: 'p', audio: [{ type: 'silence', durationMs: 1000 }] };

describe('a leg of a browser', () => {
  it('is answered when the flow has answered it and the browser is connected, in whatever order', async () => {
    for (const order of ['flow first', 'browser first']) {
      const each = await rig();
      await each.open();
      expect(each.gateway.opened).toEqual([{ sdp: 'offer', rtp: { host: '127.0.0.1', port: 20_002 } }]);
      await each.report(LINE);
      if (order === 'flow first') await each.send({ type: 'answer' });
      else await each.report({ type: 'open' });
      expect(each.events).toEqual([]);
      if (order === 'flow first') await each.report({ type: 'open' });
      else await each.send({ type: 'answer' });
      expect(each.events).toEqual([{ type: 'answered' }]);
      expect(each.notices).toEqual([{ type: 'answer', sdp: 'answer' }, { type: 'connected' }]);
    }
  });

  it('has plain RTP with reports on the same port, and no sound before the flow wants it', async () => {
    const { open, report, send, media_ } = await rig();
    await open();
    await report(LINE);
    await report({ type: 'open' });
    expect(media_().remotes).toEqual([]);
    await send({ type: 'progress' });
    expect(media_().remotes).toEqual([
      {
        ...{ host: '127.0.0.1', port: 9000, rtcpPort: 9000, codec: 'PCMU', payloadType: 0, ptimeMs: 20 },
        ...{ telephoneEventPayloadType: 126, send: true, receive: true },
      },
    ]);
    await send({ type: 'answer' });
    expect(media_().remotes).toHaveLength(1);
  });

  it('is given up when the browser is not reached within 15 s', async () => {
    const { open, report, send, clock, events, notices, settle } = await rig();
    await open();
    await report(LINE);
    await send({ type: 'answer' });
    await clock.advance(14_999);
    expect(events).toEqual([]);
    await clock.advance(1);
    await settle();
    expect(events).toMatchObject([{ type: 'ended', cause: { code: 102 }, by: 'network' }]);
    expect(notices.at(-1)).toMatchObject({ type: 'ended', why: 'the browser cannot be reached' });
  });

  it.each<[string, LineEvent, number]>([
    ['the offer is refused', { type: 'refused', why: 'the offer is not SDP' }, 65],
    ['the connection is lost', { type: 'lost', why: 'the connection with the browser was lost' }, 41],
  ])('ends by the network when %s, with the reason for the page', async (_, event, code) => {
    const { open, report, events, notices } = await rig();
    await open();
    await report(event);
    expect(events).toMatchObject([{ type: 'ended', cause: { code }, by: 'network' }]);
    expect(notices).toMatchObject([{ type: 'ended', why: 'why' in event ? event.why : '' }]);
  });

  it('ends when no port is free', async () => {
    const { open, media, events } = await rig();
    media.full = true;
    await open();
    expect(events).toMatchObject([{ type: 'ended', cause: { code: 34 }, by: 'network' }]);
  });

  it('ends by the person, by the flow, and by a refusal: once, after the last event of its media', async () => {
    for (const [end, by, sipStatus] of [
      ['person', 'far', undefined],
      ['flow', 'near', undefined],
      ['refusal', 'near', 486],
    ] as const) {
      const { open, report, send, events, settle, notices } = await rig();
      const farEnd = await open();
      await report(LINE);
      await send({ type: 'progress' }, play);
      if (end === 'person') farEnd.hangUp();
      else if (end === 'flow') await send({ type: 'hangup', cause: 16 });
      else await send({ type: 'reject', sipStatus: 486 });
      farEnd.hangUp();
      await send({ type: 'hangup', cause: 16 }, play);
      await settle();
      expect(events.map(({ type }) => type)).toEqual(['play_ended', 'ended']);
      expect(events.at(-1)).toMatchObject({ by, ...(sipStatus === undefined ? {} : { sipStatus }) });
      expect(notices.filter(({ type }) => type === 'ended')).toHaveLength(1);
    }
  });

  it('cannot dial another party, and reports that', async () => {
    const { open, report, send, events, logged } = await rig();
    await open();
    await report(LINE);
    await send({ type: 'refer', referId: 'r', to: '100' });
    expect(events).toEqual([{ type: 'refer_ended', referId: 'r', sipStatus: 501 }]);
    expect(logged).toEqual(['webphone.refer_refused']);
  });

  it('informs its page of a hold, which its media do', async () => {
    const { open, report, send, notices, media_ } = await rig();
    await open();
    await report(LINE);
    await send({ type: 'answer' }, { type: 'hold', music: [] }, { type: 'resume' });
    expect(notices.filter(({ type }) => type === 'held')).toEqual([
      { type: 'held', held: true },
      { type: 'held', held: false },
    ]);
    expect(media_().told).toEqual(['hold 0', 'resume']);
  });

  it('sends digits as events, or says that they are sent where the browser takes none', async () => {
    for (const takes of [true, false]) {
      const { open, report, send, events, media_ } = await rig();
      await open();
      const { telephoneEventPayloadType: _, ...without } = LINE;
      await report(takes ? LINE : without);
      await send({ type: 'answer' }, { type: 'send_digits', sendId: 's', digits: '1', toneMs: 80, gapMs: 80 });
      expect(media_().digits).toHaveLength(takes ? 1 : 0);
      if (!takes) expect(events).toContainEqual({ type: 'digits_sent', sendId: 's' });
    }
  });

  it('counts digits only as fast as a person presses keys', async () => {
    const { open, report, send, media, events, settle, logged } = await rig();
    await open();
    await report(LINE);
    await send({ type: 'answer' });
    for (let each = 0; each < 500; each++) media.tell('leg', { type: 'digit', digit: '5', durationMs: 40 });
    await settle();
    expect(events.filter(({ type }) => type === 'digit')).toHaveLength(75);
    expect(logged).toEqual(['webphone.digits_dropped']);
  });

  it('reports its audio as encrypted', async () => {
    const { open, report, send, media, events } = await rig();
    media.quality = { codec: 'PCMU', packetsSent: 1, packetsReceived: 1, packetsLost: 0, jitterMs: 0, mos: 4.4 };
    await open();
    await report(LINE);
    await send({ type: 'hangup', cause: 16 });
    expect(events.at(-1)).toMatchObject({ quality: { encrypted: true } });
  });

  it('leaves nothing behind when the person is gone before anything was open', async () => {
    const { browsers, settle, events } = await rig();
    browsers.open({ legId: 'leg', sdp: 'offer' }, () => undefined).hangUp();
    await settle();
    expect(events.map(({ type }) => type)).toEqual(['ended']);
  });
});
