/** Rigs of one test file: each closed after its test, which must not have made the service complain. */
import { expect, onTestFinished } from 'vitest';
import { ApiRig, type ApiRigOptions } from './rig.ts';

export const NUMBERS = 'numbers: [{ number: "1000", webhook: HOOK }, { number: "3000", project: other }]\n';

export async function openRig(options: ApiRigOptions = {}): Promise<ApiRig> {
  const rig = await ApiRig.open({ config: NUMBERS, ...options });
  // A hook at module level would run only for the first test file, because this module is loaded once for many.
  onTestFinished(async () => {
    await rig.close();
    expect(rig.undocumented).toEqual([]);
    expect(rig.logLines.filter(({ level }) => level === 'error')).toEqual([]);
  });
  return rig;
}

/** A call out that was answered; its events are forgotten. */
export async function connected(
  options: ApiRigOptions = {},
  more: object = {},
): Promise<{ rig: ApiRig; call: string }> {
  const rig = await openRig(options);
  const call = await rig.dial(more);
  await rig.pass(2000);
  rig.received.length = 0;
  return { rig, call };
}

/** A call out whose party talks with 4000; its events are forgotten. */
export async function bridged(options: ApiRigOptions = {}, more: object = {}): Promise<{ rig: ApiRig; call: string }> {
  const { rig, call } = await connected(options, more);
  await rig.request('PUT', `/voice/v1/call/${call}/connect`, { from: '1000', to: '4000' });
  await rig.pass(2000);
  rig.received.length = 0;
  return { rig, call };
}

export async function hangUp(rig: ApiRig, call: string): Promise<void> {
  await rig.request('DELETE', `/voice/v1/call/${call}`);
  await rig.pass(1000);
}
