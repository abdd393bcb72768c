/** Types of `devices.js`. */
export type DeviceProblem = 'denied' | 'missing' | 'busy' | 'insecure' | 'failed';

export class DeviceError extends Error {
  readonly reason: DeviceProblem;
}

export interface Device {
  id: string;
  label: string;
}

export interface DeviceList {
  cameras: Device[];
  microphones: Device[];
  speakers: Device[];
}

/** Rejects with a `DeviceError`. */
export function openDevice(kind: 'audio' | 'video', deviceId?: string): Promise<MediaStreamTrack>;
/** Undefined if no screen was chosen. Rejects with a `DeviceError`. */
export function openScreen(): Promise<MediaStreamTrack | undefined>;
/** The same with its sound, if the browser offers it and the person chose it. */
export function openScreenWithSound(): Promise<
  { video: MediaStreamTrack; audio: MediaStreamTrack | undefined } | undefined
>;
export function mayShareScreen(): boolean;
export function listDevices(): Promise<DeviceList>;

/** True if the camera blurs the background and lets the page decide. */
export function mayBlur(track: MediaStreamTrack): boolean;
export function isBlurred(track: MediaStreamTrack): boolean;
/** Rejects if the camera refuses. */
export function setBlur(track: MediaStreamTrack, on: boolean): Promise<void>;

export class LevelMeter {
  /** `changed` receives the level, 0 to 1, ten times a second. */
  constructor(track: MediaStreamTrack, changed: (level: number) => void);
  close(): void;
}
