/** Streams to WebSockets, and REFER to phones. */
import { expect } from 'vitest';
import type { ContractTopic } from './engine-case.ts';
import { contractCase, refer, stream } from './engine-case.ts';

export const streams: ContractTopic = {
  topic: 'streams',
  cases: [
    contractCase('frames of 20 ms, until it is stopped, twice', ['stream', 'sink'], async (driver) => {
      const leg = await driver.connectedLeg();
      const sink = await driver.harness.sink!({ does: 'accept' });
      leg.send(stream('s', sink.url, { tracks: ['inbound', 'outbound'] }));
      await leg.waitFor('stream_started');
      await driver.harness.elapse(1_000);
      leg.send({ type: 'stop_stream', streamId: 's' }, { type: 'stop_stream', streamId: 's' });
      expect(await leg.waitFor('stream_ended')).toEqual({ type: 'stream_ended', streamId: 's', reason: 'stopped' });
      await driver.harness.elapse(100);
      const toleratedFrames = Math.ceil(driver.harness.toleranceMs / 10);
      expect(sink.frames).toBeGreaterThanOrEqual(100 - toleratedFrames);
      expect(sink.frames).toBeLessThanOrEqual(100 + toleratedFrames);
      expect(leg.types).toEqual(['answered', 'stream_started', 'stream_ended']);
    }),
    contractCase('until its receiver goes', ['stream', 'sink'], async (driver) => {
      const leg = await driver.connectedLeg();
      const sink = await driver.harness.sink!({ does: 'accept', closesAfterMs: 200 });
      leg.send(stream('s', sink.url));
      expect(await leg.waitFor('stream_ended')).toMatchObject({ reason: 'far' });
      expect(leg.types).toEqual(['answered', 'stream_started', 'stream_ended']);
    }),
    contractCase('not, where it is refused', ['stream', 'sink'], async (driver) => {
      const leg = await driver.connectedLeg();
      const sink = await driver.harness.sink!({ does: 'refuse' });
      leg.send(stream('s', sink.url));
      expect(await leg.waitFor('stream_ended')).toMatchObject({
        reason: 'failed',
        fault: { code: expect.any(String), message: expect.any(String) },
      });
      expect(leg.types).toEqual(['answered', 'stream_ended']);
    }),
    contractCase('until the call ends', ['stream', 'sink'], async (driver) => {
      const leg = await driver.connectedLeg();
      const sink = await driver.harness.sink!({ does: 'accept' });
      leg.send(stream('s', sink.url));
      await leg.waitFor('stream_started');
      leg.party.hangUp();
      await leg.waitFor('ended');
      expect(leg.all('stream_ended')).toMatchObject([{ streamId: 's', reason: 'hangup' }]);
    }),
    contractCase('not, where it was stopped before it began', ['stream'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.send(stream('s'), { type: 'stop_stream', streamId: 's' });
      await leg.waitFor('stream_ended');
    }),
  ],
};

export const referrals: ContractTopic = {
  topic: 'refers',
  cases: [
    contractCase('a phone that goes', ['refer', 'on_refer'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.party.onRefer({ does: 'accept', afterMs: 200 });
      leg.send(refer('f'));
      expect(await leg.waitFor('refer_ended')).toEqual({ type: 'refer_ended', referId: 'f', sipStatus: 200 });
      expect(leg.types).toEqual(['answered', 'refer_ended']);
    }),
    contractCase('a phone that will not', ['refer', 'on_refer'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.party.onRefer({ does: 'refuse', sipStatus: 603 });
      leg.send(refer('f'));
      expect(await leg.waitFor('refer_ended')).toMatchObject({ referId: 'f', sipStatus: 603 });
      await driver.harness.elapse(100);
      expect(leg.types).not.toContain('ended');
    }),
    contractCase('a phone that hangs up instead', ['refer', 'on_refer'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.party.onRefer({ does: 'hang_up', afterMs: 100 });
      leg.send(refer('f'));
      await leg.waitFor('ended');
      expect(leg.all('refer_ended')).toHaveLength(1);
    }),
    contractCase('nobody before the answer: that is answered too', ['refer', 'dial_no_answer'], async (driver) => {
      const leg = await driver.dial({ does: 'no_answer' });
      leg.send(refer('f'));
      await driver.harness.elapse(100);
      leg.send({ type: 'hangup', cause: 16 });
      await leg.waitFor('ended');
      expect(leg.all('refer_ended')).toMatchObject([{ referId: 'f' }]);
      expect(leg.all('refer_ended')[0]!.sipStatus).toBeGreaterThanOrEqual(300);
    }),
    contractCase('on behalf of a phone, which is told how it goes', ['far_refer'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.party.refer('sip:other@192.0.2.9');
      const referred = await leg.waitFor('referred');
      expect(referred).toMatchObject({ to: 'sip:other@192.0.2.9' });
      expect(referred.replacesLegId).toBeUndefined();
      leg.send({ type: 'refer_progress', referId: referred.referId, sipStatus: 180 });
      await driver.harness.elapse(100);
      expect(leg.party.referStatus).toEqual([]);
      leg.send({ type: 'refer_progress', referId: referred.referId, sipStatus: 200 });
      await driver.waitUntil(() => leg.party.referStatus.length > 0, 'the phone to be told');
      expect(leg.party.referStatus).toEqual([200]);
    }),
    contractCase('on behalf of a phone, in vain', ['far_refer'], async (driver) => {
      const leg = await driver.connectedLeg();
      leg.party.refer('sip:other@192.0.2.9');
      const { referId } = await leg.waitFor('referred');
      leg.send({ type: 'refer_progress', referId, sipStatus: 486 });
      await driver.waitUntil(() => leg.party.referStatus.length > 0, 'the phone to be told');
      expect(leg.party.referStatus).toEqual([486]);
      expect(leg.types).not.toContain('ended');
    }),
  ],
};
