/** The icons of the room. */
import { DrawnIcon } from '../../pages/web/drawn-icon.tsx';

const MICROPHONE = 'M8 2a2 2 0 0 1 2 2v4a2 2 0 0 1-4 0V4a2 2 0 0 1 2-2zM3.5 8a4.5 4.5 0 0 0 9 0M8 12.5V15';
const CAMERA = 'M2 4h8.5v8H2zM10.5 7l3.5-2v6l-3.5-2';
const CROSSED = 'M2 2l12 12';

const PATHS = {
  microphone: MICROPHONE,
  microphoneOff: MICROPHONE + CROSSED,
  camera: CAMERA,
  cameraOff: CAMERA + CROSSED,
  screen: 'M2 3h12v8H2zM5.5 13.5h5M8 9V5.2M6.2 7 8 5.2 9.800 7',
  hand: 'M4.800 8.500V4.300a1 1 0 0 1 2 0V7.500M6.800 7.500V2.800a1 1 0 0 1 2 0V7.500M8.800 7.500V3.500a1 1 0 0 1 2 0V8M10.800 8V5.500a1 1 0 0 1 2 0V10a4.500 4.500 0 0 1-4.500 4.500c-2 0-3.100-.9-4-2.500L2.700 9.600a1 1 0 0 1 1.600-1.100l.5.600',
  chat: 'M2.5 3.500h11v7.500h-6l-3 2.500v-2.500h-2z',
  people:
    'M2.500 13v-1a2.800 2.800 0 0 1 5.600 0v1M5.300 7.500a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600zM9.800 13v-1a3 3 0 0 0-.6-1.700 2.500 2.500 0 0 1 4.300 1.700v1M11.300 7.500a1.600 1.600 0 1 0 0-3.200',
  grid: 'M2.500 2.500H7V7H2.500zM9 2.500h4.500V7H9zM2.500 9H7v4.500H2.500zM9 9h4.500v4.500H9z',
  speaker: 'M2 2.500h12v7H2zM2 12h3v1.500H2zM6.500 12h3v1.500h-3zM11 12h3v1.500h-3z',
  leave: 'M1.700 9.500c3.700-3.700 8.900-3.700 12.600 0l-1.700 2-2.600-1V8.700a7 7 0 0 0-4 0v1.800l-2.600 1z',
  devices: 'M2 4.500h7M12 4.500h2M10.500 3v3M2 11.500h2M7 11.500h7M5.500 10v3',
  record: 'M8 2.500a5.500 5.500 0 1 0 0 11 5.500 5.500 0 0 0 0-11zM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  poor: 'M3.500 13v-2M7.500 13V8.500M11.500 13V5M2 2l12 12',
  phone: 'M4.500 2 6.500 5.500 5 7a9 9 0 0 0 4 4l1.500-1.500L14 11.500 13 14C7 14 2 9 2 3z',
  lock: 'M4 7.500h8v6H4zM5.500 7.500V5a2.500 2.500 0 0 1 5 0v2.500',
  pin: 'M9 2.500h4.500V7M13.500 2.500 9.500 6.500M7 13.500H2.500V9M2.500 13.500l4-4',
  send: 'M2.500 8 13.500 3l-3 10.500-3-4zM7.500 9.500l6-6.500',
  talking: 'M3 7v2M6.300 4.500v7M9.700 6v4M13 7v2',
} as const satisfies Record<string, string>;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <DrawnIcon path={PATHS[name]} size={size} strokeWidth={1.4} />
);
