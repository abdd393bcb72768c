/** Sampling of telephone audio: rate, and the frames of the usual packet time. */
export const SAMPLE_RATE_HZ = 8000;
export const SAMPLES_PER_MS = SAMPLE_RATE_HZ / 1000;
export const FRAME_MS = 20;
export const FRAME_SAMPLES = FRAME_MS * SAMPLES_PER_MS;
