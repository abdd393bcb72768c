/** Audio files that a real engine would have written for a recording: the simulated engine writes none. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ApiRig } from './rig.ts';
import { bridged } from './rigs.ts';

export function leaveSound(rig: ApiRig, recordingId: string, bytes: Buffer): string {
  const file = join(rig.directory, 'data', rig.store.recordings.find(recordingId)!.file);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, bytes);
  return file;
}

export const SOUND = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251));

/** A complete recording of five seconds. */
export async function recorded(more: object = {}): Promise<{ rig: ApiRig; call: string; id: string; file: string }> {
  const { rig, call } = await bridged();
  const { body } = await rig.request('PUT', `/voice/v1/call/${call}/recording`, more);
  const id = String(body['recording_id']);
  await rig.pass(5000);
  await rig.request('PUT', `/voice/v1/call/${call}/recording`, { stop: true });
  await rig.pass(100);
  return { rig, call, id, file: leaveSound(rig, id, SOUND) };
}
