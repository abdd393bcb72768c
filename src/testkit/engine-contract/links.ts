/** What leads out of a call: streams to web sockets, and phones that are sent elsewhere. */
import { expect } from 'vitest';
import type { ContractTopic } from '../engine-case.ts';
import { proves, refer, stream } from '../engine-case.ts';

export const streams: ContractTopic = {
  topic: 'streams',
  cases: [
    proves('frames of 20 ms, until it is stopped, twice', ['stream', 'sink'], async (contract) => {
      const line = await contract.connected();
      const sink = await contract.harness.sink!({ does: 'accept' });
      line.send(stream('s', sink.url, { tracks: ['inbound', 'outbound'] }));
      await line.until('stream_started');
      await contract.harness.elapse(1_000);
      line.send({ type: 'stop_stream', streamId: 's' }, { type: 'stop_stream', streamId: 's' });
      expect(await line.until('stream_ended')).toEqual({ type: 'stream_ended', streamId: 's', reason: 'stopped' });
      await contract.harness.elapse(100);
      const toleratedFrames = Math.ceil(contract.harness.toleranceMs / 10);
      expect(sink.frames).toBeGreaterThanOrEqual(100 - toleratedFrames);
      expect(sink.frames).toBeLessThanOrEqual(100 + toleratedFrames);
      expect(line.types).toEqual(['answered', 'stream_started', 'stream_ended']);
    }),
    proves('until its receiver goes', ['stream', 'sink'], async (contract) => {
      const line = await contract.connected();
      const sink = await contract.harness.sink!({ does: 'accept', closesAfterMs: 200 });
      line.send(stream('s', sink.url));
      expect(await line.until('stream_ended')).toMatchObject({ reason: 'far' });
      expect(line.types).toEqual(['answered', 'stream_started', 'stream_ended']);
    }),
    proves('not, where it is refused', ['stream', 'sink'], async (contract) => {
      const line = await contract.connected();
      const sink = await contract.harness.sink!({ does: 'refuse' });
      line.send(stream('s', sink.url));
      expect(await line.until('stream_ended')).toMatchObject({
        reason: 'failed',
        fault: { code: expect.any(String), message: expect.any(String) },
      });
      expect(line.types).toEqual(['answered', 'stream_ended']);
    }),
    proves('until the call ends', ['stream', 'sink'], async (contract) => {
      const line = await contract.connected();
      const sink = await contract.harness.sink!({ does: 'accept' });
      line.send(stream('s', sink.url));
      await line.until('stream_started');
      line.party.hangUp();
      await line.until('ended');
      expect(line.all('stream_ended')).toMatchObject([{ streamId: 's', reason: 'hangup' }]);
    }),
    proves('not, where it was stopped before it began', ['stream'], async (contract) => {
      const line = await contract.connected();
      line.send(stream('s'), { type: 'stop_stream', streamId: 's' });
      await line.until('stream_ended');
    }),
  ],
};

export const referrals: ContractTopic = {
  topic: 'refers',
  cases: [
    proves('a phone that goes', ['refer', 'on_refer'], async (contract) => {
      const line = await contract.connected();
      line.party.onRefer({ does: 'accept', afterMs: 200 });
      line.send(refer('f'));
      expect(await line.until('refer_ended')).toEqual({ type: 'refer_ended', referId: 'f', sipStatus: 200 });
      expect(line.types).toEqual(['answered', 'refer_ended']);
    }),
    proves('a phone that will not', ['refer', 'on_refer'], async (contract) => {
      const line = await contract.connected();
      line.party.onRefer({ does: 'refuse', sipStatus: 603 });
      line.send(refer('f'));
      expect(await line.until('refer_ended')).toMatchObject({ referId: 'f', sipStatus: 603 });
      await contract.harness.elapse(100);
      expect(line.types).not.toContain('ended');
    }),
    proves('a phone that hangs up instead', ['refer', 'on_refer'], async (contract) => {
      const line = await contract.connected();
      line.party.onRefer({ does: 'hang_up', afterMs: 100 });
      line.send(refer('f'));
      await line.until('ended');
      expect(line.all('refer_ended')).toHaveLength(1);
    }),
    proves('nobody before the answer: that is answered too', ['refer', 'dial_no_answer'], async (contract) => {
      const line = await contract.dial({ does: 'no_answer' });
      line.send(refer('f'));
      await contract.harness.elapse(100);
      line.send({ type: 'hangup', cause: 16 });
      await line.until('ended');
      expect(line.all('refer_ended')).toMatchObject([{ referId: 'f' }]);
      expect(line.all('refer_ended')[0]!.sipStatus).toBeGreaterThanOrEqual(300);
    }),
    proves('on behalf of a phone, which is told how it goes', ['far_refer'], async (contract) => {
      const line = await contract.connected();
      line.party.refer('sip:other@192.0.2.9');
      const referred = await line.until('referred');
      expect(referred).toMatchObject({ to: 'sip:other@192.0.2.9' });
      expect(referred.replacesLegId).toBeUndefined();
      line.send({ type: 'refer_progress', referId: referred.referId, sipStatus: 180 });
      await contract.harness.elapse(100);
      expect(line.party.referStatus).toEqual([]);
      line.send({ type: 'refer_progress', referId: referred.referId, sipStatus: 200 });
      await contract.until(() => line.party.referStatus.length > 0, 'the phone to be told');
      expect(line.party.referStatus).toEqual([200]);
    }),
    proves('on behalf of a phone, in vain', ['far_refer'], async (contract) => {
      const line = await contract.connected();
      line.party.refer('sip:other@192.0.2.9');
      const { referId } = await line.until('referred');
      line.send({ type: 'refer_progress', referId, sipStatus: 486 });
      await contract.until(() => line.party.referStatus.length > 0, 'the phone to be told');
      expect(line.party.referStatus).toEqual([486]);
      expect(line.types).not.toContain('ended');
    }),
  ],
};
