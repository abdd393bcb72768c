/** Converts audio recorded in the browser to a WAV file (RIFF, PCM 16 bit, mono), the format of the service. */

/** `samples` are from -1 to 1. */
export function wavOf(samples: Float32Array, sampleRateHz: number): Blob {
  const HEADER_BYTES = 44;
  const bytes = samples.length * 2;
  const view = new DataView(new ArrayBuffer(HEADER_BYTES + bytes));
  const write = (at: number, text: string): void => {
    for (let index = 0; index < text.length; index++) view.setUint8(at + index, text.charCodeAt(index));
  };
  write(0, 'RIFF');
  view.setUint32(4, HEADER_BYTES - 8 + bytes, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, sampleRateHz, true);
  view.setUint32(28, sampleRateHz * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  write(36, 'data');
  view.setUint32(40, bytes, true);
  for (const [index, sample] of samples.entries()) {
    const clipped = Math.max(-1, Math.min(1, sample));
    view.setInt16(HEADER_BYTES + index * 2, Math.round(clipped * 32767), true);
  }
  return new Blob([view], { type: 'audio/wav' });
}

/** Mixes several channels to one. */
export function mixed(channels: readonly Float32Array[]): Float32Array {
  const [first] = channels;
  if (!first || channels.length === 1) return first ?? new Float32Array();
  return first.map((_, index) => channels.reduce((sum, channel) => sum + channel[index]!, 0) / channels.length);
}
