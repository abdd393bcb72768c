/** Icons as inline SVG, 16 by 16 with a single stroke. Icons of verbs have the names of the verbs. */
import { DrawnIcon } from '../../pages/web/drawn-icon.tsx';

const PATHS = {
  play: 'M2.5 6v4h2.6L9 13V3L5.1 6zM11.3 5.6a3.4 3.4 0 0 1 0 4.8M13.2 3.7a6 6 0 0 1 0 8.6',
  menu: 'M5.8 3.4h8M5.8 8h8M5.8 12.6h8M2.4 3.4h.6M2.4 8h.6M2.4 12.6h.6',
  collect: 'M3 3h.01M8 3h.01M13 3h.01M3 8h.01M8 8h.01M13 8h.01M8 13h.01M3 13h.01M13 13h.01',
  record: 'M8 2a2 2 0 0 1 2 2v4a2 2 0 0 1-4 0V4a2 2 0 0 1 2-2zM3.5 8a4.5 4.5 0 0 0 9 0M8 12.5V15',
  request:
    'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM1.8 8h12.4M8 1.8c2.3 2.4 2.3 10 0 12.4M8 1.8c-2.3 2.4-2.3 10 0 12.4',
  webhook: 'M5 8.5a3 3 0 1 1 3-5M8 6l2.2 4.4M11 8.2a3 3 0 1 1-2.6 4.6M9.6 11.5H5.2M5.5 8.6a3 3 0 1 0 1.6 4',
  branch: 'M4 2v5.5A3.5 3.5 0 0 0 7.5 11H13M10.5 8.3 13.2 11l-2.7 2.7M4 2v12',
  schedule: 'M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 4.5V8l2.5 1.6',
  hangup: 'M1.7 9.5c3.7-3.7 8.9-3.7 12.6 0l-1.7 2-2.6-1V8.7a7 7 0 0 0-4 0v1.8l-2.6 1z',
  bridge: 'M2 5h9M8.5 2.5 11 5 8.5 7.5M14 11H5M7.5 8.5 5 11l2.5 2.5',
  queue:
    'M2.5 13v-1a2.5 2.5 0 0 1 5 0v1M5 7.5a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM9.5 13v-1a2.5 2.5 0 0 1 4.5-1.5M11.5 7.5a1.7 1.7 0 1 0 0-3.4',
  notify: 'M8 2a4 4 0 0 1 4 4c0 4 1.5 5 1.5 5h-11S4 10 4 6a4 4 0 0 1 4-4zM6.8 13.5a1.3 1.3 0 0 0 2.4 0',
  set: 'M3 4h10M3 8h6M3 12h8',
  subflow: 'M2.5 2.5h5v4h-5zM8.5 9.5h5v4h-5zM5 6.5v5h3.5',
  for_each: 'M3 3h6v3H3zM3 8h6v3H3zM9 4.5h2.5a2 2 0 0 1 2 2V11a2 2 0 0 1-2 2H5M7 11l-2 2 2 2',
  continue: 'M2 4h5l3 4-3 4H2M10 8h4M12 6l2 2-2 2',
  return: 'M6 4 2.5 7.5 6 11M2.5 7.5H10a3.5 3.5 0 0 1 0 7H8',
  repeat: 'M3 8a5 5 0 0 1 8.6-3.5L13.5 6M13.5 2.5V6H10M13 8a5 5 0 0 1-8.6 3.5L2.5 10M2.5 13.5V10H6',
  lock: 'M4 7.5h8v6H4zM5.5 7.5V5a2.5 2.5 0 0 1 5 0v2.5',
  transfer: 'M2 8h10M8.5 4.5 12 8l-3.5 3.5M14 3v10',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  answer: 'M4.5 2 6.5 5.5 5 7a9 9 0 0 0 4 4l1.5-1.5L14 11.5 13 14C7 14 2 9 2 3zM10 2.5l3.5 3.5M13.5 2.5V6H10',
  parallel: 'M2 8h3M5 8c2 0 2-4 4-4h4.5M5 8c2 0 2 4 4 4h4.5M11.5 2l2 2-2 2M11.5 10l2 2-2 2',
  split: 'M2 8h4l4-4.5h3.5M6 8l4 4.5h3.5',
  wait_for: 'M4 2h8M4 14h8M5 2c0 4 6 4 6 6s-6 2-6 6M11 2c0 4-6 4-6 6s6 2 6 6',
  conference:
    'M8 3.2a1.6 1.6 0 1 1 0 3.2 1.6 1.6 0 0 1 0-3.2zM5 13v-1.5a3 3 0 0 1 6 0V13M3 6.5v.01M13 6.5v.01M1.8 11.5c0-1 .6-1.8 1.5-2M14.2 11.5c0-1-.6-1.8-1.5-2',
  serve: 'M3 9.5V8a5 5 0 0 1 10 0v1.5M3 9h2v4H3zM11 9h2v4h-2zM12 13c0 1-1 1.5-3 1.5',
  join_room: 'M2 4h8.5v8H2zM10.5 7l3.5-2v6l-3.5-2',
  hold: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.5 6v4M9.5 6v4',
  resume: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM6.8 5.7v4.6L10.5 8z',
  detect_machine: 'M3 5.5h10v7H3zM8 5.5V3M6 8.5v.01M10 8.5v.01M6 10.7h4',
  send_digits: 'M2.5 4h.01M6 4h.01M9.5 4h.01M2.5 8h.01M6 8h.01M2.5 12h.01M6 12h.01M9 10h5M12 8l2 2-2 2',
  message: 'M2.5 3h11v8H7l-3 2.5V11H2.5zM5 6h6M5 8.3h4',
  log: 'M3 2.5h7l3 3v8H3zM5.5 7.5h5M5.5 10.5h5',
  recording: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11zM8 6a2 2 0 1 0 0 4 2 2 0 0 0 0-4z',
  stream: 'M2 8c1.5-4 3-4 4.5 0s3 4 4.5 0c.8-2 1.7-3 3-2.5',
  transcribe: 'M2.5 3.5h11v7h-6l-3 2.5v-2.5h-2zM5 6h6M5 8.3h4',
  do_not_call: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2zM3.8 3.8l8.4 8.4',
  todo: 'M3 13l1-3.5L11 2.5l2.5 2.5-7 7zM9.5 4l2.5 2.5',
  reject: 'M4 4l8 8M12 4l-8 8',
  flows: 'M2 2.5h5v4H2zM9 9.5h5v4H9zM4.5 6.5v5H9',
  calls: 'M4.5 2 6.5 5.5 5 7a9 9 0 0 0 4 4l1.5-1.5L14 11.5 13 14C7 14 2 9 2 3z',
  broadcasts: 'M2 6.5v3h3l6 3.5V3L5 6.5zM13.5 6a3 3 0 0 1 0 4',
  tests: 'M2.5 8.5 6 12l7.5-8',
  numbers: 'M6 2 4.5 14M11.5 2 10 14M2.5 5.5h11M2.5 10.5h11',
  settings: 'M2 4.5h7M12 4.5h2M10.5 3v3M2 11.5h2M7 11.5h7M5.5 10v3',
  health: 'M1.5 8.5h3l2-5 3 9 2-4h3',
  phone:
    'M4.5 1.5h7v13h-7zM6.5 4h.01M8 4h.01M9.5 4h.01M6.5 6.5h.01M8 6.5h.01M9.5 6.5h.01M6.5 9h.01M8 9h.01M9.5 9h.01M7 12.5h2',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  remove: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9',
  edit: 'M3 13l.7-2.9L10.6 3.2l2.2 2.2-6.9 6.9z',
  search: 'M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2zM10.7 10.7 14 14',
} as const satisfies Record<string, string>;

export type IconName = keyof typeof PATHS;

export const Icon = ({ name, size = 16 }: { name: string; size?: number }) => (
  <DrawnIcon path={PATHS[name as IconName] ?? PATHS.set} size={size} strokeWidth={name === 'collect' ? 2.4 : 1.5} />
);
