import { describe, expect, it } from 'vitest';
import { Circuit } from '../../src/service/observers/webhooks/circuit.ts';

const MOST = 8;

/** A circuit that was opened by a run of failures at time 0. */
function opened(random = 0.5): Circuit {
  const circuit = new Circuit(MOST, () => random);
  for (let n = 0; n < 20; n++) circuit.failed(0);
  return circuit;
}

function probe(circuit: Circuit, atMs: number, ok: boolean): void {
  expect(circuit.permits(atMs, 0)).toBe(1);
  circuit.started();
  if (ok) circuit.succeeded();
  else circuit.failed(atMs);
}

describe('circuit', () => {
  it('opens after twenty failures without a success between them', () => {
    const circuit = new Circuit(MOST, () => 0.5);
    for (let n = 0; n < 19; n++) circuit.failed(0);
    circuit.succeeded();
    for (let n = 0; n < 19; n++) circuit.failed(0);
    expect(circuit.state).toBe('closed');
    expect(circuit.permits(0, 3)).toBe(5);
    circuit.failed(7);
    expect(circuit).toMatchObject({ state: 'open', openedMs: 7, nextProbeMs: 1007 });
  });

  it('lets one attempt through at a time, after pauses that grow to a minute', () => {
    const circuit = opened();
    const pauses: number[] = [];
    for (let n = 0, atMs = 0; n < 9; n++) {
      pauses.push(circuit.nextProbeMs - atMs);
      atMs = circuit.nextProbeMs;
      expect(circuit.permits(atMs - 1, 0)).toBe(0);
      expect(circuit.permits(atMs, 1)).toBe(0);
      probe(circuit, atMs, false);
    }
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000]);
    expect(circuit.openedMs).toBe(0);
  });

  it.each([
    [0, 800],
    [0.999, 1200],
  ])('shifts its probes by a fifth (chance %d)', (random, atMs) => {
    expect(opened(random).nextProbeMs).toBe(atMs);
  });

  it('ignores attempts that fail late, but not those that succeed', () => {
    const circuit = opened();
    circuit.failed(500);
    expect(circuit.nextProbeMs).toBe(1000);
    circuit.succeeded();
    expect(circuit.state).toBe('recovering');
  });

  it('lets more and more through as they succeed, and fewer as they fail', () => {
    const circuit = opened();
    probe(circuit, 1000, true);
    expect(circuit.permits(1000, 0)).toBe(1);
    for (let n = 0; n < 5; n++) circuit.succeeded();
    expect(circuit.permits(1000, 0)).toBe(6);
    circuit.failed(1000);
    expect(circuit.permits(1000, 0)).toBe(3);
    for (let n = 0; n < 5; n++) circuit.succeeded();
    expect(circuit.state).toBe('closed');
    expect(circuit.permits(1000, 0)).toBe(MOST);
  });

  it('reopens after five failures during recovery with growing pauses, and restarts the pauses once closed', () => {
    const circuit = opened();
    probe(circuit, 1000, false);
    probe(circuit, 3000, true);
    for (let n = 0; n < 5; n++) circuit.failed(3000);
    expect(circuit).toMatchObject({ state: 'open', openedMs: 3000, nextProbeMs: 7000 });
    probe(circuit, 7000, true);
    for (let n = 0; n < MOST; n++) circuit.succeeded();
    for (let n = 0; n < 20; n++) circuit.failed(9000);
    expect(circuit.nextProbeMs).toBe(10_000);
  });

  it('closes on request when the receiver is back', () => {
    const circuit = opened();
    for (let n = 0; n < 5; n++) probe(circuit, circuit.nextProbeMs, false);
    circuit.reset(50_000);
    expect(circuit).toMatchObject({ state: 'open', openedMs: 50_000, nextProbeMs: 50_000 });
    probe(circuit, 50_000, false);
    expect(circuit.nextProbeMs).toBe(51_000);
  });
});
