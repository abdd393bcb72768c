/** Types of `camera-layers.js`. */
export interface CameraLayer {
  rid: string;
  maxBitrate: number;
  scaleResolutionDownBy?: number;
}

export function layersOf(size: { width?: number; height?: number }, quality: string): CameraLayer[];
