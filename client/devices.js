/**
 * Cameras, microphones and speakers, for pages with rooms: lists and opens them, and measures the level of a
 * microphone.
 */

/**
 * Reason why a device cannot be opened: `denied`, `missing`, `busy`, `insecure` (the page was loaded without TLS), or
 * `failed`.
 */
export class DeviceError extends Error {
  constructor(reason, cause) {
    super(reason, { cause });
    this.reason = reason;
  }
}

const REASONS = {
  NotAllowedError: 'denied',
  SecurityError: 'denied',
  NotFoundError: 'missing',
  OverconstrainedError: 'missing',
  NotReadableError: 'busy',
  AbortError: 'busy',
};

const WANTED = {
  audio: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  video: { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 24, max: 30 } },
};

/** Opens a track of a camera (`video`) or microphone (`audio`): of that device if it still exists. */
export async function openDevice(kind, deviceId) {
  const wish = deviceId ? { ...WANTED[kind], deviceId: { ideal: deviceId } } : WANTED[kind];
  const stream = await media((devices) => devices.getUserMedia({ [kind]: wish }));
  return stream.getTracks()[0];
}

/** Music and speech of a tab are not processed like a microphone. */
const SCREEN_SOUND = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };

/** Opens a track of a screen or window that the person chooses; undefined if none was chosen. */
export const openScreen = async () => (await openDisplay(false))?.video;

/** The same with its sound, if the browser offers it and the person chose it: `{ video, audio }`. */
export const openScreenWithSound = () => openDisplay(SCREEN_SOUND);

async function openDisplay(audio) {
  try {
    // The sound of the whole system contains the voices of the others, who would hear themselves.
    const wish = { video: { frameRate: { max: 15 } }, audio, systemAudio: 'exclude' };
    const stream = await media((devices) => devices.getDisplayMedia(wish));
    const video = stream.getVideoTracks()[0];
    // Text has to stay sharp.
    if ('contentHint' in video) video.contentHint = 'detail';
    return { video, audio: stream.getAudioTracks()[0] };
  } catch (error) {
    if (error.reason === 'denied') return undefined;
    throw error;
  }
}

export const mayShareScreen = () => navigator.mediaDevices?.getDisplayMedia !== undefined;

async function media(open) {
  if (!navigator.mediaDevices?.getUserMedia) throw new DeviceError('insecure');
  try {
    return await open(navigator.mediaDevices);
  } catch (error) {
    throw new DeviceError(REASONS[error.name] ?? 'failed', error);
  }
}

/**
 * Returns `{ cameras, microphones, speakers }`, each a list of `{ id, label }`. Browsers provide labels once a device
 * was opened.
 */
export async function listDevices() {
  const all = (await navigator.mediaDevices?.enumerateDevices?.()) ?? [];
  const of = (kind, word) =>
    all
      .filter((device) => device.kind === kind && device.deviceId !== '')
      .map(({ deviceId: id, label }, index) => ({ id, label: label || `${word} ${index + 1}` }));
  return {
    cameras: of('videoinput', 'Camera'),
    microphones: of('audioinput', 'Microphone'),
    speakers: of('audiooutput', 'Speaker'),
  };
}

/**
 * True if the camera of a track blurs the background and lets the page decide. Blur is done by the browser or the system
 * (Media Capture Extensions).
 */
export function mayBlur(track) {
  const { backgroundBlur = [] } = track.getCapabilities?.() ?? {};
  return backgroundBlur.includes(true) && backgroundBlur.includes(false);
}

export const isBlurred = (track) => track.getSettings().backgroundBlur === true;

/** Rejects if the camera refuses. */
export const setBlur = (track, on) => track.applyConstraints({ ...track.getConstraints(), backgroundBlur: on });

/** Level of a microphone from 0 to 1; `changed` is called ten times a second. */
export class LevelMeter {
  #context;
  #timer;

  constructor(track, changed) {
    this.#context = new AudioContext();
    const analyser = this.#context.createAnalyser();
    analyser.fftSize = 1024;
    this.#context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
    const samples = new Float32Array(analyser.fftSize);
    this.#timer = setInterval(() => {
      analyser.getFloatTimeDomainData(samples);
      const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
      // From -60 dB, the level of a quiet room, to 0.
      const decibels = 10 * Math.log10(power + 1e-12);
      changed(Math.min(1, Math.max(0, (decibels + 60) / 60)));
    }, 100);
  }

  close() {
    clearInterval(this.#timer);
    void this.#context.close();
  }
}
