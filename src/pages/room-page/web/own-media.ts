/**
 * Camera, microphone and screen of the participant, and the chosen devices. `meeting.ts` publishes the tracks,
 * `preview.tsx` and `controls.tsx` have the buttons.
 *
 * Invariants
 *  - a camera that is off is closed, so that its light is off; a microphone that is off sends silence, and stays open;
 *  - the last request counts: a device that opens after it was switched off again is closed.
 */
import { effect, signal, untracked } from '@preact/signals';
import {
  DeviceError,
  type DeviceList,
  type DeviceProblem,
  isBlurred,
  listDevices,
  mayBlur,
  openDevice,
  openScreenWithSound,
  setBlur,
} from '../../../../client/devices.js';
import { SoundMix } from './sound-mix.ts';

export type DeviceKind = 'audio' | 'video';

export interface OwnDevice {
  isOn: boolean;
  track: MediaStreamTrack | undefined;
  problem: DeviceProblem | undefined;
}

interface Choice {
  audio?: string;
  video?: string;
  speaker?: string;
  /** True if the background is to be blurred by cameras that offer it. */
  blur?: boolean;
}

const OFF: OwnDevice = { isOn: false, track: undefined, problem: undefined };
const STORED = 'callweave-room-devices';

export const microphone = signal<OwnDevice>(OFF);
export const camera = signal<OwnDevice>(OFF);
export const screen = signal<MediaStreamTrack | undefined>(undefined);
/** Sound of the shared tab, mixed with the microphone. Undefined if it is not shared. */
export const screenSound = signal<SoundMix | undefined>(undefined);
export const devices = signal<DeviceList>({ cameras: [], microphones: [], speakers: [] });
export const chosen = signal<Choice>(storedChoice());
/** State of the blurred background. Undefined: the camera is off, or does not offer it. */
export const blur = signal<boolean | undefined>(undefined);

const signalOf = { audio: microphone, video: camera } as const;

export async function switchOn(kind: DeviceKind): Promise<void> {
  const device = signalOf[kind];
  const { track } = device.peek();
  device.value = { ...device.peek(), isOn: true, problem: undefined };
  if (track) {
    track.enabled = true;
    return;
  }
  try {
    const opened = await openDevice(kind, chosen.peek()[kind]);
    if (kind === 'video') await blurAsChosen(opened);
    const { isOn, track: other } = device.peek();
    if (!isOn || other) {
      opened.stop();
      return;
    }
    opened.onended = () => {
      if (device.peek().track === opened) device.value = { isOn: false, track: undefined, problem: 'missing' };
    };
    device.value = { isOn: true, track: opened, problem: undefined };
  } catch (error) {
    const problem = error instanceof DeviceError ? error.reason : 'failed';
    device.value = { isOn: false, track: undefined, problem };
  }
  await refreshDevices();
}

export function switchOff(kind: DeviceKind): void {
  const device = signalOf[kind];
  const { track, problem } = device.peek();
  if (kind === 'audio' && track) {
    track.enabled = false;
    device.value = { isOn: false, track, problem };
    return;
  }
  track?.stop();
  device.value = { isOn: false, track: undefined, problem };
}

/** Chooses another camera or microphone; one that is on is replaced at once. */
export async function choose(kind: DeviceKind | 'speaker', id: string): Promise<void> {
  keepChoice({ [kind]: id });
  if (kind === 'speaker') return;
  const device = signalOf[kind];
  const { isOn, track } = device.peek();
  track?.stop();
  device.value = { ...device.peek(), track: undefined };
  if (isOn) await switchOn(kind);
}

/** Before the camera is shown and sent. A refusal leaves the background as it is. */
async function blurAsChosen(track: MediaStreamTrack): Promise<void> {
  const { blur: wanted } = chosen.peek();
  if (wanted === undefined || !mayBlur(track)) return;
  await setBlur(track, wanted).catch(() => undefined);
}

/** Blurs the background or not, now and with later cameras. */
export async function chooseBlur(on: boolean): Promise<void> {
  keepChoice({ blur: on });
  const { track } = camera.peek();
  if (track) await setBlur(track, on).catch(() => undefined);
  readBlur();
}

function readBlur(): void {
  const { track } = camera.peek();
  blur.value = track && mayBlur(track) ? isBlurred(track) : undefined;
}

effect(() => {
  const { track } = camera.value;
  untracked(readBlur);
  // The participant changed it in the browser or the system.
  track?.addEventListener('configurationchange', readBlur);
  return () => track?.removeEventListener('configurationchange', readBlur);
});

function keepChoice(choice: Choice): void {
  chosen.value = { ...chosen.peek(), ...choice };
  localStorage.setItem(STORED, JSON.stringify(chosen.peek()));
}

/** False if no screen was chosen, or it cannot be shared. */
export async function shareScreen(): Promise<boolean> {
  const opened = await openScreenWithSound();
  if (!opened) return false;
  stopSharing();
  const { video, audio } = opened;
  video.onended = () => {
    if (screen.peek() === video) stopSharing();
  };
  screen.value = video;
  if (audio) screenSound.value = new SoundMix(audio);
  return true;
}

export function stopSharing(): void {
  screen.peek()?.stop();
  screen.value = undefined;
  const mix = screenSound.peek();
  screenSound.value = undefined;
  mix?.close();
}

effect(() => screenSound.value?.setMicrophone(microphone.value.track));

export function closeAll(): void {
  for (const device of [microphone, camera]) {
    device.peek().track?.stop();
    device.value = OFF;
  }
  stopSharing();
}

export async function refreshDevices(): Promise<void> {
  devices.value = await listDevices();
}

navigator.mediaDevices?.addEventListener?.('devicechange', () => void refreshDevices());

function storedChoice(): Choice {
  try {
    return JSON.parse(localStorage.getItem(STORED) ?? '{}') as Choice;
  } catch {
    return {};
  }
}
