/** Cluster slot of a key: CRC-16/XMODEM of its hash tag (Redis cluster specification, appendix A). */
const SLOTS = 16_384;
const POLYNOMIAL = 0x1021;

export function slotOf(key: string): number {
  const tag = /\{([^}]+)\}/.exec(key)?.[1] ?? key;
  let crc = 0;
  for (const byte of Buffer.from(tag)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000 ? (crc << 1) ^ POLYNOMIAL : crc << 1) & 0xffff;
  }
  return crc % SLOTS;
}
