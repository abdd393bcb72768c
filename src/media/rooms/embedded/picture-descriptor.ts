/** Frame information from the payload descriptor of a packet; `pictures.ts` reads it for each codec. */
export interface PictureDescriptor {
  /** True if a key frame starts with this packet. */
  isKey: boolean;
  /** True if a frame starts with this packet; for H.264, a NAL unit. */
  isStart: boolean;
  /** Length of the descriptor in bytes; the rest is codec data. */
  length: number;
  /** Frame size; only in a key frame. */
  size?: { width: number; height: number };
  /** Absent if the sender does not number its frames. */
  pictureId?: { value: number; at: number; isLong: boolean };
  tl0Index?: { value: number; at: number };
}
