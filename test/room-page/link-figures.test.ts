/** Figures of the own connection from statistics of two moments. */
import { describe, expect, it } from 'vitest';
import { gradeOf, type LinkFigures, LinkMeter } from '../../src/pages/room-page/web/link-figures.ts';

const report = (bytes: number, packets: number, lost: number) => [
  {
    ...{ id: 'P', type: 'candidate-pair', nominated: true, state: 'succeeded', localCandidateId: 'L' },
    currentRoundTripTime: 0.04,
  },
  { id: 'L', type: 'local-candidate', candidateType: 'relay' },
  { id: 'I', type: 'inbound-rtp', bytesReceived: bytes, packetsReceived: packets, packetsLost: lost },
  { id: 'O', type: 'outbound-rtp', bytesSent: bytes * 2, packetsSent: packets },
  { id: 'R', type: 'remote-inbound-rtp', packetsLost: 0 },
];

describe('figures of the connection', () => {
  it('returns rates and losses since the previous look, of both connections', () => {
    const meter = new LinkMeter();
    expect(meter.take([report(9000, 10, 1)], 1000)).toBeUndefined();
    expect(meter.take([report(259_000, 100, 11), []], 3000)).toEqual({
      ...{ roundTripMs: 40, received: 1000, sent: 2000, isRelayed: true },
      ...{ receivedLoss: 0.1, sentLoss: 0 },
    });
  });

  it('counts a new connection from zero', () => {
    const meter = new LinkMeter();
    meter.take([report(9000, 100, 0)], 0);
    expect(meter.take([report(500, 10, 0)], 1000)).toMatchObject({ received: 0, receivedLoss: 0 });
  });

  it('grades by loss and round trip', () => {
    const figures: LinkFigures = {
      ...{ roundTripMs: 40, received: 1, sent: 1, receivedLoss: 0, sentLoss: 0, isRelayed: false },
    };
    const grades = [{}, { sentLoss: 0.03 }, { roundTripMs: 300 }, { receivedLoss: 0.2 }, { roundTripMs: undefined }];
    expect(grades.map((more) => gradeOf({ ...figures, ...more }))).toEqual([
      ...['Good', 'Moderate', 'Moderate', 'Poor', 'Good'],
    ]);
  });
});
