/** Rigs of one test file: each closed after its test, which must not have made the service complain. */
import { afterEach, expect } from 'vitest';
import { Rig, type RigOptions } from './rig.ts';

export const NUMBERS = 'numbers: [{ number: "1000", webhook: HOOK }, { number: "3000", project: other }]\n';

const opened: Rig[] = [];

export async function rigOf(options: RigOptions = {}): Promise<Rig> {
  const rig = await Rig.open({ config: NUMBERS, ...options });
  opened.push(rig);
  return rig;
}

/** A call out that was answered; its events are forgotten. */
export async function connected(options: RigOptions = {}, more: object = {}): Promise<{ rig: Rig; call: string }> {
  const rig = await rigOf(options);
  const call = await rig.dial(more);
  await rig.pass(2000);
  rig.told.length = 0;
  return { rig, call };
}

/** A call out whose party talks with 4000; its events are forgotten. */
export async function bridged(options: RigOptions = {}, more: object = {}): Promise<{ rig: Rig; call: string }> {
  const { rig, call } = await connected(options, more);
  await rig.ask('PUT', `/voice/v1/call/${call}/connect`, { from: '1000', to: '4000' });
  await rig.pass(2000);
  rig.told.length = 0;
  return { rig, call };
}

afterEach(async () => {
  for (const rig of opened.splice(0)) {
    await rig.close();
    expect(rig.lines.filter(({ level }) => level === 'error')).toEqual([]);
  }
});
