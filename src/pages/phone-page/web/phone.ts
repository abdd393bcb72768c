/** State of a phone in the browser, for its page and the studio. `call.ts` is the call, `phone-panel.tsx` the view. */
import { computed, signal } from '@preact/signals';
import { type DeviceError, type DeviceList, LevelMeter, listDevices, openDevice } from '../../../../client/devices.js';
import { t } from '../../shared/web/words/translate.ts';
import { Call } from './call.ts';
import { playKey, ring } from './tones.ts';
import { DEVICE_WORDS } from './words.ts';

/** `asking`: waits for access to the microphone. */
export type PhoneState = 'idle' | 'asking' | 'calling' | 'ringing' | 'talking' | 'over';

/** Token, or a function that gets one once the microphone is open. */
export type TokenSource = () => string | Promise<string>;

export class Phone {
  readonly state = signal<PhoneState>('idle');
  /** Error, or how the last call ended. */
  readonly words = signal('');
  readonly hasProblem = signal(false);
  readonly hasNoMicrophone = signal(false);
  readonly isMuted = signal(false);
  readonly isHeld = signal(false);
  /** Level of the microphone, 0 to 1. */
  readonly level = signal(0);
  readonly pressed = signal('');
  readonly seconds = signal(0);
  readonly voiceId = signal<string | undefined>(undefined);
  readonly party = signal<string | undefined>(undefined);
  readonly devices = signal<DeviceList>({ cameras: [], microphones: [], speakers: [] });
  readonly microphoneId = signal<string | undefined>(undefined);
  readonly speakerId = signal<string | undefined>(undefined);
  readonly isBusy = computed(() => !['idle', 'over'].includes(this.state.value));
  /** State for the page that embeds the phone. */
  readonly reported = computed(() => ({ state: this.state.value, voiceId: this.voiceId.value }));
  #call: Call | undefined;
  #microphone: MediaStreamTrack | undefined;
  #silence: AudioContext | undefined;
  #meter: LevelMeter | undefined;
  #stopRinging: (() => void) | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  readonly #countsFromStart: boolean;

  /** `countsFromStart`: `seconds` begin with the call, as in the lists of the studio, instead of with its answer. */
  constructor({ countsFromStart = false } = {}) {
    this.#countsFromStart = countsFromStart;
  }

  /** `silently`: without a microphone, to listen and press keys only. */
  async call(token: TokenSource, { silently = false } = {}): Promise<void> {
    if (this.isBusy.value) return;
    this.#reset();
    this.state.value = 'asking';
    try {
      this.#microphone = silently ? this.#silentTrack() : await openDevice('audio', this.microphoneId.value);
    } catch (error) {
      this.hasNoMicrophone.value = true;
      return this.#over(DEVICE_WORDS[(error as DeviceError).reason] ?? DEVICE_WORDS.failed, true);
    }
    if (!silently) this.#watch(this.#microphone);
    void this.#refreshDevices();
    this.state.value = 'calling';
    try {
      this.#begin(await token());
    } catch (error) {
      this.#over((error as Error).message, true);
    }
  }

  #reset(): void {
    for (const each of [this.isMuted, this.isHeld, this.hasProblem, this.hasNoMicrophone]) each.value = false;
    for (const each of [this.words, this.pressed]) each.value = '';
    for (const each of [this.voiceId, this.party]) each.value = undefined;
    this.seconds.value = 0;
  }

  #begin(token: string): void {
    // The caller hung up meanwhile.
    if (this.state.value !== 'calling') return;
    this.#call = new Call(this.#microphone!, this.speakerId.value, {
      calling: ({ voiceId, to }) => {
        this.voiceId.value = voiceId;
        this.party.value = to;
        if (this.#countsFromStart) this.#count();
      },
      ringing: () => {
        this.state.value = 'ringing';
        this.#stopRinging ??= ring();
      },
      connected: () => {
        this.#quiet();
        this.state.value = 'talking';
        if (!this.#countsFromStart) this.#count();
      },
      held: (isHeld) => {
        this.isHeld.value = isHeld;
      },
      ended: (words, wasRefused) => this.#over(words, wasRefused),
    });
    this.#call.begin(token);
  }

  #count(): void {
    const since = performance.now();
    this.#timer = setInterval(() => {
      this.seconds.value = Math.floor((performance.now() - since) / 1000);
    }, 250);
  }

  press(key: string): void {
    if (this.state.value !== 'talking') return;
    this.pressed.value += key;
    playKey(key);
    this.#call?.press(key);
  }

  mute(isMuted: boolean): void {
    this.isMuted.value = isMuted;
    if (this.#microphone) this.#microphone.enabled = !isMuted;
  }

  hangUp(): void {
    if (this.#call) this.#call.hangUp();
    else if (this.isBusy.value) this.#over(t('You hung up.'), false);
  }

  async chooseMicrophone(id: string): Promise<void> {
    this.microphoneId.value = id;
    if (!this.#call) return;
    try {
      const track = await openDevice('audio', id);
      track.enabled = !this.isMuted.value;
      await this.#call.replaceMicrophone(track);
      this.#closeMicrophone();
      this.#microphone = track;
      this.#watch(track);
    } catch (error) {
      this.words.value = DEVICE_WORDS[(error as DeviceError).reason] ?? DEVICE_WORDS.failed;
    }
  }

  chooseSpeaker(id: string): void {
    this.speakerId.value = id;
    this.#call?.chooseSpeaker(id);
  }

  #watch(track: MediaStreamTrack): void {
    this.#meter = new LevelMeter(track, (level) => {
      this.level.value = this.isMuted.value ? 0 : level;
    });
  }

  #silentTrack(): MediaStreamTrack {
    this.#silence = new AudioContext();
    const out = this.#silence.createMediaStreamDestination();
    // Without a source no audio is sent, and no keys either.
    const source = new ConstantSourceNode(this.#silence, { offset: 0 });
    source.connect(out);
    source.start();
    return out.stream.getAudioTracks()[0]!;
  }

  async #refreshDevices(): Promise<void> {
    this.devices.value = await listDevices();
  }

  #quiet(): void {
    this.#stopRinging?.();
    this.#stopRinging = undefined;
  }

  #closeMicrophone(): void {
    this.#meter?.close();
    this.#meter = undefined;
    this.#microphone?.stop();
    this.#microphone = undefined;
    this.level.value = 0;
  }

  #over(words: string, isProblem: boolean): void {
    this.#quiet();
    clearInterval(this.#timer);
    this.#call = undefined;
    this.#closeMicrophone();
    void this.#silence?.close();
    this.#silence = undefined;
    this.words.value = words;
    this.hasProblem.value = isProblem;
    this.state.value = 'over';
  }
}
