/** Around every file of tests: a turn where it needs one, and no process of it left behind. */
import type { Server } from 'node:net';
import { afterAll, beforeAll, expect } from 'vitest';
import './end-with-run.ts';
import { endLeftovers, MARK } from './leftovers.ts';
import { setYielding } from './priority.ts';
import { takeTurn, turnOf } from './turns.ts';

const MAX_WAIT_MS = 900_000;
let mark: string;
let held: Server | undefined;

beforeAll(async () => {
  const file = expect.getState().testPath ?? '';
  mark = `${process.ppid} ${file}`;
  process.env[MARK] = mark;
  const turn = turnOf(file);
  if (turn !== undefined) held = await takeTurn(turn);
  setYielding(turn === undefined);
}, MAX_WAIT_MS);

afterAll(async () => {
  try {
    expect(await endLeftovers(mark), 'processes that the tests left behind').toEqual([]);
  } finally {
    delete process.env[MARK];
    held?.close();
    held = undefined;
  }
});
