/** Icons of the room. */
import { DrawnIcon } from '../../shared/web/drawn-icon.tsx';

const MICROPHONE = 'M8 2a2 2 0 0 1 2 2v4a2 2 0 0 1-4 0V4a2 2 0 0 1 2-2zM3.5 8a4.5 4.5 0 0 0 9 0M8 12.5V15';
const CAMERA = 'M2 4h8.5v8H2zM10.5 7l3.5-2v6l-3.5-2';
const CROSSED = 'M2 2l12 12';

const PATHS = {
  microphone: MICROPHONE,
  microphoneOff: MICROPHONE + CROSSED,
  camera: CAMERA,
  cameraOff: CAMERA + CROSSED,
  screen: 'M2 3h12v8H2zM5.5 13.5h5M8 9V5.2M6.2 7 8 5.2 9.8 7',
  hand: 'M4.8 8.5V4.3a1 1 0 0 1 2 0V7.5M6.8 7.5V2.8a1 1 0 0 1 2 0V7.5M8.8 7.5V3.5a1 1 0 0 1 2 0V8M10.8 8V5.5a1 1 0 0 1 2 0V10a4.5 4.5 0 0 1-4.5 4.5c-2 0-3.1-.9-4-2.5L2.7 9.6a1 1 0 0 1 1.6-1.1l.5.6',
  chat: 'M2.5 3.5h11v7.5h-6l-3 2.5v-2.5h-2z',
  people:
    'M2.5 13v-1a2.8 2.8 0 0 1 5.6 0v1M5.3 7.5a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6zM9.8 13v-1a3 3 0 0 0-.6-1.7 2.5 2.5 0 0 1 4.3 1.7v1M11.3 7.5a1.6 1.6 0 1 0 0-3.2',
  invite: 'M2.5 13.5v-1a3.5 3.5 0 0 1 7 0v1M6 8a2.2 2.2 0 1 0 0-4.4A2.2 2.2 0 0 0 6 8zM12 5.5v5M9.5 8h5',
  captions: 'M2 3.5h12v9H2zM7 7a1.6 1.6 0 1 0 0 2M12 7a1.6 1.6 0 1 0 0 2',
  polls: 'M3 13.5v-4h2.5v4zM6.8 13.5v-9h2.5v9zM10.5 13.5v-6H13v6z',
  grid: 'M2.5 2.5H7V7H2.5zM9 2.5h4.5V7H9zM2.5 9H7v4.5H2.5zM9 9h4.5v4.5H9z',
  speaker: 'M2 2.5h12v7H2zM2 12h3v1.5H2zM6.5 12h3v1.5h-3zM11 12h3v1.5h-3z',
  leave: 'M1.7 9.5c3.7-3.7 8.9-3.7 12.6 0l-1.7 2-2.6-1V8.7a7 7 0 0 0-4 0v1.8l-2.6 1z',
  devices: 'M2 4.5h7M12 4.5h2M10.5 3v3M2 11.5h2M7 11.5h7M5.5 10v3',
  record: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  poor: 'M3.5 13v-2M7.5 13V8.5M11.5 13V5M2 2l12 12',
  phone: 'M4.5 2 6.5 5.5 5 7a9 9 0 0 0 4 4l1.5-1.5L14 11.5 13 14C7 14 2 9 2 3z',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  pin: 'M9 2.5h4.5V7M13.5 2.5 9.5 6.5M7 13.5H2.5V9M2.5 13.5l4-4',
  send: 'M2.5 8 13.5 3l-3 10.5-3-4zM7.5 9.5l6-6.5',
  reaction: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM5.2 9.3a3.2 3.2 0 0 0 5.6 0M6 6v.6M10 6v.6',
  network: 'M2.5 13v-2.5M6.2 13V8.5M9.8 13V6M13.5 13V3.5',
  apart: 'M2 3h12v10H2zM8.5 8h4v3.5h-4z',
  spotlight: 'M8 2l1.7 3.8 4.1.4-3.1 2.7.9 4.1L8 10.9 4.4 13l.9-4.1-3.1-2.7 4.1-.4z',
  talking: 'M3 7v2M6.3 4.5v7M9.7 6v4M13 7v2',
} as const satisfies Record<string, string>;

export type RoomIconName = keyof typeof PATHS;

export const Icon = ({ name, size = 18 }: { name: RoomIconName; size?: number }) => (
  <DrawnIcon path={PATHS[name]} size={size} strokeWidth={1.4} />
);
