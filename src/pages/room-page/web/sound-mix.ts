/**
 * Audio track with the sound of a shared tab and the microphone, because a participant has one audio track. A
 * microphone that is off adds silence.
 */
export class SoundMix {
  readonly #context = new AudioContext();
  readonly #out = this.#context.createMediaStreamDestination();
  #microphone: MediaStreamAudioSourceNode | undefined;

  constructor(sound: MediaStreamTrack) {
    this.#add(sound);
  }

  get track(): MediaStreamTrack {
    return this.#out.stream.getAudioTracks()[0]!;
  }

  /** Replaces the microphone. */
  setMicrophone(track: MediaStreamTrack | undefined): void {
    this.#microphone?.disconnect();
    this.#microphone = track && this.#add(track);
  }

  #add(track: MediaStreamTrack): MediaStreamAudioSourceNode {
    const source = this.#context.createMediaStreamSource(new MediaStream([track]));
    source.connect(this.#out);
    return source;
  }

  close(): void {
    this.track.stop();
    void this.#context.close();
  }
}
