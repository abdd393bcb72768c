/** Icons of the phone. */
import { DrawnIcon } from '../../shared/web/drawn-icon.tsx';

const MICROPHONE = 'M8 2a2 2 0 0 1 2 2v4a2 2 0 0 1-4 0V4a2 2 0 0 1 2-2zM3.5 8a4.5 4.5 0 0 0 9 0M8 12.5V15';

const PATHS = {
  call: 'M4.5 2 6.5 5.5 5 7a9 9 0 0 0 4 4l1.5-1.5L14 11.5 13 14C7 14 2 9 2 3z',
  hangUp: 'M1.7 9.5c3.7-3.7 8.9-3.7 12.6 0l-1.7 2-2.6-1V8.7a7 7 0 0 0-4 0v1.8l-2.6 1z',
  microphone: MICROPHONE,
  microphoneOff: `${MICROPHONE}M2 2l12 12`,
} as const satisfies Record<string, string>;

export const Icon = ({ name, size = 18 }: { name: keyof typeof PATHS; size?: number }) => (
  <DrawnIcon path={PATHS[name]} size={size} strokeWidth={1.4} />
);
