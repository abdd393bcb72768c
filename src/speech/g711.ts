/** G.711 bytes → linear samples (ITU-T G.711 §3, tables 1 and 2): prompt files are often kept in the telephone's own form. */

export const ULAW_TO_LINEAR = tableOf((byte) => {
  const code = ~byte & 0xff;
  const magnitude = (((code & 0x0f) << 3) + 0x84) << ((code & 0x70) >> 4);
  return (code & 0x80 ? 0x84 - magnitude : magnitude - 0x84) | 0;
});

export const ALAW_TO_LINEAR = tableOf((byte) => {
  const code = byte ^ 0x55;
  const segment = (code & 0x70) >> 4;
  const step = (code & 0x0f) << 4;
  const magnitude = segment === 0 ? step + 8 : (step + 0x108) << (segment - 1);
  return code & 0x80 ? magnitude : -magnitude;
});

function tableOf(decode: (byte: number) => number): Int16Array {
  return Int16Array.from({ length: 256 }, (_, byte) => decode(byte));
}
